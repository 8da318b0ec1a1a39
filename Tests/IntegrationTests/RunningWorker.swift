import Postgres
import Runner
import Synchronization

/// A worker at work in this process, until it is stopped.
final class RunningWorker: Sendable {
    /// Its own pool, for what it asks of the network.
    let database: Database
    private let signals: AsyncStream<WorkerSignal>.Continuation
    private let task: Task<WorkerEnd, Never>

    init(_ worker: Worker, database: Database) {
        self.database = database
        let (stream, continuation) = AsyncStream.makeStream(of: WorkerSignal.self)
        signals = continuation
        task = Task { await worker.run(stream) }
    }

    /// As SIGTERM does; returns when the worker has left.
    func stop() async {
        signals.yield(.stop)
        _ = await task.value
    }

    @discardableResult
    func ended() async -> WorkerEnd { await task.value }

    /// Like `ended`, but a worker that has not ended by itself after so long is stopped; nil then.
    func ended(within span: Duration) async -> WorkerEnd? {
        let isLate = Mutex(false)
        let watch = Task {
            try await Task.sleep(for: span, clock: .continuous)
            isLate.withLock { $0 = true }
            signals.yield(.stop)
        }
        let end = await task.value
        watch.cancel()
        return isLate.withLock { $0 } ? nil : end
    }
}
