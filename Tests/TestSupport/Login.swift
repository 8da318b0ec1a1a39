import Postgres

/// A login of the server that a test has an administrator make, and that goes again.
public struct Login: Sendable {
    /// Name of the role.
    public let name: String
    private let url: String

    /// Lends the name of a role that this makes, `%` standing for it; also of one with `_ops` behind it.
    public static func with(
        _ making: String = "create role % login", _ body: (String) async throws -> Void
    ) async throws {
        let name = "jr_test_\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        let cluster = TestCluster.shared
        try await administer(making.replacing("%", with: name), cluster.administratorURL)
        let ended: Result<Void, any Error>
        do { ended = .success(try await body(name)) } catch { ended = .failure(error) }
        try await administer("drop role if exists \(name), \(name)_ops", cluster.administratorURL)
        try ended.get()
    }

    /// Lends a login of this database, which is a member of the applications and of no tenant yet.
    public static func with(
        of databaseURL: String, _ body: (Login) async throws -> Void
    ) async throws {
        let database = databaseURL.split(separator: "/").last.map(String.init) ?? ""
        let all = TestCluster.shared.administratorURL
        let own = all.prefix(upTo: all.lastIndex(of: "/") ?? all.endIndex) + "/" + database
        try await with("create role % login in role \(TestCluster.roles)_application") { name in
            let login = Login(
                name: name,
                url: databaseURL.replacing("jobrunner@", with: "\(name)@", maxReplacements: 1))
            let ended: Result<Void, any Error>
            do { ended = .success(try await body(login)) } catch { ended = .failure(error) }
            try await administer("drop owned by \(name) cascade", String(own))
            try ended.get()
        }
    }

    /// The first column of a query's rows as text, asked as this login.
    public func texts(_ query: String) async throws -> [String] {
        try await lines(of: "select (q.x)::text from (\(query)) as q (x)")
    }

    /// What a statement answers in one column of text.
    public func lines(of statement: String) async throws -> [String] {
        try await run { session in
            try session.query(.unprepared(statement)).map { try $0.optionalText(0) ?? "null" }
        }
    }

    /// Runs statements as this login.
    public func script(_ script: String) async throws { try await run { try $0.script(script) } }

    /// The SQLSTATE that a statement of this login is refused with; nil when it is not.
    public func refusal(_ statement: String) async throws -> String? {
        do {
            try await script(statement)
            return nil
        } catch let error as DatabaseError {
            return error.sqlstate
        }
    }

    private func run<R: Sendable>(_ body: @escaping @Sendable (Session) throws -> R) async throws
        -> R
    {
        let configuration = try DatabaseConfiguration(
            conninfo: url, applicationName: "application", lanes: 1)
        return try await Database.withSessions(configuration) { try await $0.run(body) }
    }
}

private func administer(_ script: String, _ url: String) async throws {
    let configuration = try DatabaseConfiguration(
        conninfo: url, applicationName: "jobrunner-test-instrument", lanes: 1)
    try await Database.withSessions(configuration) { try await $0.run { try $0.script(script) } }
}
