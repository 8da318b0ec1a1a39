import JSON
import Postgres
import Testing

@Suite("Full passes, sweeps, tombstones")
struct PassesTests {
    private static func yaml(
        _ path: String = "token", write: String = "overwrite, deletes: { sweep: after_full_pass }",
        incremental: String = "", page: String = ""
    ) -> String {
        World.generic(
            path, page: "style: token, token_at: next_token, size: 20\(page)",
            query: #"cursor: "{page.token}""#, mode: write, incremental: incremental)
    }

    private func remove(_ count: Int, _ world: World, tombstone: Bool = false) async throws {
        try await world.source.command(
            "POST", "change",
            #"{"user": "ann", "op": "remove", "count": \#(count), "tombstone": \#(tombstone)}"#)
    }

    @Test func `the second full pass that lacks a row deletes it, and counts it`() async throws {
        try await withSyncedWorld(Self.yaml(), videos: 95) { world in
            try await remove(7, world)
            try await world.runAgain()
            #expect(try await world.value("select count(*) from synced.generic_item") == "95")
            try await world.runAgain()
            #expect(try await world.value("select count(*) from synced.generic_item") == "88")
            #expect(try await world.holdsAllItems(of: "ann"))
            let run = try #require(try await world.runs("ann").last)
            #expect(run.int("swept") == 7)
            #expect(run.int("fetched") == 88)
            #expect(world.lines.all.contains { $0.contains("info") && $0.contains("deleted=7") })
            // What is the entity's own is known by the last pass alone.
            #expect(
                try await world.value(
                    "select count(distinct pass_number) from jobrunner.seen_pages")
                    == "1")
        }
    }

    @Test func `a sweep beyond its fraction deletes nothing and says so`() async throws {
        let write = "overwrite, deletes: { sweep: after_full_pass, max_fraction: 0.2 }"
        try await withSyncedWorld(Self.yaml(write: write), videos: 95) { world in
            try await remove(30, world)
            try await world.runAgain()
            try await world.runAgain()
            #expect(try await world.value("select count(*) from synced.generic_item") == "95")
            let checkpoint = try await world.checkpoint("ann")
            let trouble = checkpoint["troubles"]?["sweep_refused"]
            #expect(trouble?.text("error")?.contains("30 of 95 rows") == true)
            #expect(checkpoint.isNull("last_error_kind"))
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }

    @Test func `replace_all deletes whatever two passes do not show`() async throws {
        try await withSyncedWorld(Self.yaml(write: "replace_all"), videos: 95) { world in
            try await remove(90, world)
            try await world.runAgain()
            try await world.runAgain()
            #expect(try await world.value("select count(*) from synced.generic_item") == "5")
        }
    }

    @Test func `a pass that yields keeps what its pages showed for the sweep at its end`()
        async throws
    {
        try await withSyncedWorld(Self.yaml(page: ", max_pages: 2"), videos: 95) { world in
            try await remove(3, world)
            try await world.runAgain()
            try await world.runAgain()
            let outcomes = try await world.outcomes("ann")
            #expect(outcomes.count { $0 == "partial page_cap" } == 6)
            #expect(try await world.holdsAllItems(of: "ann"))
            #expect(try await world.value("select count(*) from synced.generic_item") == "92")
        }
    }

    @Test func `a tombstone in an ordinary page deletes its row and moves the watermark`()
        async throws
    {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}", since: "{since}""#,
            mode: "newest_wins, newer_by: updated_at, deletes: { flag_at: deleted }",
            incremental: "incremental: { watermark: max_seen }")
        try await withSyncedWorld(yaml, videos: 95) { world in
            let before = try await world.checkpoint("ann").text("watermark")
            try await remove(5, world, tombstone: true)
            try await world.runAgain()
            let run = try #require(try await world.runs("ann").last)
            #expect(run.int("deleted") == 5)
            #expect(try await world.value("select count(*) from synced.generic_item") == "90")
            #expect(try await world.holdsAllItems(of: "ann"))
            #expect(try await world.checkpoint("ann").text("watermark") != before)
            // A tombstone that comes again, for a row that is gone, is no change.
            try await world.runAgain()
            #expect(try await world.runs("ann").count == 2)
        }
    }

    @Test func `full_every reads everything again when its time has come`() async throws {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}", since: "{since}""#,
            mode: "newest_wins, newer_by: updated_at, deletes: { sweep: after_full_pass }",
            incremental: "incremental: { watermark: max_seen, full_every: 24h }")
        try await withSyncedWorld(yaml, videos: 95) { world in
            try await remove(5, world)
            try await world.runAgain()
            #expect(try await world.value("select count(*) from synced.generic_item") == "95")
            for _ in 1...2 {
                try await world.makeStale("25 hours")
                try await world.runAgain()
            }
            #expect(try await world.value("select count(*) from synced.generic_item") == "90")
        }
    }
}
