import Basics
import CLibPQ
import Glibc
import Synchronization

/// Listens on channels with a session and thread of its own, which reconnects by itself.
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
            closing: closing, wake: wake, listening: listening, continuation: continuation)
        precondition(startThread { loop.run() }, "no thread left for a listener")
    }

    deinit { close() }

    /// Listens, as from the start, or keeps its session without listening.
    ///
    /// A notification wakes every session of its database that listens to any channel.
    public func listens(_ isListening: Bool) {
        if listening.set(isListening) { wake.signal() }
    }

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

/// The listener's thread: connect, listen, wait, and again.
private struct ListenerLoop: Sendable {
    let configuration: DatabaseConfiguration
    let channels: [String]
    let onConnect: @Sendable (Session) throws -> Void
    let closing: Interruption
    let wake: EventFD
    let listening: ListeningRequest
    let continuation: AsyncStream<Listener.Event>.Continuation

    func run() {
        var backoff = Backoff.toConnect
        while closing.reason == nil {
            let session = Session(configuration, wake: wake, counters: Counters())
            session.connection.interruption = closing
            do {
                try session.connectIfNeeded()
                try onConnect(session)
                // Told once even if it is not to listen: the session is there.
                try listen(session)
                backoff = .toConnect
                try receive(session)
            } catch {
                session.connection.close()
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

    /// Passes notifications on until the connection breaks, which throws, or the listener closes.
    private func receive(_ session: Session) throws {
        let handle = try session.connection.opened()
        var isListening = true
        while closing.reason == nil {
            if listening.isListening != isListening {
                isListening.toggle()
                if isListening { try listen(session) } else { try session.script("unlisten *") }
            }
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
