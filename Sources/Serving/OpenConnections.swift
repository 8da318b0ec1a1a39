import Glibc
import Synchronization

/// The connections that are open, each for a limited time: who sends his question or takes his answer byte by byte would
/// else hold his connection for as long as he likes.
final class OpenConnections: Sendable {
    private let limit: Duration
    private let ends = Mutex<[Int32: Task<Void, Never>]>([:])

    /// A connection is ended `limit` after it began.
    init(limit: Duration) { self.limit = limit }

    /// How many there are.
    var count: Int { ends.withLock { $0.count } }

    /// A connection begins.
    func add(socket: Int32) {
        ends.withLock { ends in
            ends[socket] = Task { [weak self, limit] in
                guard (try? await Task.sleep(for: limit, clock: .continuous)) != nil else { return }
                self?.end(socket: socket)
            }
        }
    }

    /// A connection's socket is about to be closed.
    func remove(socket: Int32) {
        ends.withLock { $0.removeValue(forKey: socket) }?.cancel()
    }

    /// The server finds the connection at its end and closes it.
    private func end(socket: Int32) {
        ends.withLock { ends in
            // Under the lock, so that the number is not another connection's by now.
            guard !Task.isCancelled, ends[socket] != nil else { return }
            shutdown(socket, Int32(SHUT_RDWR))
        }
    }
}
