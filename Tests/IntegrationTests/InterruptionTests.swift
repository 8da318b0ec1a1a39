import JSON
import Postgres
import Runner
import Testing

@Suite struct InterruptionTests {
    private static func yaml(deadline: String = "10m") -> String {
        World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}""#, deadline: deadline)
    }

    /// ann's third page hangs, and is asked for.
    private func hang(_ world: World, videos: Int = 95) async throws {
        try await world.addUser("ann", videos: videos)
        try await world.source.fault(#"{"kind": "hang", "user": "ann", "nth": 3}"#)
    }

    private func took(_ run: JSONNode?, _ world: World) async throws -> Double {
        Double(
            try await world.value(
                "select extract(epoch from ended_at - started_at) * 1000 from jobrunner.runs where id = $1",
                .int8(Int64(run?.int("id") ?? 0))) ?? "") ?? 0
    }

    @Test
    func `a page that is slower than the deadline is torn down, and the next run starts there`()
        async throws
    {
        try await withWorld(Self.yaml(deadline: "1s"), videos: 95) { world in
            try await world.source.fault(
                #"{"kind": "drip", "bytes": 1, "every_ms": 50, "user": "ann", "nth": 3}"#)
            try await world.drain()
            let runs = try await world.runs("ann")
            #expect(try await world.outcomes("ann") == ["partial deadline", "complete"])
            // The page alone would drip for minutes.
            let milliseconds = try await took(runs.first, world)
            #expect((1000..<30_000).contains(milliseconds), "\(milliseconds) ms")
            let asked = try await world.source.asked()
            try #require(asked.count == 6)
            #expect(asked[3].cursor == asked[2].cursor)
            #expect(try await world.job("ann").int("consecutive_failures") == 0)
            #expect(try await world.holdsAllItems(of: "ann"))
        }
    }

    @Test func `no page is begun when less is left than a page takes`() async throws {
        try await withWorld(Self.yaml(deadline: "5s"), videos: 55) { world in
            try await world.source.fault(#"{"kind": "slow", "delay_ms": 3000, "times": 0}"#)
            try await world.drain()
            // Three pages of 3 s in runs of 5 s: one each, and none is torn down.
            #expect(
                try await world.outcomes("ann")
                    == ["partial deadline", "partial deadline", "complete"])
            let asked = try await world.source.asked()
            #expect(asked.map(\.state) == ["complete", "complete", "complete"])
        }
    }

    @Test func `a cancel ends a run whose page hangs, and what is committed stays`() async throws {
        try await withWorld(Self.yaml()) { world in
            try await hang(world)
            let worker = try await world.start()
            try await world.source.waitFor(3, "token")
            #expect(try await world.value("select jobrunner.cancel_jobs('acme', 'ann')") == "1")
            try await eventually("the run ends") { try await world.runs("ann").count >= 1 }
            #expect(
                try await world.value("select (due_at > now())::text from jobrunner.jobs") == "true"
            )
            #expect(try await world.enqueue("ann") == "due")
            try await eventually("it goes on") { try await world.holdsAllItems(of: "ann") }
            await worker.stop()
            #expect(try await world.outcomes("ann") == ["partial cancelled", "complete"])
            let log = try await world.source.asked()
            try #require(log.count == 6)
            #expect(log[3].cursor == log[2].cursor)
            try await eventually("the hub sees its peer leave") {
                try await world.source.asked()[2].state == "cut"
            }
        }
    }

    @Test func `a stopped worker tears its runs down as partial and due again`() async throws {
        try await withWorld(Self.yaml()) { world in
            try await hang(world)
            let worker = try await world.start()
            try await world.source.waitFor(3, "token")
            await worker.stop()
            #expect(try await world.outcomes("ann") == ["partial shutdown"])
            #expect(try await world.value("select due_at <= now() from jobrunner.jobs") == "true")
            #expect(try await world.job("ann").int("crashes") == 0)
            #expect(
                try await world.value("select end_reason from jobrunner.workers") == "stopped")
        }
    }

    @Test func `a pause ends the run and nothing starts until it is lifted`() async throws {
        try await withWorld(Self.yaml()) { world in
            try await hang(world)
            let worker = try await world.start()
            try await world.source.waitFor(3, "token")
            try await world.sql("select jobrunner.pause_jobs('acme', 'ann')")
            try await eventually("the run ends") {
                try await world.job("ann").text("state") == "paused"
            }
            #expect(try await world.outcomes("ann") == ["partial cancelled"])
            try await world.given(.due())
            try await world.drain()
            #expect(try await world.source.asked().count == 3)
            try await world.sql("select jobrunner.resume_jobs('acme', 'ann')")
            try await eventually("it goes on") { try await world.holdsAllItems(of: "ann") }
            await worker.stop()
        }
    }

    @Test func `a reset during a run ends it and its page in flight is not written`() async throws {
        try await withWorld(Self.yaml(), videos: 95) { world in
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 600, "user": "ann", "nth": 3}"#)
            try await world.keepTrail()
            let worker = try await world.start()
            try await world.source.waitFor(3, "token")
            try await world.sql("select jobrunner.reset_jobs('acme', 'ann')")
            try await eventually("both runs") { try await world.runs("ann").count >= 2 }
            await worker.stop()
            #expect(try await world.outcomes("ann") == ["partial reset", "complete"])
            #expect(try await world.runs("ann").map { $0.int("pages") } == [2, 5])
            #expect(try await world.runs("ann").last?.int("inserted") == 55)
            let asked = try await world.source.asked()
            try #require(asked.count == 8)
            #expect(asked[3].cursor == nil)
        }
    }

    @Test func `a shutdown while jobs are being claimed leaves none behind as crashed`()
        async throws
    {
        try await withWorld(Self.yaml()) { world in
            for number in 0..<30 { try await world.addUser("u\(number)", videos: 1) }
            for _ in 0..<6 {
                try await world.makeDue()
                let worker = try await world.start(concurrency: 3)
                try await eventually("it claims") {
                    try await world.value(
                        "select exists (select from jobrunner.workers where ended_at is null)")
                        == "true"
                }
                await worker.stop()
                #expect(
                    try await world.value(
                        "select count(*) from jobrunner.jobs where worker_id is not null")
                        == "0")
            }
            try await world.drain()
            #expect(
                try await world.value(
                    "select count(*) from jobrunner.runs where error_kind = 'crashed'") == "0")
        }
    }

    /// Nothing but the notification tells of the pause: the worker looks for itself once an hour.
    @Test(arguments: ["retry", "rate"])
    func `ST4 a cancel ends a wait, and the source is not asked again`(_ wait: String) async throws
    {
        let slow = [("per_second: 100000", "per_second: 1")]
        try await withSports("\"records\": 30", changes: wait == "rate" ? slow : []) { world in
            if wait == "retry" {
                try await world.source.fault(
                    #"{"kind": "throttle", "retry_after": 20, "times": 0}"#)
            }
            // Counted while nothing runs: a count after the resume may have the new request in it.
            var before = try await world.queries().count
            let worker = try await world.start { $0.supervision = .seconds(3600) }
            // Fewer than the job has entities, of which each attempt may read one.
            for attempt in 1...5 {
                try await eventually("it asks") {
                    try await world.queries().count > before
                }
                try await world.sql("select jobrunner.pause_jobs('acme', '*')")
                try await eventually("the run ends") {
                    try await world.job("*").text("state") == "paused"
                }
                #expect(try await world.outcomes("*").count == attempt)
                if wait == "retry" { #expect(try await world.queries().count == before + 1) }
                before = try await world.queries().count
                try await world.sql("select jobrunner.resume_jobs('acme', '*')")
            }
            await worker.stop()
            #expect(
                Set(try await world.outcomes("*")).isSubset(of: [
                    "partial cancelled", "partial shutdown",
                ]))
        }
    }
}
