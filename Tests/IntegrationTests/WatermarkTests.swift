import JSON
import Postgres
import Testing

@Suite struct WatermarkTests {
    @Test func `MH17 a pass is full when the user has no videos although there is a watermark`()
        async throws
    {
        try await withWorld(videos: 30) { world in
            try await world.addUser("bob", videos: 30)
            try await world.drain()
            let watermark = try #require(try await world.checkpoint("bob").int("watermark_s"))
            try await world.sql(
                "delete from synced.hub_video where user_id = $1", .int8(Int64(world.userID("ann")))
            )
            try await world.runAgain()
            let ann = try await world.source.asked("feed", by: "ann")
            #expect(ann.map(\.since) == [nil, nil])
            #expect(try await world.runs("ann").count == 2)
            let bob = try await world.source.asked("feed", by: "bob")
            try #require(bob.count == 2)
            let since = try await world.value(
                "select extract(epoch from $1::timestamptz)::bigint", .text(bob[1].since ?? ""))
            #expect(bob[0].since == nil)
            #expect(since == String(watermark - 7200))
        }
    }

    @Test func `MH18 the watermark is the start of a complete pass by the source's clock`()
        async throws
    {
        try await withWorld(videos: 150) { world in
            try await world.addUser("bob", videos: 150)
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 2100, "path": "/api/users/*/feed", "user": "ann", "nth": 2}"#
            )
            try await world.source.fault(
                #"{"kind": "status", "status": 400, "path": "/api/users/*/feed", "user": "bob", "nth": 2}"#
            )
            try await world.drain()
            // The clock that the source's Date is of lags by a tick of the kernel at most.
            let begin = (try #require(try await world.source.asked().first).unix - 10) / 1000
            let watermark = try #require(try await world.checkpoint("ann").int("watermark_s"))
            #expect((begin...begin + 1).contains(watermark))
            #expect(try await world.outcomes("ann") == ["complete"])
            // What is not complete moves nothing.
            #expect(try await world.checkpoint("bob").isNull("watermark"))
            #expect(try await world.checkpoint("bob").int("page_number") == 1)
        }
    }

    @Test func `MH27 after a reset the next run is full and registers again`() async throws {
        try await withSyncedWorld(videos: 30) { world in
            try await world.runAgain()
            #expect(try await world.source.asked("feed").last?.since != nil)
            try await world.sql("select jobrunner.reset_jobs('acme', 'ann')")
            #expect(try await world.checkpoint("ann").isNull("watermark"))
            try await world.runAgain()
            #expect(try await world.source.asked("feed").last?.since == nil)
            #expect(try await world.source.asked("channels").count == 2)
            #expect(try await world.checkpoint("ann").text("watermark") != nil)
        }
    }
}
