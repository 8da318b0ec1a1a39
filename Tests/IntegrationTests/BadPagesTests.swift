import JSON
import Postgres
import Testing

@Suite struct BadPagesTests {
    private static let token = World.generic(
        "token", page: "style: token, token_at: next_token, size: 20",
        query: #"cursor: "{page.token}""#)

    /// What the third page is like, and how the run ends.
    private static let bad: [(name: String, fault: String, end: String)] = [
        ("garbage", #""kind": "garbage""#, "failed malformed"),
        ("html", #""kind": "html""#, "failed malformed"),
        ("wrong_type", #""kind": "wrong_type""#, "failed malformed"),
        ("no-array", #""kind": "garbage", "body": "{}""#, "failed malformed"),
        ("empty", #""kind": "garbage", "body": """#, "failed malformed"),
        ("deep", #""kind": "deep""#, "failed malformed"),
        ("huge", #""kind": "huge""#, "failed malformed"),
        ("gzip_bomb", #""kind": "gzip_bomb""#, "failed malformed"),
        ("repeated", #""kind": "repeated_cursor""#, "failed cursor_loop"),
        ("redirect", #""kind": "redirect", "location": "http://127.0.0.1:1/""#, "failed rejected"),
        ("cut0", #""kind": "cut", "after": 0"#, "failed unavailable"),
        ("cut1", #""kind": "cut", "after": 1"#, "failed unavailable"),
        ("cut900", #""kind": "cut", "after": 900"#, "failed unavailable"),
        ("long", #""kind": "long_length""#, "failed unavailable"),
        ("raw", #""kind": "raw""#, "failed unavailable"),
    ]

    @Test
    func
        `a page that is none fails the run, keeps the pages before it, and the next run goes on there`()
        async throws
    {
        try await withWorld(Self.token) { world in
            for entry in Self.bad {
                try await world.addUser(entry.name, videos: 95)
                try await world.source.fault(
                    #"{\#(entry.fault), "user": "\#(entry.name)", "skip": 2, "times": 3}"#)
            }
            try await world.drain()
            for entry in Self.bad {
                #expect(try await world.outcomes(entry.name) == [entry.end], "\(entry.name)")
                let checkpoint = try await world.checkpoint(entry.name)
                #expect(checkpoint.int("page_number") == 2, "\(entry.name)")
                #expect(checkpoint.int("consecutive_failures") == 1, "\(entry.name)")
            }
            try await world.source.heal()
            try await world.runAgain()
            for entry in Self.bad {
                #expect(try await world.holdsAllItems(of: entry.name), "\(entry.name)")
                let fetched = try await world.runs(entry.name).map { $0.int("fetched") }
                #expect(fetched == [40, 55], "\(entry.name)")
            }
        }
    }

    @Test func `a compressed, a chunked and a slow page are pages like any other`() async throws {
        try await withWorld(Self.token) { world in
            for kind in ["gzip", "chunked", "drip"] {
                try await world.addUser(kind, videos: 50)
                try await world.source.fault(
                    #"{"kind": "\#(kind)", "user": "\#(kind)", "times": 0\#(kind == "drip" ? #", "bytes": 200, "every_ms": 5"# : "")}"#
                )
            }
            try await world.drain()
            for kind in ["gzip", "chunked", "drip"] {
                #expect(try await world.holdsAllItems(of: kind))
                #expect(try await world.source.asked(by: kind).count == 3)
            }
        }
    }

    @Test func `a cursor that goes round is found out and what was read stays`() async throws {
        try await withWorld(Self.token, videos: 60) { world in
            try await world.source.fault(#"{"kind": "loop_cursor", "times": 0}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["failed cursor_loop"])
            #expect((2...3).contains(try await world.source.asked().count))
            #expect(try await world.value("select count(*) from synced.generic_item") == "20")
        }
    }

    /// Records that move to the list's end push others over the border of a page that was read.
    @Test(arguments: [("offset", "style: offset, total_at: total"), ("page", "style: page")])
    func `a list whose order changes while it is read ends, doubles nothing, and is whole later`(
        path: String, page: String
    ) async throws {
        let yaml = World.generic(
            path, page: "\(page), size: 20", query: "\(path): \"{page.token}\"")
        try await withWorld(yaml, videos: 95) { world in
            try await world.source.fault(#"{"kind": "slow", "delay_ms": 100, "times": 0}"#)
            let worker = try await world.start()
            for count in 1...3 {
                try await world.source.waitFor(count, path)
                try await world.source.command(
                    "POST", "change", #"{"user": "ann", "op": "edit", "count": 7}"#)
            }
            try await eventually("the pass ends") {
                try await world.job("ann").text("last_outcome") == "complete"
            }
            let rows = try await world.value("select count(*) from synced.generic_item")
            let first = try #require(try await world.runs("ann").last)
            #expect(first.int("inserted").map(String.init) == rows)
            let shown = ["inserted", "updated", "unchanged", "duplicate"]
                .reduce(0) { $0 + (first.int($1) ?? 0) }
            #expect(first.int("fetched") == shown)
            #expect(rows != "95", "nothing was missed: the list did not change its order")
            try await world.enqueue("ann")
            try await eventually("the next pass has them all") {
                try await world.holdsAllItems(of: "ann")
            }
            await worker.stop()
            #expect(try await world.job("ann").int("consecutive_failures") == 0)
        }
    }

    @Test func `a cursor without end yields at the page cap again and again, and never completes`()
        async throws
    {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 20, max_pages: 4",
            query: #"cursor: "{page.token}""#)
        try await withWorld(yaml, videos: 50) { world in
            try await world.source.fault(#"{"kind": "endless_cursor", "times": 0}"#)
            let worker = try await world.start()
            try await eventually("three runs") { try await world.runs("ann").count >= 3 }
            await worker.stop()
            let outcomes = try await world.outcomes("ann")
            #expect(outcomes.prefix(3).allSatisfy { $0 == "partial page_cap" })
            #expect(try await world.checkpoint("ann").isNull("last_synced_at"))
            #expect(try await world.runs("ann").first?.int("pages") == 4)
        }
    }

    @Test
    func
        `a value that PostgreSQL refuses is not kept and counted, and one of a key costs its record`()
        async throws
    {
        let fields = """
            id: { at: id, type: text, required: true }
            extra: { at: extra, type: json }
            """
        let yaml = World.generic("single", page: "style: single, size: 20", fields: fields)
        try await withWorld(yaml, videos: 0) { world in
            // A number beyond numeric's range is JSON, and not jsonb; so is NUL.
            let page =
                #"{"items": [{"id": "a", "extra": {"n": 1}}, {"id": "b", "extra": [1e400000]}, "#
                + #"{"id": "c", "extra": "x\u0000y"}, {"id": "d\u0000", "extra": 1}, {"id": "e", "extra": 5}]}"#
            let body = JSONValue.string(page).text
            try await world.source.fault(#"{"kind": "garbage", "body": \#(body)}"#)
            try await world.drain()
            let rows = try await world.rows(
                "select id, extra is null as lacks from synced.generic_item order by id")
            #expect(
                rows.compactMap { $0.text("id") } == ["a", "b", "c", "e"]
                    && rows.map { $0["lacks"]?.bool } == [false, true, true, false])
            #expect(try await world.checkpoint("ann")["unread"]?["extra"]?["count"]?.int == 2)
            let run = try #require(try await world.runs("ann").first)
            #expect(run.text("outcome") == "complete")
            #expect(run.int("fetched") == 5 && run.int("skipped_incompatible") == 1)
        }
    }

    @Test func `a key too long for an index is left out and counted, the rest stored`() async throws
    {
        try await withWorld(World.generic("single", page: "style: single, size: 20"), videos: 0) {
            world in
            var generator = SystemRandomNumberGenerator()
            let long = (0..<9000).map { _ in
                String(
                    "abcdefghijklmnopqrstuvwxyz0123456789".randomElement(using: &generator) ?? "x")
            }.joined()
            let page =
                #"{"items": [{"id": "a", "seq": 1}, {"id": "\#(long)", "seq": 2}, {"id": "c", "seq": 3}]}"#
            try await world.source.fault(
                #"{"kind": "garbage", "body": \#(JSONValue.string(page).text)}"#)
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await world.value("select count(*) from synced.generic_item") == "2")
            #expect(try await world.runs("ann").first?.int("skipped_incompatible") == 1)
        }
    }
}
