import Basics
import CLibPQ
import Glibc
import Synchronization

/// Listens on channels with a session and thread of its own, which reconnects by itself, and runs bodies on it as well.
///
/// Notifications are wake-ups, not truth. Those that arrive while the connection is down, or beyond
/// `bufferedEvents` unread ones, are lost, so at every `.listening` the reader must poll.
public final class Listener: Sendable {
    /// What the reader learns.
    public enum Event: Sendable, Equatable {
        /// Listening from now on, at first and after every reconnect: look for what was missed.
        case listening
        case notification(channel: String, payload: String)
        /// The session is lost, or could not be made or prepared; it is tried again.
        case failed(DatabaseError)
    }

    /// Unread events kept; the oldest are dropped first.
    public static let bufferedEvents = 256

    /// The events, for one reader; ends after `close`.
    public let events: AsyncStream<Event>
    private let closing = Interruption(deadline: nil)
    private let wake = EventFD()
    private let listening = ListeningRequest()
    private let mailbox = Mailbox()

    /// Starts listening; channels are names as in `listen "name"`.
    ///
    /// `onConnect` runs on the listener's session at first and after every reconnect, before it
    /// listens: for locks that stand for the session's life. When it throws, the session is
    /// closed and made again.
    public init(
        _ configuration: DatabaseConfiguration, channels: [String],
        onConnect: @escaping @Sendable (Session) throws -> Void = { _ in }
    ) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(Self.bufferedEvents))
        events = stream
        let loop = ListenerLoop(
            configuration: configuration, channels: channels, onConnect: onConnect,
            closing: closing, wake: wake, listening: listening, mailbox: mailbox,
            continuation: continuation)
        precondition(startThread { loop.run() }, "no thread left for a listener")
    }

    deinit { close() }

    /// Listens, as from the start, or keeps its session without listening.
    ///
    /// A notification wakes every session of its database that listens to any channel.
    public func listens(_ isListening: Bool) {
        if listening.set(isListening) { wake.signal() }
    }

    /// Runs the body on the listener's session, as `Database.run` does, but makes no connection for it.
    ///
    /// Throws `.notConnected` at once while the session is lost.
    public func run<R: Sendable>(
        deadline: ContinuousClock.Instant,
        _ body: @escaping @Sendable (Session) throws -> R
    ) async throws -> R {
        let interruption = Interruption(deadline: deadline)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let work = Work(
                    interruption: interruption,
                    perform: { session in
                        let result = session.serve(interruption, connects: false, body)
                        return { continuation.resume(with: result) }
                    },
                    refuse: { continuation.resume(throwing: $0) })
                guard mailbox.post(work) else { return work.refuse(Mailbox.closed) }
                wake.signal()
            }
        } onCancel: {
            interruption.cancel()
            wake.signal()
        }
    }

    /// Whether a body waits for longer than this already, perhaps because the server does not answer.
    public func isHeldUp(for span: Duration) -> Bool { mailbox.isHeldUp(for: span) }

    /// Has the session look, if it waits for an answer, whether its server was replaced.
    public func lookAgain() { wake.signal() }

    /// Stops listening and ends the events.
    public func close() {
        closing.cancel()
        wake.signal()
    }
}

/// Whether a listener's owner wants it to listen.
private final class ListeningRequest: Sendable {
    private let request = Mutex(true)

    var isListening: Bool { request.withLock { $0 } }

    /// Returns whether that is new.
    func set(_ isListening: Bool) -> Bool {
        request.withLock { request in
            defer { request = isListening }
            return request != isListening
        }
    }
}

/// Bodies that wait for the listener's session; open while there is one.
private final class Mailbox: Sendable {
    static let closed = DatabaseError(.notConnected, "the listener has lost its session")

    private struct State {
        var isOpen = false
        var waiting: [Work] = []
        /// Since when there is something to do without a pause.
        var busySince: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    /// False while there is no session.
    func post(_ work: Work) -> Bool {
        state.withLock { state in
            guard state.isOpen else { return false }
            state.waiting.append(work)
            state.busySince = state.busySince ?? .now
            return true
        }
    }

    /// The next body; without one nothing is under way any more.
    func next() -> Work? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.busySince = nil
                return nil
            }
            state.busySince = .now
            return state.waiting.removeFirst()
        }
    }

    func open() { state.withLock { $0.isOpen = true } }

    /// Refuses what waits, and what comes until there is a session again.
    func close() {
        let refused = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        for work in refused { work.refuse(Self.closed) }
    }

    func isHeldUp(for span: Duration) -> Bool {
        state.withLock { state in state.busySince.map { .now - $0 > span } ?? false }
    }
}

/// The listener's thread: connect, listen, wait, and again.
private struct ListenerLoop: Sendable {
    let configuration: DatabaseConfiguration
    let channels: [String]
    let onConnect: @Sendable (Session) throws -> Void
    let closing: Interruption
    let wake: EventFD
    let listening: ListeningRequest
    let mailbox: Mailbox
    let continuation: AsyncStream<Listener.Event>.Continuation

    func run() {
        var backoff = Backoff.toConnect
        while closing.reason == nil {
            let session = Session(configuration, wake: wake, counters: Counters())
            session.connection.interruption = closing
            defer { mailbox.close() }
            do {
                try session.connectIfNeeded()
                try onConnect(session)
                // Before anybody is told of the session: he may use it at once.
                mailbox.open()
                // Told once even if it is not to listen: the session is there.
                try listen(session)
                backoff = .toConnect
                try receive(session)
            } catch {
                session.connection.close()
                mailbox.close()
                if let error = error as? DatabaseError, closing.reason == nil {
                    continuation.yield(.failed(error))
                }
                pause(for: backoff.next())
            }
        }
        continuation.finish()
    }

    private func listen(_ session: Session) throws {
        for channel in channels {
            let name = channel.split(separator: "\"", omittingEmptySubsequences: false)
            try session.script("listen \"\(name.joined(separator: "\"\""))\"")
        }
        continuation.yield(.listening)
    }

    /// Passes notifications on and runs bodies until the connection breaks, which throws, or the listener closes.
    ///
    /// A turn takes the wake-ups that come meanwhile, so that after each all that may be asked for is looked at again.
    private func receive(_ session: Session) throws {
        var isListening = true
        while closing.reason == nil {
            session.connection.discardIfDead()
            if let work = mailbox.next() {
                let tell = work.perform(session)
                session.connection.interruption = closing
                tell()
                // What the turn has read with its answer is passed on, or the loss of the connection told.
                passOn(try session.connection.opened())
                continue
            }
            if listening.isListening != isListening {
                isListening.toggle()
                if isListening { try listen(session) } else { try session.script("unlisten *") }
                continue
            }
            let handle = try session.connection.opened()
            passOn(handle)
            var entries = [
                pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&entries, 2, wake.timeout(until: nil))
            if entries[1].revents != 0 { wake.drain() }
            if entries[0].revents != 0, PQconsumeInput(handle) == 0 {
                throw session.connection.lost()
            }
        }
    }

    private func passOn(_ handle: OpaquePointer) {
        while let notification = PQnotifies(handle) {
            defer { PQfreemem(notification) }
            continuation.yield(
                .notification(
                    channel: String(cString: notification.pointee.relname),
                    payload: String(cString: notification.pointee.extra)))
        }
    }

    private func pause(for duration: Duration) {
        let end = ContinuousClock.now + duration
        while closing.reason == nil, ContinuousClock.now < end { wake.sleep(until: end) }
    }
}
