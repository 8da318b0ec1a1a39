import Basics
import CLibPQ

/// Asks the server to cancel the running statement, on a thread of its own.
///
/// `PQcancel` blocks for as long as the server's host pleases, so the session's thread waits for it
/// with a limit. It must wait: a cancel that is still on its way would hit the next statement.
/// `@unchecked Sendable`: libpq allows a `PGcancel` to be used from any thread.
final class CancelRequest: @unchecked Sendable {
    private let request: OpaquePointer
    /// No descriptor of its own: where there is none left, a cancel must not end the process.
    private let done = Monitor(false)

    init?(of connection: OpaquePointer) {
        guard let request = PQgetCancel(connection) else { return nil }
        self.request = request
    }

    deinit { PQfreeCancel(request) }

    /// Returns when the server has taken the request or the time is over.
    func send(limit: Duration) {
        let started = startThread { [self] in
            var message = [CChar](repeating: 0, count: 256)
            _ = PQcancel(request, &message, Int32(message.count))
            done.withLock { $0 = true }
            done.signal()
        }
        guard started else { return }
        _ = done.wait(atMost: limit) { $0 ? true : nil }
    }
}
