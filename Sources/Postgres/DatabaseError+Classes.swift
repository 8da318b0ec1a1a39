// What SQLSTATE classes mean for the caller. https://www.postgresql.org/docs/15/errcodes-appendix.html
extension DatabaseError {
    /// True when the same work may succeed later unchanged: lost or refused connections, a server
    /// that starts, stops, is full or read-only, deadlocks, lock and statement timeouts of the server.
    public var isTransient: Bool {
        if isConnectionFailure { return true }
        guard case .server(let state) = code else { return false }
        return Self.passingClasses.contains(state.prefix(2))
    }

    /// True when nobody could write now, whatever it is: no connection, a server that stops, is
    /// read-only (as after a failover) or full, or whose disk fails.
    public var isServerTrouble: Bool {
        if isConnectionFailure || code == .commitUnknown { return true }
        guard case .server(let state) = code else { return false }
        return ["25", "53", "58"].contains(state.prefix(2))
    }

    /// True when a lock was not to be had in time (55P03).
    public var isLockTimeout: Bool { code == .server("55P03") }

    /// True when the server ended the statement because it took longer than `statement_timeout`.
    public var isStatementTimeout: Bool { code == .server("57014") }

    /// True when there is no connection (any more), so that other statements would fail as well.
    public var isConnectionFailure: Bool {
        switch code {
        case .connectionLost, .notConnected: !Self.isPermanent(atConnect: sqlstate)
        case .server(let state): state.hasPrefix("08") || Self.shutdownStates.contains(state)
        default: false
        }
    }

    /// True when trying to connect again can't help: wrong password or role, unknown database.
    static func isPermanent(atConnect sqlstate: String?) -> Bool {
        guard let sqlstate else { return false }
        return sqlstate.hasPrefix("28") || sqlstate == "3D000" || sqlstate == "42501"
    }

    private static let shutdownStates: Set<String> = ["57P01", "57P02", "57P03"]
    /// A state the transaction or server is in, serialization and deadlock, resources, locks,
    /// operators and timeouts, the system, and what should never happen.
    private static let passingClasses: Set<Substring> = ["25", "40", "53", "55", "57", "58", "XX"]
}
