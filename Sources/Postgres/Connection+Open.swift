import Basics
import CLibPQ
import Glibc

extension Connection {
    /// Connects, trying again with jittered backoff.
    ///
    /// Goes on until the work's deadline, or without one for the configuration's patience; then
    /// throws `.notConnected` with the last attempt's reason.
    func open(_ configuration: DatabaseConfiguration) throws {
        let end = interruption.deadline ?? .now + configuration.reconnectTimeout
        var backoff = Backoff.toConnect
        while true {
            do {
                adopt(try search(configuration))
                return
            } catch let error as DatabaseError {
                guard error.code == .notConnected, !error.isRefusedLogin else { throw error }
                let next = ContinuousClock.now + backoff.next()
                guard next < end else { throw error }
                try pause(until: next)
            }
        }
    }

    /// One search through the servers, by the settings as they are at this moment.
    private func search(_ configuration: DatabaseConfiguration) throws -> FoundServer {
        let (configuration, trouble) = configuration.now()
        let parameters = configuration.parameters
        let search = ServerSearch(
            list: ServerList(effectiveOptions(parameters)), configuration: configuration,
            interruption: interruption
        ) { [self] in
            try attempt(
                parameters.merging($0) { $1 }, identifies: !configuration.isPooled, until: $1)
        }
        do { return try search.find() } catch let error as DatabaseError {
            guard let trouble else { throw error }
            throw DatabaseError(
                error.code,
                "\(error.message); the connection string could not be read anew: \(trouble)",
                sqlstate: error.sqlstate)
        }
    }

    private func pause(until instant: ContinuousClock.Instant) throws {
        while ContinuousClock.now < instant {
            wake.sleep(until: instant)
            if interruption.reason == .cancelled { throw DatabaseError.interrupted(.cancelled) }
        }
    }

    /// One attempt; the handle is this thread's alone until it is adopted.
    private func attempt(
        _ parameters: [String: String], identifies: Bool, until end: ContinuousClock.Instant
    ) throws -> FoundServer {
        let started = startConnecting(parameters)
        guard let handle = started else {
            throw DatabaseError(.notConnected, "no memory for a connection")
        }
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        // The verbose form is the only way to learn the SQLSTATE of a refused connection.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        do {
            try establish(handle, until: end)
            PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
            let identity = identifies ? try identify(handle, until: end) : nil
            return FoundServer(handle: handle, identity: identity)
        } catch {
            PQfinish(handle)
            throw error
        }
    }

    /// Asks the server who it is; nil where it does not tell.
    ///
    /// Throws `.invalidConfiguration` behind a pooler that has dropped the session's settings.
    private func identify(
        _ handle: OpaquePointer, until end: ContinuousClock.Instant
    ) throws -> ServerIdentity? {
        // The extended protocol gives one result.
        guard PQsendQueryParams(handle, identityQuestion, 0, nil, nil, nil, nil, 0) == 1 else {
            throw refusal(handle)
        }
        var answer: ResultHandle?
        while true {
            while PQisBusy(handle) != 0 {
                try awaitSocket(PQsocket(handle), Int16(POLLIN), until: end)
                guard PQconsumeInput(handle) == 1 else { throw refusal(handle) }
            }
            guard let result = PQgetResult(handle) else { break }
            answer = ResultHandle(result)
        }
        guard PQstatus(handle) != CONNECTION_BAD else { throw refusal(handle) }
        guard let answer, answer.status == PGRES_TUPLES_OK else { return nil }
        guard answer.text(2) != nil else { throw DatabaseError.leadsToPooler }
        guard let system = answer.text(0).flatMap(Int64.init),
            let timeline = answer.text(1).flatMap(Int64.init)
        else { return nil }
        return ServerIdentity(system: system, timeline: timeline)
    }

    private func establish(_ handle: OpaquePointer, until end: ContinuousClock.Instant) throws {
        var events = Int16(POLLOUT)
        guard PQstatus(handle) != CONNECTION_BAD else { throw refusal(handle) }
        while true {
            try awaitSocket(PQsocket(handle), events, until: end)
            switch PQconnectPoll(handle) {
            case PGRES_POLLING_OK: return
            case PGRES_POLLING_READING: events = Int16(POLLIN)
            case PGRES_POLLING_WRITING: events = Int16(POLLOUT)
            default: throw refusal(handle)
            }
        }
    }

    private func awaitSocket(
        _ socket: Int32, _ events: Int16, until end: ContinuousClock.Instant
    ) throws {
        while true {
            var entries = [
                pollfd(fd: socket, events: events, revents: 0),
                pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&entries, 2, wake.timeout(until: end))
            if entries[1].revents != 0 { wake.drain() }
            if interruption.reason == .cancelled { throw DatabaseError.interrupted(.cancelled) }
            if entries[0].revents != 0 { return }
            guard ContinuousClock.now < end else {
                throw DatabaseError.silence
            }
        }
    }

    private func refusal(_ handle: OpaquePointer) -> DatabaseError {
        let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        let message = text.split(separator: "\n").filter { !$0.hasPrefix("LOCATION:") }
            .joined(separator: " ")
        if message.contains("unsupported startup parameter") { return .leadsToPooler }
        return DatabaseError(
            .notConnected, oneLine(message, limit: 500), sqlstate: sqlstate(inVerbose: message))
    }
}

