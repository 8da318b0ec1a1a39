import CLibPQ
import Glibc

/// Where the database is and how its sessions behave.
///
/// What the connection string or libpq's own `PG*` variables say wins over the defaults here.
public struct DatabaseConfiguration: Sendable {
    /// Sessions of a `Database`, 1…8; one to two per core of the server is enough.
    public var lanes: Int
    /// How long one server may take to give a session, where `connect_timeout` says nothing.
    public var connectTimeout: Duration = .seconds(5)
    /// The same where `connect_timeout` says more; nil means it holds.
    var connectTimeoutMax: Duration?
    /// A lane that had nothing to do for so long gives its connection back.
    var idleMax: Duration = .seconds(30)
    /// How long `Database.run` without a deadline begins new attempts to connect.
    public var reconnectTimeout: Duration = .seconds(5)
    /// How long the server may work on one statement; zero is no limit.
    ///
    /// A whole turn gets a little more before its session is given up for lost.
    public var statementTimeout: Duration = .seconds(30)
    /// How long a statement may wait for one lock.
    public var lockTimeout: Duration = .seconds(2)
    /// After how long the server ends a session that stalls inside a transaction.
    public var idleInTransactionTimeout: Duration = .seconds(10)
    /// Prepared statements kept per session.
    public var statementCacheSize = 200
    /// A cached statement is planned once a session, whatever its values.
    ///
    /// That is right for statements that look rows up by key and are sent all day.
    public var usesGenericPlans = false
    /// The connection string leads to a pooler that lends its sessions for a transaction: each transaction brings its
    /// settings along, no statement is prepared, and none is cancelled.
    public var isPooled = false
    /// Which servers will do, where `target_session_attrs` says nothing.
    public var serversWanted = ServersWanted.any

    let applicationName: String
    /// What the connection string says, by libpq's keywords.
    private(set) var settings: [String: String]
    /// Servers that did not answer lately, for all sessions of this configuration and its copies.
    let silentServers = SilentServers()
    var resolver = Resolver.shared
    var timelines = ServerTimelines.shared
    var comparison = ServerComparison.never
    /// Where the connection string is read anew for each connection; nil when it never changes.
    private var reader: ConnectionStringReader?
    /// Instead of the one that the connection string names.
    private var database: String?

    /// Reads a URI or keyword string; nil leaves everything to libpq's `PG*` variables.
    ///
    /// Throws `DatabaseError` with `.invalidConfiguration`, which never quotes the string.
    public init(conninfo: String?, applicationName: String, lanes: Int) throws {
        guard (1...8).contains(lanes) else {
            throw DatabaseError(.invalidConfiguration, "lanes must be 1 to 8, not \(lanes)")
        }
        self.lanes = lanes
        self.applicationName = applicationName
        settings = try conninfo.map(parse) ?? [:]
    }

    /// The same server and rights, another database.
    public func ofDatabase(_ name: String) -> DatabaseConfiguration {
        var other = self
        other.database = name
        other.settings["dbname"] = name
        return other
    }

    /// The same, its connection string read anew for each connection, so that a password may be rotated.
    ///
    /// While it can't be read, the last one that could be holds.
    public func rereading(
        _ read: @escaping @Sendable () throws -> String?
    ) -> DatabaseConfiguration {
        var other = self
        other.reader = ConnectionStringReader(settings) { try read().map(parse) ?? [:] }
        return other
    }

    /// As it is at this moment, and why its connection string could not be read anew.
    func now() -> (configuration: DatabaseConfiguration, trouble: String?) {
        guard let reader else { return (self, nil) }
        var other = self
        let (settings, trouble) = reader.now()
        other.settings = settings
        if let database { other.settings["dbname"] = database }
        return (other, trouble)
    }

    /// The database and the role that logs in, as the connection string or the environment says.
    ///
    /// A part is nil when neither says it.
    public var named: (database: String?, role: String?) {
        (known["dbname"], known["user"])
    }

    /// Host, port, database and user, for logs.
    public var redacted: String {
        ["host", "port", "dbname", "user"]
            .compactMap { key in known[key].map { "\(key)=\($0)" } }
            .joined(separator: " ")
    }

    /// What the connection string says, and libpq's environment and defaults where it says nothing.
    var known: [String: String] { libpqDefaults().merging(settings) { $1 } }

    /// What the connection string or the environment asks of the session.
    var givenOptions: String { settings["options"] ?? environment("PGOPTIONS") ?? "" }
}

private func parse(_ conninfo: String) throws -> [String: String] {
    guard !conninfo.utf8.contains(0) else {
        throw DatabaseError(.invalidConfiguration, "the connection string holds a NUL byte")
    }
    guard !hasStrayAt(conninfo) else {
        throw DatabaseError(
            .invalidConfiguration,
            "the connection string: in a URI, '@' stands only before the host; in a name or password"
                + " write %40 for '@' and %2F for '/'")
    }
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(conninfo, &message) else {
        defer { PQfreemem(message) }
        let text = message.map { String(cString: $0) } ?? "out of memory"
        throw DatabaseError(
            .invalidConfiguration, "the connection string: \(withoutQuotations(text))")
    }
    defer { PQconninfoFree(options) }
    return given(options)
}

/// Whether libpq would take the end of a password for a host or a database, and name it in its errors.
private func hasStrayAt(_ conninfo: String) -> Bool {
    let schemes = ["postgres://", "postgresql://"]
    guard let scheme = schemes.first(where: { conninfo.hasPrefix($0) }) else { return false }
    let rest = conninfo.dropFirst(scheme.count).utf8
    // As libpq does: a name and password are there if an '@' comes before the first '/'.
    let mark = rest.firstIndex { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "/") }
    guard let mark else { return false }
    return rest[rest.index(after: mark)...].prefix { $0 != UInt8(ascii: "?") }
        .contains(UInt8(ascii: "@"))
}

/// What libpq would use where the connection string says nothing.
private func libpqDefaults() -> [String: String] {
    guard let options = PQconndefaults() else { return [:] }
    defer { PQconninfoFree(options) }
    return given(options)
}

func given(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
    var settings: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
        if let value = option.pointee.val {
            settings[String(cString: keyword)] = String(cString: value)
        }
        option += 1
    }
    return settings
}

/// libpq quotes pieces of the string in its complaints, any of which may be the password.
private func withoutQuotations(_ message: String) -> String {
    var text = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    let harmless = ["\"=\"": "'='", "\"]\"": "']'", "\"/\"": "'/'", "\":\"": "':'"]
    for (quoted, plain) in harmless {
        while let range = firstRange(of: quoted, in: text) {
            text.replaceSubrange(range, with: plain)
        }
    }
    guard let quote = text.firstIndex(of: "\"") else { return text }
    return text[..<quote] + "…"
}

private func firstRange(of part: String, in text: String) -> Range<String.Index>? {
    var start = text.startIndex
    while start < text.endIndex {
        if text[start...].hasPrefix(part) {
            return start..<text.index(start, offsetBy: part.count)
        }
        start = text.index(after: start)
    }
    return nil
}

/// A variable of the environment; nil when it is not set.
func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}
