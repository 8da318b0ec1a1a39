import Glibc
import Synchronization

/// The connections that are open, each for a limited time: who sends his question or takes his answer byte by byte would
/// else hold his connection for as long as he likes.
///
/// There are more places than are meant to be used. Where too many connections are open, one is ended at once whose
/// question has not come, the oldest first, so that whoever asks in one piece is heard, however many others do not.
final class OpenConnections: Sendable {
    private struct Connection {
        var end: Task<Void, Never>
        /// Counts the connections.
        var number: UInt64
        /// The head of its question is here.
        var hasAsked = false
        /// It was told to end, and is open until the server sees that.
        var isEnded = false
    }

    private struct State {
        var open: [Int32: Connection] = [:]
        var opened: UInt64 = 0
    }

    private let limits: ServerLimits
    private let state = Mutex(State())

    init(_ limits: ServerLimits) { self.limits = limits }

    /// How many there are.
    var count: Int { state.withLock { $0.open.count } }

    /// A connection begins.
    func add(socket: Int32) {
        state.withLock { state in
            state.opened += 1
            state.open[socket] = Connection(
                end: ending(socket, after: limits.head), number: state.opened)
            let left = state.open.filter { !$0.value.isEnded }
            guard left.count > limits.connections else { return }
            let first = left.min {
                ($0.value.hasAsked ? 1 : 0, $0.value.number)
                    < ($1.value.hasAsked ? 1 : 0, $1.value.number)
            }
            guard let first else { return }
            state.open[first.key]?.isEnded = true
            shutdown(first.key, Int32(SHUT_RDWR))
        }
    }

    /// The head of a connection's question has come.
    func ask(socket: Int32) {
        state.withLock { state in
            guard let connection = state.open[socket], !connection.hasAsked else { return }
            connection.end.cancel()
            state.open[socket]?.hasAsked = true
            state.open[socket]?.end = ending(socket, after: limits.connection)
        }
    }

    /// A connection's socket is about to be closed.
    func remove(socket: Int32) {
        state.withLock { $0.open.removeValue(forKey: socket) }?.end.cancel()
    }

    /// The server finds the connection at its end and closes it.
    private func ending(_ socket: Int32, after limit: Duration) -> Task<Void, Never> {
        Task { [weak self] in
            guard (try? await Task.sleep(for: limit, clock: .continuous)) != nil else { return }
            self?.state.withLock { state in
                // Under the lock, so that the number is not another connection's by now.
                guard !Task.isCancelled, state.open[socket] != nil else { return }
                shutdown(socket, Int32(SHUT_RDWR))
            }
        }
    }
}
