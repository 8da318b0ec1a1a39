import JSON
import Testing

/// Answers of which the job file says what they mean: nothing to read here, an empty list, a failure, or ask again.
@Suite struct ErrorRuleTests {
    private static func file(_ errors: String, source: String = "", mode: String = "replace_all")
        -> String
    {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}""#, mode: mode, source: source)
        return yaml.replacing("    page: {", with: "    errors: [\(errors)]\n    page: {")
    }

    private func rows(_ world: World) async throws -> String? {
        try await world.value("select count(*) from synced.generic_item")
    }

    /// Whatever is stored of the entity and its runs, but for the job's own row.
    private func versions(_ world: World) async throws -> String? {
        try await world.value(
            """
            select concat(
              (select string_agg(xmin::text || ctid::text, ' ' order by id) from synced.generic_item), '|',
              (select string_agg(xmin::text || ctid::text, ' ') from jobrunner.checkpoints), '|',
              (select count(*) from jobrunner.runs))
            """)
    }

    /// The source answers so from now on, to the `nth` request and those behind it where there is one.
    private func answers(
        _ world: World, _ status: Int, _ body: String = "", headers: String = "{}", nth: Int? = nil,
        times: Int = 0
    ) async throws {
        let place = nth.map { #""skip": \#($0 - 1), "# } ?? ""
        try await world.source.fault(
            #"{"kind": "status", \#(place)"times": \#(times), "status": \#(status), "headers": \#(headers), "body": \#(JSONValue.string(body).text)}"#
        )
    }

    @Test
    func
        `a skipped entity keeps its rows, is counted and told once, and the next run writes nothing`()
        async throws
    {
        let errors =
            #"{ status: [403, 404], body: { at: error.code, eq: no_plan }, then: skip, message_at: error.text }"#
        try await withSyncedWorld(Self.file(errors), videos: 55) { world async throws in
            let full = try await world.checkpoint("ann").text("last_full_at")
            try await answers(
                world, 403, #"{"error": {"code": "no_plan", "text": "no plan for items"}}"#)
            try await world.runAgain()
            #expect(try await world.outcomes("ann") == ["complete", "complete"])
            #expect(try await world.runs("ann").last?.int("skipped") == 1)
            let checkpoint = try await world.checkpoint("ann")
            #expect(checkpoint.text("skip_reason")?.hasSuffix("no plan for items") == true)
            #expect(checkpoint.text("last_full_at") == full)
            let before = try await versions(world)
            for _ in 1...2 { try await world.runAgain() }
            #expect(try await versions(world) == before)
            #expect(try await rows(world) == "55")
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(
                try await world.texts("select trouble from jobrunner.jobs_in_trouble")
                    == ["entity_skipped"])
            #expect(
                try await world.texts("select state from jobrunner.entity_progress") == ["skipped"])
            #expect(world.lines.all.count { $0.contains("entity skipped") } == 1)
            #expect(world.lines.all.count { $0.contains("skipped=1") } == 3)
            try await world.source.command("DELETE", "faults")
            try await world.runAgain()
            #expect(try await world.checkpoint("ann").isNull("skipped_since"))
            #expect(try await world.texts("select trouble from jobrunner.jobs_in_trouble") == [])
            #expect(try await world.holdsAllItems(of: "ann"))
        }
    }

    @Test
    func `an entity that was never read is skipped without a failure`()
        async throws
    {
        try await withWorld(Self.file("{ status: 404, then: skip }"), videos: 5) { world in
            try await answers(world, 404, "<html>not found</html>")
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["complete"])
            #expect(
                try await world.checkpoint("ann").text("skip_reason") == "the answer has status 404"
            )
            let before = try await versions(world)
            try await world.runAgain()
            #expect(try await versions(world) == before)
        }
    }

    @Test func `a skip behind the first page is no end: the pass goes on there, then begins anew`()
        async throws
    {
        try await withSyncedWorld(Self.file("{ status: 404, then: skip }"), videos: 55) {
            world async throws in
            try await answers(world, 404, nth: 3)
            try await world.runAgain()
            #expect(try await world.outcomes("ann").last == "failed cursor_refused")
            let cursor = try await world.checkpoint("ann").text("cursor")
            #expect(cursor != nil)
            #expect(try await rows(world) == "55")
            // Refused a second time at the same place: from the beginning, where the whole list is skipped.
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            let checkpoint = try await world.checkpoint("ann")
            #expect(checkpoint.isNull("cursor") && checkpoint.isNull("pass_kind"))
            #expect(checkpoint.text("skip_reason") == "the answer has status 404")
            #expect(try await rows(world) == "55")
            try await world.source.command("DELETE", "faults")
            try await world.runAgain()
            #expect(try await world.holdsAllItems(of: "ann"))
        }
    }

    @Test func `what is empty lets rows go as an empty list does, and a skip does not`()
        async throws
    {
        let errors = "{ status: 404, then: empty }"
        try await withSyncedWorld(Self.file(errors), videos: 15) { world async throws in
            try await answers(world, 404)
            try await world.runAgain()
            #expect(try await rows(world) == "15")
            #expect(try await world.troubles("ann") == ["sweep_held"])
            try await world.runAgain()
            #expect(try await rows(world) == "0")
            #expect(try await world.outcomes("ann") == ["complete", "complete"])
        }
    }

    @Test func `a 403 that asks for patience is no word about the list`() async throws {
        try await withWorld(Self.file("{ status: 403, then: skip }"), videos: 5) { world in
            try await answers(world, 403, headers: #"{"Retry-After": "1800"}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["deferred rate_limited"])
        }
    }

    @Test(arguments: [
        (401, "no_plan", "complete"), (401, "expired", "needs_reauth unauthorised"),
        (403, "no_plan", "complete"), (403, "expired", "needs_reauth unauthorised"),
    ])
    func `a rule wins over a refused credential where it fits, and nowhere else`(
        status: Int, code: String, end: String
    ) async throws {
        let yaml = Self.file(
            "{ status: [401, 403], body: { at: code, eq: no_plan }, then: skip }",
            source: #"auth: { type: bearer, token: "{secret.key}" }"#)
        try await withWorld(yaml, sealer: true, videos: 5) { world in
            try await world.store("canary-of-ann", as: "key", of: "ann")
            try await answers(world, status, #"{"code": "\#(code)", "key": "canary-of-ann"}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == [end])
        }
    }

    @Test
    func `what is to be retried is, within the run, and else counts as a source that is away`()
        async throws
    {
        let errors =
            "{ status: 400, body: { at: error.code, in: [busy, rate_limited] }, then: retry }"
        let busy = #"{"error": {"code": "busy"}}"#
        try await withWorld(Self.file(errors), videos: 15) { world in
            try await answers(world, 400, busy, times: 2)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["complete"])
            #expect(try await world.source.asked(by: "ann").count == 3)
            try await answers(world, 400, busy)
            try await world.runAgain()
            #expect(try await world.outcomes("ann").last == "failed unavailable")
            #expect(try await world.source.asked(by: "ann").count == 6)
        }
        for body in ["<html>busy</html>", #"{"error": {"code": "wrong"}}"#] {
            try await withWorld(Self.file(errors), videos: 15) { world in
                try await answers(world, 400, body)
                try await world.drain()
                #expect(try await world.outcomes("ann") == ["failed rejected"])
                #expect(try await world.source.asked(by: "ann").count == 1)
            }
        }
    }

    @Test func `a declared failure has the source's words and no secret`() async throws {
        let yaml = Self.file(
            #"{ status: 422, body: { at: "", contains: "IS WRONG" }, then: fail, message_at: error }"#,
            source: #"auth: { type: bearer, token: "{secret.key}" }"#)
        try await withWorld(yaml, sealer: true, videos: 5) { world in
            try await world.store("canary-of-ann", as: "key", of: "ann")
            try await answers(world, 422, #"{"error": "canary-of-ann is wrong"}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["failed source_error"])
            let error = try await world.job("ann").text("last_error") ?? ""
            #expect(error.contains("is wrong") && !error.contains("canary"))
            #expect(!world.lines.all.contains { $0.contains("canary") })
        }
    }
}
