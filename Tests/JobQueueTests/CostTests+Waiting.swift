import Claiming
import JobQueue
import Postgres
import Testing

// What counting costs that is done once a minute.
extension CostTests {
    @Test func `a count among 50,000 jobs that wait for nothing reads few buffers`() async throws {
        try await Fixture.lend { fixture async throws in
            _ = try await fixture.addWorker()
            try await fixture.addUsers(50_000)
            try await fixture.given(.notDue())
            try await fixture.script("vacuum analyze jobrunner.jobs")
            _ = try await fixture.queue.countWaiting()
            let buffers = try await fixture.pool.run { session in
                try session.script("\(Given.neverDone("waiting"))")
                return try cost(session, "select jobrunner.count_waiting()").buffers
            }
            // Two of them look whether a quarter of an hour is over.
            #expect(buffers <= 72, "\(buffers) buffers")
        }
    }

    @Test func `a count of a whole backlog reads no more than its bound`() async throws {
        try await Fixture.lend { fixture async throws in
            _ = try await fixture.addWorker()
            try await fixture.addUsers(20_000)
            try await fixture.script("vacuum analyze jobrunner.jobs")
            _ = try await fixture.queue.countWaiting()
            let buffers = try await fixture.pool.run { session in
                try session.script("\(Given.neverDone("waiting"))")
                return try cost(session, "select jobrunner.count_waiting(1000)").buffers
            }
            // An entry of the index and its row for each that is looked at.
            #expect(buffers <= 1300, "\(buffers) buffers")
        }
    }

    @Test func `a scrape reads few buffers, however many jobs, tenants and sources there are`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            _ = try await fixture.addWorker()
            try await fixture.addUsers(20_000)
            try await fixture.script(
                """
                insert into jobrunner.tenants (name) select 't' || n from generate_series(1, 5000) as n;
                insert into jobrunner.sources (tenant_id, name, tokens) select id, 'many', 1 from jobrunner.tenants;
                update jobrunner.sources set opened_at = now(), failed_openings = 1, blocked_until = now() + interval '1 hour', block_reason = 'x' where tenant_id % 1000 = 0;
                update jobrunner.jobs set consecutive_failures = 1, last_error_at = now(), due_at = now() + interval '1 hour'
                where user_id % 4 = 0;
                """)
            _ = try await fixture.queue.countWaiting()
            _ = try await fixture.queue.countFreshness()
            // By the role that scrapes. Other tests' new databases empty the cache of its rights, and looking them up is no
            // part of the plan: the least of some scrapes is. A vacuum beside an older snapshot leaves rows that a scrape
            // must look at, so it is done anew. PostgreSQL's own list of sessions, which the view reads twice, takes more
            // where many databases were made and dropped.
            let reader = try DatabaseConfiguration(
                conninfo: TestCluster.reader(of: fixture.url), applicationName: "test", lanes: 1)
            var buffers = Int.max
            for _ in 1...20 where buffers > 54 {
                try await fixture.script("vacuum analyze jobrunner.jobs")
                try await fixture.script("vacuum analyze jobrunner.sources")
                let scraped = try await Database.withSessions(reader) { database in
                    try await database.run { session in
                        try (1...10).map { _ in
                            try cost(session, "select * from jobrunner.gauges").buffers
                                - 2 * cost(session, "select datname from pg_stat_activity").buffers
                        }.min() ?? .max
                    }
                }
                buffers = min(buffers, scraped)
            }
            #expect(buffers <= 54, "\(buffers) buffers")
        }
    }

    @Test func `a part of the freshness count reads its users and no others`() async throws {
        try await Fixture.lend(users: 20_000) { fixture async throws in
            try await fixture.script("vacuum analyze jobrunner.jobs")
            try await fixture.script("vacuum analyze jobrunner.users")
            let buffers = try await fixture.pool.run { session in
                _ = try cost(session, "select jobrunner.count_freshness(100)")
                try session.script("\(Given.neverDone("freshness"))")
                return try cost(session, "select jobrunner.count_freshness(100)").buffers
            }
            #expect(buffers <= 650, "\(buffers) buffers")
        }
    }
}
