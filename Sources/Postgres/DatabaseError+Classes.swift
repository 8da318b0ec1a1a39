// What SQLSTATE classes mean for the caller. https://www.postgresql.org/docs/15/errcodes-appendix.html
extension DatabaseError {
    /// True when the same work may succeed later unchanged: lost or refused connections, a server
    /// that starts, stops or is full, deadlocks, lock and statement timeouts of the server.
    public var isTransient: Bool {
        if isConnectionFailure { return true }
        guard case .server(let state) = code else { return false }
        return state.hasPrefix("53") || Self.transientStates.contains(state)
    }

    /// True when the data was refused (class 22, or one row touched twice: 21000).
    public var isDataError: Bool {
        guard case .server(let state) = code else { return false }
        return state.hasPrefix("22") || state == "21000"
    }

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
    /// Serialization, deadlock, lock not available, statement timeout.
    private static let transientStates: Set<String> = ["40001", "40P01", "55P03", "57014"]
}
