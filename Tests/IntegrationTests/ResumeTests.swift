import JSON
import Postgres
import Runner
import Testing

@Suite struct ResumeTests {
    /// Users whose worker goes away while it reads this page.
    private static let pages = [1, 2, 3, 4, 5]

    private func prepare(_ world: World) async throws {
        for page in Self.pages {
            try await world.addUser("u\(page)", videos: 90)
            try await world.source.fault(
                #"{"kind": "hang", "path": "/api/users/*/feed", "user": "u\#(page)", "nth": \#(page)}"#
            )
        }
    }

    private func waitUntilAllHang(_ world: World) async throws {
        try await eventually("every user's page hangs") {
            try await world.source.asked("feed").filter { $0.fault == "hang" }.count
                == Self.pages.count
        }
    }

    /// Each page was asked for once, the one in flight twice, and the rows are those of a clean run.
    private func check(_ world: World, _ outcomes: [String]) async throws {
        for page in Self.pages {
            let feeds = try await world.source.asked("feed", by: "u\(page)")
            var cursors = feeds.map { $0.cursor ?? "" }
            try #require(feeds.count == 6, "u\(page)")
            #expect(cursors[page - 1] == cursors[page], "u\(page)")
            cursors.remove(at: page)
            #expect(Set(cursors).count == 5, "u\(page)")
            #expect(try await world.outcomes("u\(page)") == outcomes, "u\(page)")
            let kept = try await world.source.expected("u\(page)").kept
            #expect(
                try await world.value(
                    "select count(*) from synced.hub_video where user_id = $1",
                    .int8(Int64(world.userID("u\(page)")))) == String(kept))
        }
    }

    private static let yaml = World.metube([("size: 100", "size: 20")])

    @Test func `MH32 stopped at any page, the next run goes on there and asks for no page twice`()
        async throws
    {
        try await withWorld(Self.yaml) { world in
            try await prepare(world)
            let worker = try await world.start()
            try await waitUntilAllHang(world)
            await worker.stop()
            try await world.drain()
            try await check(world, ["partial shutdown", "complete"])
        }
    }

    @Test func `MH32 killed at any page, another worker goes on there and asks for no page twice`()
        async throws
    {
        try await withWorld(Self.yaml) { world in
            try await prepare(world)
            // No slot is left and no heartbeat comes: like a process that is gone.
            let worker = try await world.start(concurrency: Self.pages.count) {
                $0.lease = .seconds(3600)
            }
            try await waitUntilAllHang(world)
            try await world.giveUpWorkers()
            try await world.drain()
            try await check(world, ["partial crashed", "complete"])
            let rows = try await world.rows("select * from jobrunner.checkpoints order by user_id")
            await worker.stop()
            let after = try await world.rows("select * from jobrunner.checkpoints order by user_id")
            #expect(rows.map(\.rawText) == after.map(\.rawText))
        }
    }
}
