import CLibPQ
import Glibc

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

/// Runs `body` on a new detached thread, which may block; false when there is none to be had.
func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(ThreadBody(body))
    var thread = pthread_t()
    let failure = pthread_create(&thread, nil, threadMain, box.toOpaque())
    guard failure == 0 else {
        box.release()
        return false
    }
    pthread_detach(thread)
    return true
}

private func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}
