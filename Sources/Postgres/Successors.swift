extension Database {
    /// Asks the servers of a configuration for the newest timeline, each for a second at most, so that sessions of all
    /// others know that their server was replaced.
    ///
    /// It takes one connection for that time. Where no server answers, nothing is learned.
    public static func findSuccessor(_ configuration: DatabaseConfiguration) async {
        let limit = Duration.seconds(1)
        var single = configuration
        single.lanes = 1
        single.comparison = .always
        single.connectTimeoutMax = limit
        single.reconnectTimeout = .zero
        try? await withSessions(single) { database in
            // A search asks each server of the list in turn.
            try await database.run(deadline: .now + limit * 3) { _ in }
        }
    }
}

extension DatabaseConfiguration {
    /// The same as a process has it that has just begun: what it knew of servers that were replaced is forgotten.
    public func asAtFirst() -> DatabaseConfiguration {
        var other = self
        other.timelines = ServerTimelines()
        return other
    }

    /// The same, for a process that goes on for long: its first session is of the newest of all servers.
    public func comparingServers() -> DatabaseConfiguration {
        var other = self
        other.comparison = .atFirst
        return other
    }
}
