import CLibPQ

/// A session that a server has given.
struct FoundServer {
    /// This thread's alone until a connection has adopted it.
    let handle: OpaquePointer
    /// Which server it is; nil where it does not tell.
    let identity: ServerIdentity?
}

/// The search for a server that gives a session: those of a connection string in libpq's order, each with a limit of
/// its own.
///
/// libpq's own search knows a limit only where it blocks, and asks the resolver without one. What decides is the
/// same: a server that refuses a login ends the search, one that starts or is not of the wanted sort does not.
struct ServerSearch {
    /// What is tried of one server: connects with these keywords as well, until the instant.
    typealias Attempt = ([String: String], ContinuousClock.Instant) throws -> FoundServer

    let list: ServerList
    let configuration: DatabaseConfiguration
    let interruption: Interruption
    let attempt: Attempt

    /// A server that was given less time is not known to be silent.
    private static let timeToAnswer = Duration.seconds(1)

    private var limit: Duration {
        min(
            list.limit ?? configuration.connectTimeout,
            configuration.connectTimeoutMax ?? .seconds(3600))
    }
    private var memory: SilentServers { configuration.silentServers }

    /// Throws `DatabaseError` with what each server said.
    func find() throws -> FoundServer {
        var failures: [DatabaseError] = []
        var passedOver: Set<ServerAddress> = []
        for target in targets {
            var pass = Pass(target: target, passedOver: passedOver, compares: compares)
            do {
                if let found = try search(&pass) ?? pass.newest { return found }
            } catch {
                if let newest = pass.newest { PQfinish(newest.handle) }
                throw error
            }
            failures += pass.failures
            passedOver = pass.silent
        }
        throw merged(failures)
    }

    /// The values of `target_session_attrs`, one after the other.
    ///
    /// A service file that says `any` can't be told from one that says nothing.
    private var targets: [String] {
        let isGiven =
            list.target != "any" || configuration.settings["target_session_attrs"] != nil
            || environment("PGTARGETSESSIONATTRS") != nil
        if list.target == "prefer-standby" { return ["standby", "any"] }
        if isGiven { return [list.target] }
        // What a pooler leads to is its own choice.
        if configuration.isPooled { return ["any"] }
        switch configuration.serversWanted {
        case .any: return ["any"]
        case .writable: return ["read-write"]
        case .writableFirst: return ["read-write", "any"]
        }
    }

    /// All servers, one after the other.
    private struct Pass {
        let target: String
        /// Those that were silent in the pass before.
        let passedOver: Set<ServerAddress>
        var failures: [DatabaseError] = []
        var silent: Set<ServerAddress> = []
        /// All servers are asked before one is taken.
        let compares: Bool
        /// The best so far, where all are asked.
        var newest: FoundServer?
    }

    private var compares: Bool {
        switch configuration.comparison {
        case .never: false
        case .atFirst: configuration.timelines.isEmpty
        case .always: true
        }
    }

    /// Nil when no server has given a session.
    private func search(_ pass: inout Pass) throws -> FoundServer? {
        guard !list.servers.isEmpty else { return try ask(nil, &pass, among: 1) }
        let (first, last) = split(list.servers)
        var later: [ServerAddress] = []
        for (place, server) in first.enumerated() {
            let others = first.count - place - 1 + last.count
            let (now, silent) = split(addresses(of: server, &pass, among: others + 1))
            later += silent
            for (place, address) in now.enumerated() {
                let left = now.count - place + others + later.count
                if let found = try ask(address, &pass, among: left) { return found }
            }
        }
        later += last
        for (place, server) in later.enumerated() {
            let left = later.count - place
            for address in addresses(of: server, &pass, among: left) {
                if let found = try ask(address, &pass, among: left) { return found }
            }
        }
        return nil
    }

    private func split(_ servers: [ServerAddress]) -> (
        first: [ServerAddress], last: [ServerAddress]
    ) {
        (servers.filter { !memory.contains($0) }, servers.filter { memory.contains($0) })
    }