extension DatabaseError {
    /// A session of a transaction pooler has no settings of its own.
    static let leadsToPooler = DatabaseError(
        .invalidConfiguration,
        "a pooler stands before the database, which drops a session's settings; expected a direct way in"
            + " JOBRUNNER_DIRECT_URL, beside the pooler in DATABASE_URL")

    /// The server takes no part any more: what it would say or write is lost.
    static func replaced(by timeline: Int64) -> DatabaseError {
        DatabaseError(
            .connectionLost, "the server was replaced: its successor is of timeline \(timeline)")
    }
}

extension ResultHandle {
    /// A value of the first row, as text; nil for null and where there is none.
    fileprivate func text(_ column: Int32) -> String? {
        guard PQntuples(pointer) > 0, PQgetisnull(pointer, 0, column) == 0 else { return nil }
        return PQgetvalue(pointer, 0, column).map { String(cString: $0) }
    }
}

extension Backoff {
    /// The waits between attempts to connect.
    static var toConnect: Backoff { Backoff(first: .milliseconds(100), most: .seconds(2)) }
}

/// Finds `28P01` in `FATAL:  28P01: password authentication failed`.
func sqlstate(inVerbose message: String) -> String? {
    message.split(separator: ": ").lazy
        .map { $0.drop { $0 == " " } }
        .first { part in
            part.utf8.count == 5
                && part.utf8.allSatisfy {
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                        || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                }
                && part != "FATAL"
        }
        .map { String($0) }
}

private func startConnecting(_ parameters: [String: String]) -> OpaquePointer? {
    let sorted = parameters.sorted { $0.key < $1.key }
    let started = withCStrings(sorted.map(\.key)) { keywords in
        withCStrings(sorted.map(\.value)) { PQconnectStartParams(keywords, $0, 0) } ?? nil
    }
    return started ?? nil
}

/// What libpq makes of these keywords, the environment and a service file; empty: it can't.
///
/// The one way to ask it is to begin a connection. It refuses this `sslmode` before it looks for a server.
private func effectiveOptions(_ parameters: [String: String]) -> [String: String] {
    guard let handle = startConnecting(parameters.merging(["sslmode": "unknown"]) { $1 }) else {
        return [:]
    }
    defer { PQfinish(handle) }
    guard let options = PQconninfo(handle) else { return [:] }
    defer { PQconninfoFree(options) }
    return given(options)
}

/// Lends C copies of the strings, with the null pointer at the end that libpq wants.
private func withCStrings<R>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> R
) -> R? {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    let pointers = copies.map { UnsafePointer($0) } + [nil]
    return pointers.withUnsafeBufferPointer { buffer in buffer.baseAddress.map(body) }
}
