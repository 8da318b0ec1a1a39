import JSON
import Postgres
import Testing

/// One bad value costs itself, and nobody takes it for none in silence.
@Suite struct OddValueTests {
    private static func file(
        mode: String = "overwrite", page: String = "style: single, size: 20",
        incremental: String = "", fields: String = World.standardFields
    ) -> String {
        World.generic("single", page: page, mode: mode, incremental: incremental, fields: fields)
    }

    /// The next answer holds these records.
    private func answer(_ world: World, _ items: String..., more: String = "") async throws {
        let body = "{\"items\": [\(items.joined(separator: ", "))]\(more)}"
            .replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
        try await world.source.fault(#"{"kind": "status", "status": 200, "body": "\#(body)"}"#)
    }

    private func rows(_ world: World, _ columns: String) async throws -> String? {
        try await world.value(
            "select string_agg(concat_ws(' ', \(columns)), ', ' order by id) from synced.generic_item"
        )
    }

    @Test func `an optional value that can't be read is null, counted and told once`() async throws
    {
        try await withWorld(Self.file(), videos: 0) { world in
            for _ in 1...2 {
                try await answer(
                    world, #"{"id": "a", "seq": 1, "updated_at": "2026-01-01T00:00:00Z"}"#,
                    #"{"id": "b", "seq": 2, "updated_at": "0000-00-00", "value": "much", "name": "B"}"#,
                    #"{"id": "c", "seq": 3, "updated_at": "", "name": 7}"#)
                try await world.runAgain()
            }
            #expect(
                try await rows(world, "id, name, value, updated_at is null") == "a f, b B t, c t")
            let unread = try await world.checkpoint("ann")["unread"]
            #expect(unread?["updated_at"]?["count"]?.int == 2)
            #expect(unread?["updated_at"]?["example"]?.string == #""0000-00-00""#)
            #expect(unread?["value"]?["example"]?.string == #""much""#)
            #expect(unread?["name"]?["count"]?.int == 1)
            #expect(world.lines.all.count { $0.contains("values unread") } == 3)
            try await answer(world, #"{"id": "a", "seq": 1}"#)
            try await world.runAgain()
            #expect(try await world.checkpoint("ann")["unread"]?.kind == .null)
        }
    }

    @Test func `a time is read by the first of its forms that fits`() async throws {
        let fields = """
            id: { at: id, type: text, required: true }
            at: { at: at, type: timestamp, format: [iso8601, "yyyy-MM-dd HH:mm:ss XXX", "d.M.yyyy"] }
            """
        try await withWorld(Self.file(fields: fields), videos: 0) { world in
            try await answer(
                world, #"{"id": "a", "at": "2026-01-02T03:04:05Z"}"#,
                #"{"id": "b", "at": "2026-01-02 03:04:05 +0200"}"#,
                #"{"id": "c", "at": "2.1.2026"}"#, #"{"id": "d", "at": "soon"}"#)
            try await world.runAgain()
            #expect(
                try await rows(world, "id, at at time zone 'UTC'")
                    == "a 2026-01-02 03:04:05, b 2026-01-02 01:04:05, c 2026-01-02 00:00:00, d")
            #expect(try await world.checkpoint("ann")["unread"]?["at"]?["count"]?.int == 1)
        }
    }

    @Test func `a watermark of a form without an offset needs a zone`() async throws {
        let fields = """
            id: { at: id, type: text, required: true }
            updated_at: { at: at, type: timestamp, format: [iso8601, "d.M.yyyy HH:mm"] }
            """
        let file = Self.file(
            mode: "newest_wins, newer_by: updated_at",
            incremental: "incremental: { watermark: max_seen }", fields: fields
        ).replacing("query: { limit:", with: #"query: { since: "{since}", limit:"#)
        try await withWorld(file, videos: 0) { world in
            try await answer(world, #"{"id": "a", "at": "2.1.2026 10:00"}"#)
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_error")?.contains("updated_at") == true)
        }
    }

    @Test func `a row follows the other fields of its record when one turns odd`() async throws {
        try await withWorld(
            Self.file(mode: "overwrite, deletes: { sweep: after_full_pass }")
        ) { world in
            try await world.addUser("ann", videos: 0)
            try await answer(world, #"{"id": "a", "seq": 1, "value": 5, "name": "one"}"#)
            try await world.runAgain()
            try await answer(world, #"{"id": "a", "seq": 2, "value": "?", "name": "two"}"#)
            try await world.runAgain()
            #expect(try await rows(world, "id, seq, name, value") == "a 2 two")
        }
    }

    @Test func `a value that decides is never made null`() async throws {
        try await withWorld(Self.file(mode: "newest_wins, newer_by: updated_at"), videos: 0) {
            world in
            try await answer(
                world, #"{"id": "a", "seq": 1, "updated_at": "soon"}"#,
                #"{"id": "b", "seq": 2, "updated_at": "2026-01-01T00:00:00Z"}"#)
            try await world.runAgain()
            #expect(try await rows(world, "id") == "b")
            #expect(
                try await world.checkpoint("ann")["unread"]?["updated_at"]?["count"]?.int == 1)
        }
    }

    @Test func `a field of which no value can be read fails its pass by name`() async throws {
        try await withWorld(
            Self.file(mode: "overwrite, deletes: { sweep: after_full_pass }")
        ) { world in
            try await world.addUser("ann", videos: 3)
            try await world.drain()
            for _ in 1...2 {
                try await answer(
                    world, #"{"id": "a", "seq": 1, "value": "1,5"}"#,
                    #"{"id": "b", "seq": 2, "value": "2,5"}"#,
                    #"{"id": "c", "seq": 3, "value": "3,5"}"#, #"{"id": "d", "seq": 4}"#)
                try await world.runAgain()
                let job = try await world.job("ann")
                #expect(job.text("last_error_kind") == "incompatible")
                #expect(
                    job.text("last_error")
                        == #"not one of 3 values of "value" has the type of the job file; one of them is "1,5""#
                )
            }
            // What it did show is there, and nothing is gone.
            #expect(try await world.value("select count(*) from synced.generic_item") == "7")
        }
    }

    @Test func `a long text, NUL and a mark before the body cost themselves at most`() async throws
    {
        let long = String(repeating: "x", count: 1_200_000)
        try await withWorld(Self.file(), videos: 0) { world in
            try await answer(
                world, #"{"id": "a", "seq": 1, "name": "\#(long)"}"#,
                #"{"id": "b", "seq": 2, "name": "x\u0000y"}"#,
                #"{"id": "c", "seq": 3, "name": "C", "other": "\#(long)"}"#,
                #"{"id": "d", "seq": 4, "name": "D", "other": \#(String(repeating: "9", count: 500))}"#
            )
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await rows(world, "id, name") == "a, b, c C, d D")
        }
    }

    @Test(arguments: ["true", "1", #""true""#, #""1""#, #""TRUE""#])
    func `a flag is true however the source writes it`(_ flag: String) async throws {
        try await flagged("", flag) { world async throws in
            #expect(try await rows(world, "id") == "b")
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }

    @Test(arguments: [#""yes""#, "2", #""2026-01-01T00:00:00Z""#, "{}"])
    func
        `what is neither true nor false deletes nothing and fails by the names of the flag and the value`(
            _ flag: String
        ) async throws
    {
        try await flagged("", flag) { world async throws in
            #expect(try await rows(world, "id") == "a, b")
            let unread = try await world.checkpoint("ann")["unread"]
            #expect(unread?["flag_at deleted"]?["example"]?.string == flag)
            #expect(
                try await world.job("ann").text("last_error")
                    == "flag_at deleted is neither true nor false in 1 records; in one of them it is \(flag)"
            )
            #expect(
                world.lines.all.contains { $0.contains("values unread") && $0.contains("deleted") })
        }
    }

    @Test func `a flag that is read keeps a field of its place from being taken for it`()
        async throws
    {
        let file = Self.file(
            mode: "overwrite, deletes: { flag_at: deleted }",
            fields: World.standardFields + "\ndeleted: { at: deleted, type: bool }")
        try await withWorld(file, videos: 0) { world in
            try await answer(
                world, #"{"id": "a", "seq": 1, "deleted": 0}"#,
                #"{"id": "b", "seq": 2, "deleted": 1}"#)
            try await world.runAgain()
            #expect(try await world.outcomes("ann") == ["complete"])
        }
    }

    @Test func `a time counts as true where the file says that the flag is one`() async throws {
        try await flagged("flag_is: time", #""2026-01-01T00:00:00Z""#) { world async throws in
            #expect(try await rows(world, "id") == "b")
        }
        try await flagged("flag_is: time", #""""#) { world async throws in
            #expect(try await rows(world, "id") == "a, b")
        }
    }

    private func flagged(
        _ form: String, _ flag: String, _ body: (World) async throws -> Void
    ) async throws {
        let deletes = "deletes: { flag_at: deleted\(form.isEmpty ? "" : ", " + form) }"
        try await withWorld(Self.file(mode: "overwrite, \(deletes)"), videos: 0) { world in
            try await answer(world, #"{"id": "a", "seq": 1}"#, #"{"id": "b", "seq": 2}"#)
            try await world.runAgain()
            try await answer(
                world, #"{"id": "a", "seq": 1, "deleted": \#(flag)}"#,
                #"{"id": "b", "seq": 2, "deleted": \#(form.isEmpty ? "0" : "null")}"#)
            try await world.runAgain()
            try await body(world)
        }
    }

    @Test func `of equal versions the content decides, and a null version loses to any other`()
        async throws
    {
        try await withWorld(Self.file(mode: "newest_wins, newer_by: updated_at"), videos: 0) {
            world in
            let time = #""updated_at": "2026-01-01T00:00:00Z""#
            try await answer(
                world, #"{"id": "a", "seq": 1, "name": "x"}"#,
                #"{"id": "b", "seq": 1, \#(time), "name": "x"}"#,
                #"{"id": "c", "seq": 1, \#(time), "name": "x"}"#,
                #"{"id": "d", "seq": 1, "name": "x"}"#,
                #"{"id": "e", "seq": 1, "name": "x"}, {"id": "e", "seq": 2, "name": "later"}"#)
            try await world.runAgain()
            try await answer(
                world, #"{"id": "a", "seq": 1, "name": "y"}"#,
                #"{"id": "b", "seq": 1, \#(time), "name": "y"}"#,
                #"{"id": "c", "seq": 1, "name": "y"}"#,
                #"{"id": "d", "seq": 1, \#(time), "name": "y"}"#)
            try await world.runAgain()
            #expect(try await rows(world, "id, name") == "a y, b y, c x, d y, e later")
        }
    }

    @Test
    func `a pass that was asked for brings rows to what the source shows, whatever their versions`()
        async throws
    {
        try await withWorld(Self.file(mode: "newest_wins, newer_by: updated_at"), videos: 0) {
            world in
            func show(_ day: Int, _ name: String) async throws {
                try await answer(
                    world,
                    #"{"id": "a", "seq": 1, "updated_at": "2026-01-0\#(day)T00:00:00Z", "name": "\#(name)"}"#
                )
            }
            try await show(5, "new")
            try await world.runAgain()
            try await show(3, "old")
            try await world.runAgain()
            #expect(try await rows(world, "name") == "new")
            try await show(3, "old")
            try await world.sql(
                "select jobrunner.enqueue('acme', 'ann', 'generic.items', in_full => true, in_force => true)"
            )
            try await world.drain()
            #expect(try await rows(world, "name") == "old")
            try await show(2, "older")
            try await world.runAgain()
            #expect(try await rows(world, "name") == "old")
            try await world.sql("select jobrunner.reset_jobs('acme', 'ann', 'generic.items')")
            try await show(2, "older")
            try await world.runAgain()
            #expect(try await rows(world, "name") == "older")
        }
    }
}
