import Testing

/// A job file that names no limit is held to one all the same.
@Suite struct DefaultLimitTests {
    @Test func `a file without max_pages ends each run of a pass without end after 10000 pages`()
        async throws
    {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 1",
            query: #"cursor: "{page.token}""#, source: "rate: { per_second: 100000 }",
            deadline: "30m")
        try await withWorld(yaml, videos: 1) { world in
            try await world.source.fault(#"{"kind": "endless_cursor", "times": 0}"#)
            let worker = try await world.start()
            try await eventually("a run has ended") {
                try await !world.runs("ann").isEmpty
            }
            await worker.stop()
            #expect(try await world.outcomes("ann").first == "partial page_cap")
            #expect(try await world.runs("ann").first?.int("pages") == 10_000)
            #expect(try await world.checkpoint("ann").isNull("last_synced_at"))
        }
    }
}
