import JSON
import JobFiles
import Postgres
import Testing

/// Nothing that a source says moves a committed position ahead of what was surely read.
@Suite struct AheadTests {
    private static func file(
        _ watermark: String, mode: String = "newest_wins, newer_by: updated_at"
    ) -> String {
        World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}", since: "{since}""#, mode: mode,
            incremental: "incremental: { watermark: \(watermark), overlap: 1m }",
            fields: World.standardFields.replacing(
                "updated_at, type: timestamp }",
                with: "updated_at, type: timestamp, required: true }"))
    }

    private func watermarkIsAhead(_ world: World) async throws -> String? {
        try await world.value("select watermark::timestamptz > now() from jobrunner.checkpoints")
    }

    /// The next answer holds one record of a time, and is dated.
    private func answer(_ world: World, at time: String, date: String? = nil) async throws {
        let headers = date.map { #", "headers": {"Date": "\#($0)"}"# } ?? ""
        let body = #"{\"items\": [{\"id\": \"odd\", \"seq\": 1, \"updated_at\": \"\#(time)\"}]}"#
        try await world.source.fault(
            #"{"kind": "status", "status": 200, "body": "\#(body)"\#(headers)}"#)
    }

    private func edit(_ world: World) async throws {
        try await world.source.command(
            "POST", "change", #"{"user": "ann", "op": "edit", "count": 3, "name": "new"}"#)
    }

    private func edited(_ world: World) async throws -> String? {
        try await world.value("select count(*) from synced.generic_item where name = 'new'")
    }

    @Test func `a record of 2099 is stored, told once, and holds nothing back`() async throws {
        try await withSyncedWorld(Self.file("max_seen"), videos: 15) { world in
            for _ in 1...2 {
                try await answer(world, at: "2099-01-01T00:00:00Z")
                try await world.runAgain()
                #expect(try await watermarkIsAhead(world) == "false")
            }
            #expect(
                try await world.value("select count(*) from synced.generic_item where id = 'odd'")
                    == "1")
            #expect(world.lines.all.count { $0.contains("record ahead") } == 1)
            #expect(
                try await world.value(
                    "select record_failures @> '[{\"code\": \"AHEAD\"}]' from jobrunner.checkpoints"
                ) == "true")
            try await edit(world)
            try await world.runAgain()
            #expect(try await edited(world) == "3")
        }
    }

    @Test(arguments: ["run_start", "max_seen"])
    func `a source whose clock is ahead moves no position ahead of ours`(_ watermark: String)
        async throws
    {
        let mode = watermark == "run_start" ? "overwrite" : "newest_wins, newer_by: updated_at"
        try await withWorld(Self.file(watermark, mode: mode), videos: 15) { world in
            try await answer(
                world, at: "2026-01-01T00:00:00Z", date: "Thu, 01 Jan 2099 00:00:00 GMT")
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["complete"])
            #expect(try await watermarkIsAhead(world) == "false")
            #expect(
                try await world.value("select last_full_at <= now() from jobrunner.checkpoints")
                    == "true")
            try await edit(world)
            try await world.runAgain()
            #expect(try await edited(world) == "3")
        }
    }

    @Test(arguments: ["watermark", "pass"])
    func `a stored position that lies ahead is brought back by a full pass, and told`(
        _ what: String
    ) async throws {
        try await withSyncedWorld(Self.file("max_seen"), videos: 55) { world in
            // Three of them the source changed behind our back while we asked for what comes after 2099.
            try await edit(world)
            let ahead =
                what == "watermark"
                ? Given.watermark("2099-01-01T00:00:00Z") : .passing(since: "2099-01-01T00:00:00Z")
            try await world.given(ahead)
            try await world.runAgain()
            #expect(try await edited(world) == "3")
            #expect(try await watermarkIsAhead(world) == "false")
            #expect(world.lines.all.count { $0.contains("position forgotten") } == 1)
            #expect(
                try await world.value(
                    "select last_full_at > now() - interval '5 min' from jobrunner.checkpoints")
                    == "true")
            let asked = try await world.source.asked().count
            try await world.runAgain()
            #expect(try await world.source.asked().count == asked + 1)
        }
    }

    @Test func `a full pass that brings a position back goes on from run to run, and is told once`()
        async throws
    {
        let yaml = Self.file("max_seen").replacing("size: 20", with: "size: 20, max_pages: 1")
        try await withSyncedWorld(yaml, videos: 95) { world in
            try await edit(world)
            try await world.given(.watermark("2099-01-01T00:00:00Z"))
            let asked = try await world.source.asked().count
            try await world.makeDue()
            let worker = try await world.start()
            try await eventually("the pass comes to its end") {
                try await watermarkIsAhead(world) == "false"
            }
            await worker.stop()
            #expect(try await edited(world) == "3")
            #expect(try await world.source.asked().count == asked + 5)
            #expect(world.lines.all.count { $0.contains("position forgotten") } == 1)
        }
    }

    @Test func `a keyset's time that lies ahead is read on from, and not kept`() async throws {
        let yaml = World.generic(
            "single",
            page:
                #"style: keyset, by: updated_at, start: "1970-01-01T00:00:00Z", persist: true, size: 20"#,
            query: #"since: "{page.token}""#,
            fields: World.standardFields.replacing(
                "updated_at, type: timestamp }",
                with: "updated_at, type: timestamp, required: true }"))
        try await withWorld(yaml, videos: 5) { world in
            try await answer(world, at: "2099-01-01T00:00:00Z")
            try await world.drain()
            #expect(
                try await world.value("select count(*) from synced.generic_item where id = 'odd'")
                    == "1")
            #expect(
                try await world.value(
                    "select coalesce(sync_token < '2098', true) from jobrunner.checkpoints")
                    == "true")
            try await world.runAgain()
            #expect(try await world.value("select count(*) from synced.generic_item") == "6")
        }
    }
}
