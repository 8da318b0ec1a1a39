import JSON
import Postgres
import Testing

@Suite struct ScheduleTests {
    @Test func `MH25 a start while the job runs is one more run after it, never a second at once`()
        async throws
    {
        try await withWorld(videos: 150) { world in
            // Long enough for twenty enqueues on a busy machine.
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 1000, "path": "/api/users/*/feed", "times": 0}"#)
            let workers = [try await world.start(), try await world.start()]
            try await world.source.waitFor(1, "feed")
            for _ in 0..<20 {
                #expect(try await world.enqueue("ann") == "follows_running")
            }
            try await eventually("two runs") { try await world.runs("ann").count == 2 }
            try await eventually("rest") { try await world.job("ann").text("state") == "waiting" }
            for worker in workers { await worker.stop() }
            // Single flight: an entry's request came after the one before it had been answered.
            let runs = try await world.rows(
                """
                select id, started_at, ended_at,
                  started_at >= lag(ended_at) over (order by id) as follows
                from jobrunner.runs order by id
                """)
            #expect(runs.count == 2 && runs.last?["follows"]?.bool == true)
            #expect(try await world.outcomes("ann") == ["complete", "complete"])
            let feeds = try await world.source.asked("feed")
            #expect(feeds.count == 3)
            for (one, next) in zip(feeds, feeds.dropFirst()) {
                #expect(next.monotonic - one.monotonic >= 1000)
            }
        }
    }

    @Test func `MH26 a job is due when it never ran or an hour after, and force ignores that`()
        async throws
    {
        try await withWorld(videos: 20) { world in
            #expect(try await world.value("select due_at <= now() from jobrunner.jobs") == "true")
            try await world.drain()
            let asked = try await world.source.asked().count
            #expect(asked == 4)
            #expect(
                try await world.value(
                    "select due_at > now() and due_at <= now() + interval '1 hour' from jobrunner.jobs"
                )
                    == "true")
            try await world.drain()
            #expect(try await world.source.asked().count == asked)
            #expect(try await world.enqueue("ann", force: true) == "due")
            try await world.drain()
            #expect(try await world.source.asked().count > asked)
            try await world.given(.waited("1 hour"))
            try await world.drain()
            #expect(try await world.source.asked("feed").count == 3)
        }
    }

    @Test func `MH26 force does not break into a run`() async throws {
        try await withWorld(videos: 20) { world in
            try await world.source.fault(#"{"kind": "hang", "path": "/api/users/*/feed"}"#)
            let worker = try await world.start()
            try await world.source.waitFor(1, "feed")
            #expect(try await world.enqueue("ann", force: true) == "follows_running")
            #expect(try await world.source.asked("feed").count == 1)
            await worker.stop()
        }
    }

    @Test func `MH28 reconcile is called at most every 15 minutes and ignored by none but force`()
        async throws
    {
        try await withWorld(videos: 20) { world in
            func reconciled() async throws -> Int {
                try await world.source.asked("reconcile").count
            }
            try await world.drain()
            try await world.runAgain()
            #expect(try await reconciled() == 1)
            try await world.given(.called("reconcile", ago: "14 min"))
            try await world.runAgain()
            #expect(try await reconciled() == 1)
            try await world.given(.called("reconcile", ago: "15 min"))
            try await world.runAgain()
            #expect(try await reconciled() == 2)
            try await world.enqueue("ann", force: true)
            try await world.drain()
            #expect(try await reconciled() == 3)
        }
    }

    @Test func `MH28 a reconcile that fails is only a warning and is asked again in the next run`()
        async throws
    {
        try await withWorld(videos: 20) { world in
            try await world.source.fault(
                #"{"kind": "status", "status": 500, "path": "/api/users/*/reconcile", "times": 3}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["complete"])
            let warnings = world.lines.all.filter { $0.contains("call warned") }
            #expect(warnings.count == 1 && warnings.allSatisfy { $0.contains("reconcile") })
            try await world.runAgain()
            #expect(
                try await world.source.asked("reconcile").map(\.status) == [500, 500, 500, 200])
        }
    }
}
