import Runner
import Testing

/// A slow source holds the slots it has to the end of a page, and not to its deadline.
@Suite(.timeLimit(.minutes(10))) struct YieldTests {
    private static let yaml = World.generic(
        "token", page: "style: token, token_at: next_token, size: 20",
        query: #"cursor: "{page.token}""#, deadline: "60s")

    private func addSlowUser(_ world: World, _ key: String, pageTakes milliseconds: Int)
        async throws
    {
        try await world.addUser(key, videos: 195)
        try await world.source.fault(
            #"{"kind": "slow", "delay_ms": \#(milliseconds), "user": "\#(key)", "times": 0}"#)
    }

    @Test func `a run makes room at a page's end for who waited a second, and goes on behind them`()
        async throws
    {
        try await withWorld(Self.yaml) { world in
            try await world.addTenant("other")
            try await addSlowUser(world, "ann", pageTakes: 1500)
            let worker = try await world.start(concurrency: 1)
            try await world.source.waitFor(1, "token")
            try await world.addUser("bob", videos: 15, tenant: "other")
            try await eventually("bob's run ends") {
                try await world.outcomes("bob") == ["complete"]
            }
            #expect(try await world.outcomes("ann") == ["partial yielded"])
            try await world.source.heal()
            let job = try await world.job("ann")
            #expect(job.int("consecutive_failures") == 0 && job.int("stalled_runs") == 0)
            try await eventually("ann's pass ends") {
                try await world.holdsAllItems(of: "ann")
            }
            await worker.stop()
            // No page is asked for twice: the next run goes on behind the last one that was committed.
            let cursors = try await world.source.asked(by: "ann").map(\.cursor)
            #expect(Set(cursors).count == cursors.count && cursors.count == 10)
        }
    }

    @Test func `a run that is alone, or whose tenant alone waits, goes on to its end`() async throws
    {
        try await withWorld(Self.yaml) { world in
            try await addSlowUser(world, "ann", pageTakes: 250)
            try await addSlowUser(world, "bob", pageTakes: 250)
            try await world.drain(concurrency: 1)
            #expect(try await world.outcomes("ann") == ["complete"])
            #expect(try await world.outcomes("bob") == ["complete"])
        }
    }

    @Test func `a tenant with slow runs leaves the reserved slot to others, who start at once`()
        async throws
    {
        try await withWorld(Self.yaml) { world in
            try await world.addTenant("other")
            for number in 1...10 {
                try await addSlowUser(world, "slow\(number)", pageTakes: 600_000)
            }
            let worker = try await world.start(concurrency: 8)
            try await eventually("the slow runs have what they may") {
                try await world.value("select count(*) from jobrunner.running_jobs") == "7"
            }
            try await world.addUser("bob", videos: 15, tenant: "other")
            // While each of the slow ones waits for its first page.
            try await eventually("bob's run ends") {
                try await world.outcomes("bob") == ["complete"]
            }
            #expect(try await world.value("select count(*) from jobrunner.running_jobs") == "7")
            await worker.stop()
        }
    }
}
