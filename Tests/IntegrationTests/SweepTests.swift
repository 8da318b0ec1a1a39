import JSON
import Postgres
import Testing

/// A pass deletes only what its own entity showed, and only what a second look confirms.
@Suite struct SweepTests {
    private static func file(_ incremental: String = "") -> String {
        World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}", since: "{since}""#,
            mode: "newest_wins, newer_by: updated_at, deletes: { sweep: after_full_pass }",
            incremental: incremental.isEmpty
                ? "" : "incremental: { watermark: max_seen, \(incremental) }")
    }

    private static let plain = World.generic(
        "token", page: "style: token, token_at: next_token, size: 20",
        query: #"cursor: "{page.token}""#, mode: "overwrite, deletes: { sweep: after_full_pass }")

    private func change(_ op: String, _ count: Int, _ world: World) async throws {
        try await world.source.command(
            "POST", "change",
            #"{"user": "ann", "op": "\#(op)", "\#(op == "add" ? "videos" : "count")": \#(count)}"#)
    }

    private func rows(_ world: World) async throws -> String? {
        try await world.value("select count(*) from synced.generic_item")
    }

    /// An answer of 200 whose list is empty.
    private func emptyOnce(_ world: World) async throws {
        try await world.source.fault(
            #"{"kind": "status", "status": 200, "body": "{\"items\": [], \"next_token\": null}"}"#)
    }

    @Test
    func
        `an empty answer deletes nothing, is told at once, and is forgotten when the rows are there again`()
        async throws
    {
        try await withSyncedWorld(Self.plain, videos: 55) { world in
            try await emptyOnce(world)
            try await world.runAgain()
            #expect(try await rows(world) == "55")
            #expect(try await world.troubles("ann") == ["sweep_held"])
            #expect(world.lines.all.count { $0.contains("sweep refused") } == 1)
            try await world.runAgain()
            #expect(try await world.troubles("ann") == [])
            // Not in a row.
            try await emptyOnce(world)
            try await world.runAgain()
            #expect(try await rows(world) == "55")
        }
    }

    @Test func `a person who empties a list is followed by the second full pass`() async throws {
        try await withSyncedWorld(Self.plain, videos: 55) { world in
            try await change("remove", 55, world)
            try await world.runAgain()
            #expect(try await rows(world) == "55")
            try await world.runAgain()
            #expect(try await rows(world) == "0")
        }
    }

    @Test func `a row that no pass of the entity has shown is not its own to delete`() async throws
    {
        try await withSyncedWorld(Self.plain, videos: 55) { world in
            try await world.sql(
                """
                insert into synced.generic_item (user_id, id, seq, name)
                select user_id, 'of somebody else', 1, 'x' from synced.generic_item limit 1
                """)
            for _ in 1...3 { try await world.runAgain() }
            #expect(try await rows(world) == "56")
        }
    }

    @Test
    func `what an incremental pass added is the entity's own and goes when full passes lack it`()
        async throws
    {
        try await withSyncedWorld(Self.file("full_every: 24h"), videos: 55) { world in
            try await change("add", 3, world)
            try await world.runAgain()
            #expect(try await rows(world) == "58")
            #expect(try await world.holdsAllItems(of: "ann"))
            try await change("remove", 58, world)
            for _ in 1...2 {
                try await world.makeStale("25 hours")
                try await world.runAgain()
            }
            #expect(try await rows(world) == "0")
        }
    }

    @Test func `a pass that was cut short and begun anew forgets nothing of what is its own`()
        async throws
    {
        try await withWorld(Self.plain, videos: 55) { world in
            // The first pass ends in a failure behind its first page, and is asked for anew.
            try await world.source.fault(
                #"{"kind": "status", "status": 500, "nth": 2, "times": 3}"#)
            try await world.drain()
            try await change("remove", 55, world)
            try await world.given(.fullAsked())
            for _ in 1...2 {
                try await world.runAgain()
            }
            #expect(try await rows(world) == "0")
        }
    }

    private static let confirmed = plain.replacing(
        "sweep: after_full_pass",
        with:
            #"sweep: after_full_pass, confirm: { path: "/generic/{user.hub_user_id}/item/{row.id}" }"#
    )

    private func looks(_ world: World) async throws -> Int {
        try await world.source.log().count { $0.text("path")?.contains("/item/") == true }
    }

    @Test
    func `a row goes with the first full pass that lacks it, when the source says that it is gone`()
        async throws
    {
        try await withSyncedWorld(Self.confirmed, videos: 55) { world in
            try await change("remove", 3, world)
            try await world.runAgain()
            #expect(try await rows(world) == "52")
            #expect(try await world.holdsAllItems(of: "ann"))
            // One look at a record that the list has shown goes before.
            #expect(try await looks(world) == 4)
            #expect(try await world.runs("ann").last?.int("swept") == 3)
            try await world.runAgain()
            #expect(try await looks(world) == 4)
        }
    }

    @Test func `a row that the source has stays, however often a list does not show it`()
        async throws
    {
        try await withSyncedWorld(Self.confirmed, videos: 55) { world in
            for _ in 1...2 {
                try await emptyOnce(world)
                try await world.runAgain()
                #expect(try await rows(world) == "55")
            }
            // The first empty list is not believed, so that nothing is asked for.
            #expect(try await looks(world) == 55)
        }
    }

    @Test func `a path to one record that leads nowhere deletes nothing and fails by name`()
        async throws
    {
        let file = Self.confirmed.replacing("/item/{row.id}", with: "/itme/{row.id}")
        try await withSyncedWorld(file, videos: 55) { world in
            try await change("remove", 3, world)
            for _ in 1...3 { try await world.runAgain() }
            #expect(try await rows(world) == "55")
            let error = try await world.job("ann").text("last_error") ?? ""
            #expect(error.contains("deletes.confirm") && error.contains("path must lead to"))
        }
    }

    @Test func `a source that knows nothing any more is believed at its second full pass`()
        async throws
    {
        let nowhere = Self.confirmed.replacing("/item/{row.id}", with: "/itme/{row.id}")
        try await withSyncedWorld(nowhere, videos: 55) { world in
            try await emptyOnce(world)
            try await world.runAgain()
            #expect(try await rows(world) == "55")
            #expect(try await world.troubles("ann") == ["sweep_held"])
            try await world.runAgain()
            #expect(try await rows(world) == "55")
            for _ in 1...2 { try await emptyOnce(world); try await world.runAgain() }
            #expect(try await rows(world) == "0")
        }
    }

    @Test func `where the source does not answer for a record, nothing goes`() async throws {
        try await withSyncedWorld(Self.confirmed, videos: 55) { world in
            try await change("remove", 1, world)
            try await world.source.fault(
                #"{"kind": "status", "status": 403, "path": "/generic/ann/item/*", "times": 1}"#)
            try await world.runAgain()
            #expect(try await rows(world) == "55")
            #expect(try await world.job("ann").text("last_outcome") != "complete")
            // The list was read to its end in this period; the next full pass asks again.
            for _ in 1...2 { try await world.runAgain() }
            #expect(try await rows(world) == "54")
        }
    }

    @Test func `what a pass without an end has shown is not lacking in a row`() async throws {
        try await withSyncedWorld(Self.plain, videos: 55) { world in
            try await emptyOnce(world)
            try await world.runAgain()
            // Its first page shows twenty rows, and then it is begun anew.
            try await world.source.fault(#"{"kind": "status", "status": 400, "nth": 2}"#)
            try await world.runAgain()
            try await emptyOnce(world)
            try await world.given(.fullAsked())
            try await world.runAgain()
            #expect(try await rows(world) == "20")
        }
    }

    @Test func `a source that says that nothing has changed since is asked for the second look`()
        async throws
    {
        let file = World.generic(
            "single", page: "style: single", mode: "overwrite, deletes: { sweep: after_full_pass }",
            conditional: true
        ).replacing(#"query: { limit: "{page.size}" }"#, with: "")
        try await withSyncedWorld(file, videos: 15) { world in
            try await change("remove", 2, world)
            for stored in ["15", "13"] {
                try await world.runAgain()
                #expect(try await rows(world) == stored)
            }
            // And then 304 is believed again.
            for _ in 1...2 { try await world.runAgain() }
            #expect(try await world.source.log().last?.int("status") == 304)
        }
    }
}
