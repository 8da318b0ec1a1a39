import JobQueue
import Postgres

extension Queue {
    /// A heartbeat of a worker whose lease is 15 s.
    func beat(
        worker: Int, running: Int = 0, isDraining: Bool = false
    ) async throws -> Heartbeat {
        let beat = BeatOfWorker(
            worker: worker, running: running, isDraining: isDraining, lease: .seconds(15))
        return try await database.run(deadline: .now + .seconds(10)) { try beat.send(on: $0) }
    }
}
