import JSON
import JobFiles
import Postgres
import Testing

/// A position belongs to what was asked.
@Suite struct QuestionTests {
    private static func file(
        path: String = "token", fields: String = World.standardFields, size: Int = 20
    ) -> String {
        World.generic(
            path, page: "style: token, token_at: next_token, size: \(size)",
            query: #"cursor: "{page.token}", since: "{since}""#,
            mode: "newest_wins, newer_by: updated_at",
            incremental: "incremental: { watermark: max_seen }", fields: fields)
    }

    private func forgotten(_ world: World) -> Int {
        world.lines.all.count { $0.contains("position forgotten") }
    }

    @Test func `another account of the user is read in full, and one line says why`() async throws {
        try await withWorld(Self.file(), videos: 55) { world in
            try await world.addUser("bob", videos: 35)
            try await world.drain()
            try await world.given(.attributes(#"{"hub_user_id": "bob"}"#, of: "ann"))
            try await world.runAgain()
            #expect(forgotten(world) == 1)
            #expect(
                try await world.value(
                    """
                    select count(*) from synced.generic_item as i
                    join jobrunner.users as u on u.id = i.user_id where u.key = 'ann'
                    """) == "90")
            try await world.runAgain()
            #expect(forgotten(world) == 1)
        }
    }

    @Test func `an attribute that no request names changes nothing`() async throws {
        try await withSyncedWorld(Self.file(), videos: 55) { world in
            try await world.given(.attributes(#"{"colour": "red"}"#))
            try await world.runAgain()
            #expect(forgotten(world) == 0)
            #expect(try await world.source.asked(by: "ann").count == 4)
        }
    }

    @Test
    func `rows that somebody deleted by hand come again, although nothing changed at the source`()
        async throws
    {
        try await withSyncedWorld(Self.file(), videos: 55) { world in
            try await world.sql("delete from synced.generic_item where seq % 2 = 0")
            try await world.runAgain()
            #expect(try await world.holdsAllItems(of: "ann"))
            try await world.sql("truncate synced.generic_item")
            try await world.runAgain()
            #expect(try await world.holdsAllItems(of: "ann"))
            // Asked for once, not for ever.
            try await world.runAgain()
            #expect(try await world.source.asked(by: "ann").count == 10)
        }
    }

    @Test func `a page that answers 304 proves that page and no other`() async throws {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}""#, conditional: true)
        try await withSyncedWorld(yaml, videos: 55) { world async throws in
            #expect(
                try await world.value("select validator is null from jobrunner.checkpoints")
                    == "true")
        }
    }

    @Test func `a new column is filled by a full pass within the span, and incremental ones go on`()
        async throws
    {
        try await withSyncedWorld(Self.file(), videos: 55) { world in
            // As if the column had been added just now.
            try await world.sql("update synced.generic_item set value = null")
            try await world.given(.newField("value"))
            #expect(
                try await world.value(
                    "select columns_changed #>> '{item,over}' from jobrunner.job_files")
                    == "1d")
            // Its turn has not come: the pass is incremental.
            try await turns(over: "300d", world)
            #expect(
                try await world.value("select count(value) < 20 from synced.generic_item") == "true"
            )
            try await turns(over: "1s", world)
            #expect(try await world.value("select count(value) from synced.generic_item") == "55")
            let asked = try await world.source.asked(by: "ann").count
            try await world.runAgain()
            #expect(try await world.source.asked(by: "ann").count == asked + 1)
        }
    }

    private func turns(over span: String, _ world: World) async throws {
        try await world.given(.columnsFilled(over: span))
        try await world.runAgain()
    }
}
