import Testing
import TestSupport

/// A source that always names a next page keeps its job busy and never fails it.
@Suite struct EndlessPassTests {
    @Test
    func `a pass without end is logged once, when its job has yielded for a day and 100 runs`()
        async throws
    {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 20, max_pages: 100",
            query: #"cursor: "{page.token}""#, source: "rate: { per_second: 100000 }")
        try await withWorld(yaml) { world in
            try await world.addUser("ann", videos: 50)
            try await world.source.fault(#"{"kind": "endless_cursor", "times": 0}"#)
            // Of the hundred runs that it takes, so many were yesterday.
            try await world.sql(
                """
                insert into jobrunner.runs
                  (user_id, id, outcome, tenant_id, job_name, scheduled_at, started_at, ended_at, counters.pages)
                select j.user_id, -n, 'partial', j.tenant_id, j.name, now(), now(), now() - interval '25 hours', 100
                from jobrunner.jobs as j, generate_series(1, 98) as n
                """)
            let worker = try world.start()
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
}
