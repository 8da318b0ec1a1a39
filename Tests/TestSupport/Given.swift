/// What a test does by hand to the product's rows, as SQL: time that is moved, trouble that has come.
///
/// Its words are functions, a file for each kind of row. They alone know the tables' columns; a test
/// says `world.given(.due(), .blocked())`, and a longer script holds a word as `\(Given.due())`.
public struct Given: CustomStringConvertible, Sendable {
    /// The statement, or statements, with their ends.
    public let description: String

    init(_ sql: String) { description = sql + ";" }

    static func update(_ table: String, _ change: String, _ condition: String? = nil) -> Given {
        Given("update jobrunner.\(table) set \(change) where \(condition ?? "true")")
    }
}

/// Whose rows a word means, by what jobs and the rows beside them have in common.
public struct Whose: Sendable {
    let condition: String

    private init(_ condition: String) { self.condition = condition }

    /// Every row there is.
    public static let all = Whose("true")
    /// Jobs that no worker has.
    public static let waiting = Whose("worker_id is null")
    /// Jobs that a worker has.
    public static let running = Whose("worker_id is not null")
    /// Jobs whose source asks for no more patience.
    public static let patient = Whose("coalesce(deferred_until <= now(), true)")
    /// Jobs that wait because a source asked for patience.
    public static let putOff = Whose(
        "state = 'waiting' and due_at > now() and last_outcome = 'deferred'")
    /// Jobs whose last run failed.
    public static let failed = Whose("last_outcome = 'failed'")
    /// Jobs of job files that spread them.
    static let spread = Whose(
        "name in (select f.name from jobrunner.job_files as f where f.spread)")
    /// The user that was added first.
    public static let first = nth(0)
    /// The user that was added last.
    public static let last = Whose("user_id = (select max(user_id) from jobrunner.jobs)")
    /// Of each tenant the user that was added first.
    public static let firstOfEach = Whose(
        "user_id in (select min(id) from jobrunner.users group by tenant_id)")

    /// The user that was added behind so many others.
    public static func nth(_ place: Int) -> Whose {
        Whose(
            "user_id = (select distinct user_id from jobrunner.jobs order by 1 offset \(place) limit 1)"
        )
    }
    /// A user by number.
    public static func user(_ id: some BinaryInteger) -> Whose { Whose("user_id = \(id)") }
    /// Users by number.
    public static func users(_ ids: ClosedRange<Int>) -> Whose {
        Whose("user_id between \(ids.lowerBound) and \(ids.upperBound)")
    }
    /// Every user whose number leaves this rest.
    public static func users(modulo count: Int, _ rest: Int = 0) -> Whose {
        Whose("user_id % \(count) = \(rest)")
    }
    /// Users by what their tenants call them.
    public static func key(_ keys: String...) -> Whose { self.keys(keys) }
    /// Users by what their tenants call them.
    public static func keys(_ keys: [String]) -> Whose {
        let list = keys.map { literal($0) }.joined(separator: ", ")
        return Whose("user_id in (select id from jobrunner.users where key in (\(list)))")
    }
    /// A tenant by name.
    public static func tenant(_ name: String) -> Whose { tenants("^\(name)$") }
    /// Tenants whose name matches a pattern.
    public static func tenants(_ pattern: String) -> Whose {
        Whose("tenant_id in (select id from jobrunner.tenants where name ~ '\(pattern)')")
    }
    /// Jobs of a job file.
    public static func named(_ name: String) -> Whose { Whose("name = '\(name)'") }
    /// Jobs whose last error is of a kind.
    public static func troubled(_ kind: String) -> Whose { Whose("last_error_kind = '\(kind)'") }

    /// All but these.
    public var others: Whose { Whose("not (\(condition))") }
    /// Those of them that the other means as well.
    public func and(_ other: Whose) -> Whose { Whose("\(condition) and \(other.condition)") }
}

/// Text as SQL writes it; null for nil.
func literal(_ text: String?) -> String {
    guard let text else { return "null" }
    return "'"
        + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
}
/// A moment so long ago.
func ago(_ span: String) -> String { "now() - interval '\(span)'" }
/// A moment so far ahead.
func ahead(_ span: String) -> String { "now() + interval '\(span)'" }
/// The condition that a row, or every row, has a name.
func named(_ name: String?, _ column: String = "name") -> String {
    name.map { "\(column) = \(literal($0))" } ?? "true"
}
