import JSON
import Postgres
import Testing

/// Sources that lie, repeat themselves, or say what can't be sent back.
@Suite struct HostileSourceTests {
    private static func answer(_ body: String, headers: String = "") -> String {
        let text = JSONValue.string(body).text
        return
            #"{"kind": "status", "status": 200, "times": 0, "body": \#(text)\#(headers.isEmpty ? "" : ", \"headers\": {\(headers)}")}"#
    }

    private static let items = #"[{"id": "a", "seq": 1}, {"id": "b", "seq": 2}]"#

    @Test(arguments: [
        ("offset", #"offset: "{page.token}""#, "style: offset, size: 2"),
        ("offset", #"offset: "{page.token}""#, "style: offset, size: 2, total_at: total"),
        ("page", #"page: "{page.token}""#, "style: page, size: 2"),
        ("page", #"page: "{page.token}""#, "style: page, size: 2, last_at: last"),
    ]) func `a source that ignores where a page begins is a cursor loop after its second page`(
        _ path: String, _ query: String, _ page: String
    ) async throws {
        // Without an end of its own the run would be cut by its deadline, and begin again.
        let yaml = World.generic(path, page: page, query: query, deadline: "5s")
        try await withWorld(yaml, videos: 3) { world in
            try await world.source.fault(
                Self.answer(#"{"items": \#(Self.items), "total": 1000, "last": 1000}"#))
            let worker = try await world.start()
            try await eventually("the run has ended") {
                try await !world.outcomes("ann").isEmpty
            }
            await worker.stop()
            #expect(try await world.outcomes("ann") == ["failed cursor_loop"])
            #expect(try await world.source.asked(by: "ann").count == 2)
        }
    }

    @Test func `a source whose records are all incompatible and the same is a cursor loop too`()
        async throws
    {
        let yaml = World.generic(
            "offset", page: "style: offset, size: 2", query: #"offset: "{page.token}""#)
        try await withWorld(yaml, videos: 3) { world in
            try await world.source.fault(Self.answer(#"{"items": [{"seq": 1}, {}, 5]}"#))
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["failed cursor_loop"])
            #expect(try await world.source.asked(by: "ann").count == 2)
        }
    }

    @Test func `a position that is none fails the run, and replace_all deletes nothing`()
        async throws
    {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}""#, mode: "replace_all")
        try await withSyncedWorld(yaml, videos: 30) { world in
            for next in ["{}", "true", #""a\u0000b""#] {
                try await world.source.fault(
                    Self.answer(#"{"items": \#(Self.items), "next_token": \#(next)}"#))
                try await world.runAgain()
                #expect(try await world.outcomes("ann").last == "failed malformed")
                try await world.source.heal()
            }
            let ours = "select count(*) from synced.generic_item where id not in ('a', 'b')"
            #expect(try await world.value(ours) == "30")
        }
    }

    @Test(arguments: [#"a\u0001b"#, String(repeating: "a", count: 5000)])
    func `an ETag that can't be sent back is not kept, and the next run asks without one`(
        _ tag: String
    ) async throws {
        let yaml = World.generic("single", page: "style: single, size: 20", conditional: true)
        try await withWorld(yaml, videos: 3) { world in
            try await world.source.fault(
                Self.answer(#"{"items": \#(Self.items)}"#, headers: #""ETag": "\"\#(tag)\"""#))
            try await world.drain()
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await world.checkpoint("ann").text("validator")?.hasPrefix("like ") == true)
        }
    }

    @Test(arguments: ["chr(1)", "chr(13)", "repeat('x', 8000)"])
    func `a stored validator that can't be sent is dropped, and the run goes on`(_ tag: String)
        async throws
    {
        let yaml = World.generic("single", page: "style: single, size: 20", conditional: true)
        try await withSyncedWorld(yaml, videos: 3) { world in
            #expect(try await !world.checkpoint("ann").isNull("validator"))
            try await world.given(.validator(marked: tag))
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            let second = try #require(try await world.source.asked(by: "ann").last)
            #expect(second.status == 200)
        }
    }

    @Test func `Retry-After of nothing is a second at least`() async throws {
        try await withWorld(World.generic("single", page: "style: single, size: 20")) { world in
            for (user, value) in [
                ("zero", "0"), ("minus", "-5"), ("past", "Thu, 01 Jan 1970 00:00:00 GMT"),
            ] {
                try await world.addUser(user, videos: 3)
                try await world.source.fault(
                    #"{"kind": "status", "status": 429, "user": "\#(user)", "times": 0, "headers": {"Retry-After": "\#(value)"}}"#
                )
            }
            // Afterwards nothing runs, so that the job and its last run tell of the same answer.
            try await world.drain()
            for user in ["zero", "minus", "past"] {
                #expect(try await world.outcomes(user).last == "deferred rate_limited", "\(user)")
                let span = try await world.value(
                    """
                    select (extract(epoch from j.deferred_until - r.ended_at) * 1000)::integer
                    from jobrunner.jobs as j join jobrunner.users as u on u.id = j.user_id
                    join jobrunner.runs as r on r.user_id = u.id and r.id = j.fence where u.key = $1
                    """, .text(user))
                let wait = try #require(span.flatMap { Int($0) }, "\(user) has no run that waits")
                #expect(wait >= 1000, "\(user)")
                // Nor does one run ask again at once; the log's clock counts whole milliseconds.
                let times = try await world.source.asked(by: user).map(\.monotonic)
                #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 999 }, "\(times)")
            }
        }
    }

    @Test func `an empty or climbing attribute in a path fails the run before anything is sent`()
        async throws
    {
        try await withWorld(World.generic("single", page: "style: single, size: 20")) { world in
            for (user, value) in [("dots", ".."), ("empty", ""), ("dot", ".")] {
                try await world.addUser(user, videos: 1)
                try await world.given(.attributes(#"{"hub_user_id": "\#(value)"}"#, of: user))
            }
            let asked = try await world.source.asked().count
            try await world.drain()
            for user in ["dots", "empty", "dot"] {
                #expect(try await world.outcomes(user) == ["failed missing"])
                let error = try await world.job(user).text("last_error") ?? ""
                #expect(error.contains("{user.hub_user_id} makes a part of the path"), "\(error)")
            }
            #expect(try await world.source.asked().count == asked)
        }
    }

    /// Names that our statements use for rows and columns of their own.
    private static let names = [
        "t", "s", "r", "i", "v", "g", "c", "w", "k", "p", "fate", "standing", "is_new", "place",
        "given", "tag", "modified", "hash", "oid", "row_version", "merged_t",
    ]

    @Test(arguments: ["overwrite", "newest_wins, newer_by: seq", "replace_all", "insert_new"])
    func `a column may bear any name that our statements use for their own`(_ mode: String)
        async throws
    {
        let fields = Self.names.map { "\($0): { at: name, type: text }" }
        let yaml = World.generic(
            "single", page: "style: single, size: 20", mode: mode,
            fields: World.standardFields + "\n" + fields.joined(separator: "\n"))
        try await withSyncedWorld(yaml, videos: 5) { world in
            #expect(try await world.holdsAllItems(of: "ann"))
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            let row = try await world.row(
                "select e.* from jobrunner.edit_record('acme', 'ann', 'generic_item', '{\"id\": \"new\", \"seq\": 99, \"t\": \"x\", \"r\": \"y\"}') as e (record)"
            )
            #expect(row["record"]?.text("r") == "y")
            #expect(row["record"]?.text("id") == "new")
        }
    }
}