    /// Where the server's name leads; nowhere when that can't be found out.
    private func addresses(
        of server: ServerAddress, _ pass: inout Pass, among count: Int
    ) -> [ServerAddress] {
        if server.isLocal || server.address != nil { return [server] }
        guard !pass.passedOver.contains(server) else { return [] }
        let (begun, end) = (ContinuousClock.now, end(among: count))
        do {
            let found = try configuration.resolver.resolve(
                server.host, until: end, whileWanted: { interruption.reason != .cancelled })
            memory.forget(server)
            return found.map { ServerAddress(host: server.host, address: $0, port: server.port) }
        } catch {
            let words: String
            switch error {
            case .late:
                note(server, end - begun, &pass)
                words = "the resolver did not answer in time"
            case .failed(let reason): words = reason
            }
            pass.failures.append(
                DatabaseError(.notConnected, "the name \"\(server.host)\" has no address: \(words)")
            )
            return []
        }
    }

    /// One server; nil in its place: what libpq makes of the lists by itself.
    private func ask(
        _ server: ServerAddress?, _ pass: inout Pass, among count: Int
    ) throws -> FoundServer? {
        if let server, pass.passedOver.contains(server) { return nil }
        if interruption.reason == .cancelled { throw DatabaseError.interrupted(.cancelled) }
        let (begun, end) = (ContinuousClock.now, end(among: count))
        do {
            let found = try attempt(
                (server?.parameters ?? [:]).merging(["target_session_attrs": pass.target]) { $1 },
                end)
            if let server { memory.forget(server) }
            return try chosen(found, server, &pass)
        } catch let error as DatabaseError where error.code == .notConnected {
            guard !error.isSilence else {
                if let server { note(server, end - begun, &pass) }
                pass.failures.append(
                    DatabaseError(
                        .notConnected, (server.map { "\($0.words): " } ?? "") + error.message))
                return nil
            }
            pass.failures.append(error)
            if let server { memory.forget(server) }
            // As libpq has it: a server that starts or stops is no reason to give up, a refused login is.
            guard error.sqlstate == nil || error.sqlstate == "57P03" || pass.compares else {
                throw error
            }
            return nil
        }
    }

    /// The session, unless its server was replaced, or another may be newer.
    private func chosen(
        _ found: FoundServer, _ server: ServerAddress?, _ pass: inout Pass
    ) throws -> FoundServer? {
        if let identity = found.identity {
            if let successor = configuration.timelines.successor(of: identity) {
                PQfinish(found.handle)
                let place = server.map { "\($0.words): " } ?? ""
                throw DatabaseError(
                    .notConnected, place + DatabaseError.replaced(by: successor).message)
            }
            configuration.timelines.note(identity)
        }
        guard pass.compares else { return found }
        let isNewer = pass.newest?.identity.flatMap(configuration.timelines.successor) != nil
        if isNewer || pass.newest == nil {
            if let before = pass.newest { PQfinish(before.handle) }
            pass.newest = found
        } else {
            PQfinish(found.handle)
        }
        return nil
    }

    /// It has said nothing for so long.
    private func note(_ server: ServerAddress, _ span: Duration, _ pass: inout Pass) {
        if span >= min(limit, Self.timeToAnswer) { memory.note(server) }
        pass.silent.insert(server)
    }

    /// A deadline is shared by the servers that are left, so that the last is reached within it.
    private func end(among count: Int) -> ContinuousClock.Instant {
        let own = ContinuousClock.now + limit
        guard let deadline = interruption.deadline else { return own }
        let left = max(.zero, deadline - .now)
        return min(own, .now + left / max(1, count))
    }

    private func merged(_ failures: [DatabaseError]) -> DatabaseError {
        var words: [String] = []
        for failure in failures where !words.contains(failure.message) {
            words.append(failure.message)
        }
        return DatabaseError(
            .notConnected, oneLine(words.joined(separator: "; "), limit: 500),
            sqlstate: failures.compactMap(\.sqlstate).last)
    }
}

extension DatabaseError {
    static let silence = DatabaseError(.notConnected, "the server did not answer in time")

    /// The server has said nothing at all, in the time it was given.
    fileprivate var isSilence: Bool { self == .silence }
}
