import JSON
import Testing

/// Only a list is a list: what any other answer of a good status does to the rows, the position and the outcome.
@Suite struct AnswerTests {
    private static func file(_ errors: String = "", expect: String = "") -> String {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}""#, mode: "replace_all")
        let declared = expect.isEmpty ? "" : "      expect: \(expect)\n"
        return yaml.replacing("    page: {", with: declared + errors + "    page: {")
    }

    private func rows(_ world: World) async throws -> String? {
        try await world.value("select count(*) from synced.generic_item")
    }

    /// A user of 55 items that are here, and an answer that strikes the `nth` request from now on.
    private func withRows(
        _ yaml: String = file(), strikes answer: String, nth: Int = 1,
        _ body: (World) async throws -> Void
    ) async throws {
        try await withSyncedWorld(yaml, videos: 55) { world async throws in
            #expect(try await rows(world) == "55")
            try await world.source.fault(#"{"kind": "status", "nth": \#(nth), \#(answer)}"#)
            try await world.runAgain()
            try await body(world)
        }
    }

    @Test(arguments: [1, 2, 3])
    func `a list that is still being made puts the run off, and nothing is deleted`(page: Int)
        async throws
    {
        let answer = #""status": 202, "headers": {"Retry-After": "1800"}, "body": "[]""#
        try await withRows(strikes: answer, nth: page) { world async throws in
            #expect(try await world.outcomes("ann") == ["complete", "deferred not_ready"])
            #expect(try await rows(world) == "55")
            let job = try await world.job("ann")
            #expect(job.int("consecutive_failures") == 0)
            #expect(
                try await world.value(
                    "select due_at > now() + interval '25 min' from jobrunner.jobs") == "true")
            try await world.source.command(
                "POST", "change", #"{"user": "ann", "op": "edit", "count": 3, "name": "new"}"#)
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await world.holdsAllItems(of: "ann"))
        }
    }

    @Test func `a list that is still being made without a word of when is asked for again soon`()
        async throws
    {
        try await withRows(strikes: #""status": 202, "body": "[]""#) { world async throws in
            #expect(try await world.outcomes("ann").last == "deferred not_ready")
            #expect(
                try await world.value(
                    "select due_at < now() + interval '10 s' from jobrunner.jobs") == "true")
        }
    }

    @Test(arguments: [201, 203, 205, 206, 226])
    func `another status below 300 fails by its name, and nothing is deleted`(status: Int)
        async throws
    {
        let answer = #""status": \#(status), "body": "{\"items\": []}""#
        try await withRows(strikes: answer) { world async throws in
            #expect(try await world.outcomes("ann") == ["complete", "failed unexpected_status"])
            #expect(try await rows(world) == "55")
            #expect(try await world.job("ann").text("last_error")?.contains("\(status)") == true)
        }
    }

    @Test func `a status that the file expects is a list`() async throws {
        let yaml = Self.file(expect: "[200, 206]")
        let items =
            #"{\"items\": [{\"id\": \"a\", \"seq\": 1, \"updated_at\": \"2026-01-01T00:00:00Z\"}]}"#
        try await withWorld(yaml, videos: 15) { world async throws in
            try await world.source.fault(#"{"kind": "status", "status": 206, "body": "\#(items)"}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["complete"])
            #expect(try await rows(world) == "1")
        }
    }

    @Test func `204 is an empty page, and behind others the end`() async throws {
        try await withRows(strikes: #""status": 204"#, nth: 4) { world async throws in
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
        try await withWorld(Self.file(), videos: 15) { world async throws in
            try await world.source.fault(#"{"kind": "status", "status": 204}"#)
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await rows(world) == "0")
        }
    }

    @Test(arguments: ["", "null", #"{\"items\": null}"#, "{}", #"{\"items\": {}}"#])
    func `an answer without a list fails by name, and nothing is deleted`(body: String) async throws
    {
        try await withRows(strikes: #""status": 200, "body": "\#(body)""#) { world async throws in
            #expect(try await world.outcomes("ann") == ["complete", "failed malformed"])
            #expect(try await rows(world) == "55")
            if body.isEmpty {
                #expect(
                    try await world.job("ann").text("last_error")?.contains("empty body") == true)
            }
        }
    }

    @Test(arguments: [1, 2, 3])
    func `a failure inside a good answer stores what it carries, ends no pass and deletes nothing`(
        page: Int
    ) async throws {
        let yaml = Self.file(
            "    errors: [{ body: { at: error, filled: true }, then: fail, message_at: error.text }]\n"
        )
        let body =
            #"{\"items\": [{\"id\": \"new\", \"seq\": 99, \"updated_at\": \"2026-01-01T00:00:00Z\"}], \"error\": {\"text\": \"half of it\"}}"#
        try await withRows(yaml, strikes: #""status": 200, "body": "\#(body)""#, nth: page) {
            world async throws in
            #expect(try await world.outcomes("ann") == ["complete", "failed source_error"])
            #expect(try await world.job("ann").text("last_error")?.contains("half of it") == true)
            #expect(try await rows(world) == "56")
            // The run after it goes on where the one before stood. The row that the source does not have was shown
            // in this pass, and goes with the second that lacks it.
            let asked = try await world.source.asked().count
            try await world.runAgain()
            #expect(try await world.source.asked().count == asked + 4 - page)
            for _ in 1...2 { try await world.runAgain() }
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await world.holdsAllItems(of: "ann"))
        }
    }

    @Test func `a failure that names a wait puts the run off`() async throws {
        let yaml = Self.file(
            "    errors: [{ body: { at: ok, ne: true }, then: retry, wait_at: wait }]\n")
        let answer = #""status": 200, "body": "{\"ok\": false, \"wait\": 1800}""#
        try await withWorld(yaml, videos: 15) { world async throws in
            try await world.source.fault(#"{"kind": "status", \#(answer)}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["deferred rate_limited"])
            #expect(
                try await world.value(
                    "select due_at > now() + interval '25 min' from jobrunner.jobs") == "true")
        }
    }
}
