import Basics
import CLibPQ

/// Asks the server to cancel the running statement, on a thread of its own.
///
/// `PQcancel` blocks for as long as the server's host pleases, so the session's thread waits for it
/// with a limit. It must wait: a cancel that is still on its way would hit the next statement.
/// `@unchecked Sendable`: libpq allows a `PGcancel` to be used from any thread.
final class CancelRequest: @unchecked Sendable {
    private let request: OpaquePointer
    private let done = EventFD()

    init?(of connection: OpaquePointer) {
        guard let request = PQgetCancel(connection) else { return nil }
        self.request = request
    }

    deinit { PQfreeCancel(request) }

    /// Returns when the server has taken the request or the time is over.
    func send(limit: Duration) {
        let deadline = ContinuousClock.now + limit
        let started = startThread { [self] in
            var message = [CChar](repeating: 0, count: 256)
            _ = PQcancel(request, &message, Int32(message.count))
            done.signal()
        }
        guard started else { return }
        while !done.sleep(until: deadline), ContinuousClock.now < deadline {}
    }
}
