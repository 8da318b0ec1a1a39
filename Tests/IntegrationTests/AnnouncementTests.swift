import Postgres
import Runner
import Testing

/// What every worker learns, whether it listens or not.
@Suite struct AnnouncementTests {
    /// No rescan comes to their help: it is ten minutes away.
    @Test func `workers that do not listen, too, take what a resumed tenant has due`() async throws
    {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}""#)
        try await withWorld(yaml) { world in
            for number in 1...10 { try await world.addUser("u\(number)", videos: 3) }
            try await world.given(.due(for: "1 hour"))
            try await world.sql("select jobrunner.pause_jobs('acme')")
            // A run keeps its slot until the end of the test.
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 60000, "times": 0, "path": "/generic"}"#)
            var workers: [RunningWorker] = []
            for _ in 1...10 {
                workers.append(
                    try await world.start(concurrency: 1) { $0.maintenance = .seconds(600) })
            }
            try await eventually("ten workers know their ranks") {
                try await world.value(
                    "select count(*) from jobrunner.workers where heartbeat_at > started_at")
                    == "10"
            }
            try await world.sql("select jobrunner.resume_jobs('acme')")
            try await eventually("each of them has a job") {
                try await world.value(
                    "select count(distinct worker_id) from jobrunner.claims"
                ) == "10"
            }
            for worker in workers { await worker.stop() }
        }
    }
}
