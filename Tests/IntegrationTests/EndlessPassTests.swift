import Testing

/// A source that always names a next page keeps its job busy and never fails it.
@Suite struct EndlessPassTests {
    @Test
    func `a pass without end is logged once, when its job has yielded for a day and 100 runs`()
        async throws
    {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 20, max_pages: 100",
            query: #"cursor: "{page.token}""#, source: "rate: { per_second: 100000 }")
        try await withWorld(yaml, videos: 50) { world in
            try await world.source.fault(#"{"kind": "endless_cursor", "times": 0}"#)
            // Of the hundred runs that it takes, so many were yesterday.
            try await world.given(
                .runs(-98 ... -1, "partial", ago: "25 hours", counted: "pages => 100"))
            let worker = try await world.start()
            try await eventually("four runs more") {
                try await world.value("select count(*) >= 102 from jobrunner.runs") == "true"
            }
            await worker.stop()
            let told = world.lines.all.filter { $0.contains("pass endless") }
            #expect(told.count == 1, "\(told)")
            let second = try await world.value(
                "select id from jobrunner.runs where id > 0 order by id offset 1 limit 1")
            let words = "job=generic.items run=\(second ?? "")"
            #expect(told.first?.contains(words) == true, "\(told)")
            let trouble = try await world.row("select * from jobrunner.jobs_in_trouble")
            #expect(trouble.text("trouble") == "endless")
        }
    }

    /// Two entities of one job: the first never ends, the second needs it where `needs` says so.
    private static func twoEntities(needs: Bool) -> String {
        let file = World.generic(
            "token", page: "style: token, token_at: next_token, size: 20, max_pages: 2",
            query: #"cursor: "{page.token}""#)
        let lines = file.split(separator: "\n").map(String.init)
        let other = lines.drop { $0 != "  - entity: item" }.joined(separator: "\n")
            .replacing("entity: item", with: "entity: other")
            .replacing("table: generic_item", with: "table: other_item")
            .replacing("/token", with: "/next_url").replacing(
                #"cursor: "{page.token}", "#, with: ""
            )
            .replacing(
                "style: token, token_at: next_token, size: 20, max_pages: 2",
                with: "style: next_url, url_at: next, size: 20")
        return file + "\n" + other + (needs ? "\n    requires_previous: true" : "")
    }

    @Test func `runs that bring nothing new wait longer and longer, and are told after ten`()
        async throws
    {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 20, max_pages: 2",
            query: #"cursor: "{page.token}""#)
        try await withWorld(yaml, videos: 20) { world in
            try await world.source.fault(#"{"kind": "endless_cursor", "times": 0}"#)
            var pauses: [Int] = []
            // The first run brings the rows, and is followed by two at once.
            for _ in 0..<12 {
                try await world.runAgain()
                let job = try await world.row(
                    """
                    select fruitless_runs, extract(epoch from due_at - last_run_at)::int as pause from jobrunner.jobs
                    """)
                pauses.append(job.int("pause") ?? -1)
                if (job.int("fruitless_runs") ?? 0) >= 10 { break }
            }
            #expect(pauses == [1, 3, 7, 15, 31, 63, 127], "\(pauses)")
            #expect(world.lines.all.count { $0.contains("pass endless") } == 1)
            #expect(
                try await world.value("select trouble from jobrunner.jobs_in_trouble") == "endless")
        }
    }

    @Test(arguments: [false, true])
    func
        `a pass that reads as many pages as a run may lets the others be read, but for those that need it`(
            _ needs: Bool
        ) async throws
    {
        try await withWorld(Self.twoEntities(needs: needs), videos: 20) { world in
            try await world.source.fault(
                #"{"kind": "endless_cursor", "path": "/generic/ann/token", "times": 0}"#)
            try await world.drain()
            #expect(
                try await world.value("select count(*) > 0 from synced.other_item")
                    == (needs ? "false" : "true"))
            #expect(try await world.job("ann").text("last_outcome") == "partial")
        }
    }
}
