// What SQLSTATE classes mean for the caller. https://www.postgresql.org/docs/15/errcodes-appendix.html
extension DatabaseError {
    /// True when the same work may succeed later unchanged: lost or refused connections, a server
    /// that starts, stops, is full or read-only, deadlocks, lock and statement timeouts of the server.
    public var isTransient: Bool {
        if isConnectionFailure { return true }
        if isNotifyQueueFull { return true }
        guard case .server(let state) = code else { return false }
        return Self.passingClasses.contains(state.prefix(2))
    }

    /// True when nobody could write now, whatever it is: no connection, a refused login, a server that stops, is
    /// read-only (as after a failover) or full, or whose disk fails.
    public var isServerTrouble: Bool {
        if isConnectionFailure || code == .commitUnknown || isNotifyQueueFull { return true }
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
        case .connectionLost, .notConnected: true
        case .server(let state): state.hasPrefix("08") || Self.shutdownStates.contains(state)
        default: false
        }
    }

    /// True when the server refuses the login: wrong password or role, unknown database, no right to connect.
    ///
    /// Who begins is told at once. Who is at work waits: it was let in before, and an administrator may be at work too.
    public var isRefusedLogin: Bool {
        guard code == .notConnected, let sqlstate else { return false }
        return sqlstate.hasPrefix("28") || sqlstate == "3D000" || sqlstate == "42501"
    }

    /// True when a server takes no writes: a standby, or one that is read-only by default.
    public var isReadOnlyServer: Bool { code == .server("25006") }

    /// True when the server's queue of notifications is full, so that it commits nothing that notifies.
    ///
    /// The code stands for other limits as well; the word is in the message in all of the server's languages.
    var isNotifyQueueFull: Bool { code == .server("54000") && message.contains("NOTIFY") }

    private static let shutdownStates: Set<String> = ["57P01", "57P02", "57P03"]
    /// A state the transaction or server is in, serialization and deadlock, resources, locks,
    /// operators and timeouts, the system, and what should never happen.
    private static let passingClasses: Set<Substring> = ["25", "40", "53", "55", "57", "58", "XX"]
}
