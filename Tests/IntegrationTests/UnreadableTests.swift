import JSON
import Postgres
import Testing

/// Sources whose records the job file does not fit.
@Suite struct UnreadableTests {
    private static let token = #"cursor: "{page.token}""#
    private static let tokenPage = "style: token, token_at: next_token, size: 20"
    /// `seq` is a number, and no text.
    private static let misfit = """
        id: { at: id, type: text, required: true }
        seq: { at: seq, type: int, required: true }
        name: { at: seq, type: text, required: true }
        """

    private func count(_ world: World, _ event: String) -> Int {
        world.lines.all.count { $0.contains(event) }
    }

    @Test func `a pass of which not one record can be read fails, moves nothing and is told once`()
        async throws
    {
        let yaml = World.generic(
            "token", page: Self.tokenPage, query: Self.token,
            incremental: "incremental: { watermark: run_start }", fields: Self.misfit
        ).replacing("limit: \"{page.size}\"", with: "limit: \"{page.size}\", since: \"{since}\"")
        try await withSyncedWorld(yaml, videos: 50) { world in
            #expect(try await world.outcomes("ann") == ["failed incompatible"])
            let job = try await world.job("ann")
            #expect(job.text("last_success_at") == nil)
            #expect(job.text("last_error")?.contains("\"name\"") == true)
            let checkpoint = try await world.checkpoint("ann")
            #expect(checkpoint.text("watermark") == nil)
            #expect(checkpoint.text("last_synced_at") == nil)
            #expect(checkpoint.text("pass_kind") == nil)
            let run = try #require(try await world.runs("ann").first)
            #expect(run.int("fetched") == 50)
            #expect(run.int("skipped_incompatible") == 50)
            #expect(count(world, "records incompatible") == 1)
            // The next run reads the pass from its beginning, and says nothing again.
            try await world.runAgain()
            #expect(try await world.source.asked(by: "ann").count == 6)
            #expect(try await world.checkpoint("ann").int("consecutive_failures") == 2)
            #expect(count(world, "records incompatible") == 1)
            let trouble = try await world.row("select * from jobrunner.jobs_in_trouble")
            #expect(trouble.text("trouble") == "failing")
            #expect(trouble.text("detail")?.hasPrefix("incompatible: ") == true)
        }
    }

    @Test func `an unreadable pass over several runs is given up at its end, and begins anew`()
        async throws
    {
        let yaml = World.generic(
            "token", page: Self.tokenPage + ", max_pages: 2", query: Self.token,
            fields: Self.misfit)
        try await withSyncedWorld(yaml, videos: 50) { world async throws in
            #expect(
                try await world.outcomes("ann") == ["partial page_cap", "failed incompatible"])
            #expect(try await world.checkpoint("ann").text("cursor") == nil)
            try await world.runAgain()
            let asked = try await world.source.asked(by: "ann")
            #expect(asked.count == 6)
            #expect(try await world.job("ann").text("last_outcome") == "failed")
        }
    }

    @Test func `a keyset goes on over pages whose records are incompatible or filtered`()
        async throws
    {
        let page = #"style: keyset, by: seq, start: "0", size: 20"#
        let yaml = World.generic(
            "keyset", page: page, query: #"after: "{page.token}""#, fields: Self.misfit)
        try await withSyncedWorld(yaml, videos: 50) { world async throws in
            #expect(try await world.outcomes("ann") == ["failed incompatible"])
            #expect(try await world.runs("ann").first?.int("fetched") == 50)
        }
        let filtering = World.generic(
            "keyset", page: page, query: #"after: "{page.token}""#
        ).replacing("    write:", with: "      keep_if: [{ field: seq, gt: 45 }]\n    write:")
        try await withSyncedWorld(filtering, videos: 50) { world in
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            let run = try #require(try await world.runs("ann").first)
            #expect(run.int("fetched") == 50)
            #expect(run.int("filtered").map { $0 > 20 } == true)
        }
    }

    @Test func `an incremental pass of nothing but incompatible changes keeps the watermark`()
        async throws
    {
        let yaml = World.generic(
            "token", page: Self.tokenPage, query: Self.token,
            incremental: "incremental: { watermark: run_start }"
        ).replacing("limit: \"{page.size}\"", with: "limit: \"{page.size}\", since: \"{since}\"")
        try await withSyncedWorld(yaml, videos: 30) { world in
            let watermark = try await world.checkpoint("ann").text("watermark")
            for (ids, outcome) in [
                ("{\"id\": 1}", "complete"), ("{\"id\": 1}, {\"id\": 2}, {\"id\": 3}", "failed"),
            ] {
                let body = JSONValue.string(#"{"items": [\#(ids)]}"#).text
                try await world.source.fault(
                    #"{"kind": "status", "status": 200, "body": \#(body)}"#)
                try await world.runAgain()
                #expect(try await world.job("ann").text("last_outcome") == outcome)
            }
            #expect(try await world.checkpoint("ann").text("last_error_kind") == "incompatible")
            let moved = try await world.checkpoint("ann").text("watermark")
            #expect(watermark != nil && moved != nil)
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }

    @Test func `numbers as texts are read where the file says so`() async throws {
        let fields = """
            id: { at: id, type: text, required: true }
            size: { at: name, type: int, format: text }
            """
        try await withWorld(
            World.generic("single", page: "style: single, size: 20", fields: fields)
        ) {
            world in
            try await world.addUser("ann", videos: 1)
            let body = JSONValue.string(
                #"{"items": [{"id": "a", "name": "9223372036854775807"}, {"id": "b", "name": -4}]}"#
            ).text
            try await world.source.fault(#"{"kind": "status", "status": 200, "body": \#(body)}"#)
            try await world.drain()
            let sizes = try await world.rows(
                "select size::text from synced.generic_item order by id")
            #expect(sizes.map { $0.text("size") } == ["9223372036854775807", "-4"])
        }
    }

    @Test func `a refused sweep is told once and stands in the view of trouble`() async throws {
        let yaml = World.generic("token", page: Self.tokenPage, query: Self.token)
            .replacing(
                "mode: overwrite",
                with: "mode: overwrite, deletes: { sweep: after_full_pass, max_fraction: 0.2 }")
        try await withSyncedWorld(yaml, videos: 30) { world in
            let body = JSONValue.string(#"{"items": []}"#).text
            for _ in 0..<2 {
                try await world.source.fault(
                    #"{"kind": "status", "status": 200, "body": \#(body)}"#)
                try await world.runAgain()
            }
            #expect(try await world.value("select count(*) from synced.generic_item") == "30")
            // First that nothing came, then that too much would go.
            #expect(count(world, "sweep refused") == 2)
            let trouble = try await world.row("select * from jobrunner.jobs_in_trouble")
            #expect(trouble.text("trouble") == "sweep_refused")
            #expect(trouble.text("entity") == "item")
        }
    }
}
