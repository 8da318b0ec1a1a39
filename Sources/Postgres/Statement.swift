/// One SQL statement with its values.
///
/// `$1`, `$2`, … in the text stand for the binds; nothing is ever pasted into the text.
public struct Statement: Sendable, CustomStringConvertible {
    /// The text, with `$1`, `$2`, … for the values.
    public var sql: String
    /// The values, in the order of their numbers.
    public var binds: [Bind]
    /// Prepared once per session and kept; false for one-off dynamic SQL.
    public var isCached: Bool

    /// A statement that each session prepares once and keeps.
    public init(_ sql: String, _ binds: Bind...) {
        self.init(sql, binds: binds)
    }

    /// A statement with a list of binds; `cached: false` leaves nothing behind in the session.
    public init(_ sql: String, binds: [Bind], cached: Bool = true) {
        self.sql = sql
        self.binds = binds
        isCached = cached
    }

    /// One-off SQL that is parsed anew and not kept.
    public static func unprepared(_ sql: String, _ binds: Bind...) -> Statement {
        Statement(sql, binds: binds, cached: false)
    }

    /// The SQL text, never the values.
    public var description: String { sql }
}
