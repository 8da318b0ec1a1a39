import JSON
import Postgres
import JobQueue
import Testing

/// Costs that no busy machine can blur: buffers and log bytes of claims and outcomes.
@Suite("Costs")
struct CostTests {
    /// What `explain (analyze, buffers, wal)` says of a whole statement.
    struct Cost {
        var buffers: Int
        var logBytes: Int
        var images: Int
    }

    func cost(_ session: Session, _ sql: String) throws -> Cost {
        let text = try session.query(
            .unprepared("explain (analyze, buffers, wal, format json) " + sql)
        ).only().text(0)
        let plan = try Array(JSONDocument(parsing: Array(text.utf8)).root.elements).first?["Plan"]
        func number(_ name: String) -> Int { plan?[name]?.int ?? 0 }
        return Cost(
            buffers: number("Shared Hit Blocks") + number("Shared Read Blocks"),
            logBytes: number("WAL Bytes"), images: number("WAL FPI"))
    }

    /// Of a tenant of whom something is due from a time on.
    private func claim(
        _ session: Session, _ worker: Int, _ limit: Int, since: String
    ) throws -> Cost {
        try cost(
            session,
            """
            select c.*
            from jobrunner.tenants as t
            cross join lateral jobrunner.claim_of_tenants(\(worker), \(limit), '{hub.refresh}', array[t.id], '{\(limit)}', '{0}',
              array['infinity', \(since), 'infinity']::timestamptz[], '{0, 0, 0}') as c
            where t.name = 'acme'
            """)
    }

    /// Of all that became due.
    func claimDue(_ worker: Int, _ limit: Int, since: String) -> String {
        "select * from jobrunner.claim_new(\(worker), \(limit), '{hub.refresh}', \(since), 0)"
    }

    /// Ends all that runs as a run does that found nothing new.
    private let finish = """
        select cardinality(jobrunner.finish_idle_runs(
          array_agg(place), array_agg(fence), array_agg(nonce), array_agg(true), array_agg(null::text)))
        from held
        """

    private let hold = """
        drop table if exists held;
        create temp table held as
        select ctid as place, fence, nonce from jobrunner.jobs where worker_id is not null order by user_id;
        """

    @Test(arguments: [(200, 650), (1, 1000)])
    func `an idle run writes at most 650 bytes of log, and alone in its claim 1,000`(
        _ batch: Int, _ bytesMax: Int
    ) async throws {
        try await Fixture.lend(users: 2000) { fixture, worker async throws in
            try await fixture.script("vacuum analyze jobrunner.jobs")
            let perRun = try await fixture.pool.run { session in
                var perRun: [Int] = []
                // The indexes of a table that was just filled must split their full pages first.
                for _ in 1...3 {
                    for _ in 1...4 {
                        _ = try claim(session, worker, 500, since: "'-infinity'")
                    }
                    try session.script(hold)
                    _ = try session.query(.unprepared(finish))
                    try session.script(
                        "update jobrunner.jobs set due_at = now() - random() * interval '1 min'")
                }
                try session.script("vacuum jobrunner.jobs")
                // A page's first change after a checkpoint logs the whole page: those rounds are left out.
                for _ in 1...8 {
                    let claimed = try claim(session, worker, batch, since: "'-infinity'")
                    try session.script(hold)
                    let finished = try cost(session, finish)
                    let forgotten = try cost(
                        session, "select jobrunner.forget_ended_claims(\(worker))")
                    #expect(
                        try session.query(Statement("select count(*) from held")).only().int(0)
                            == batch)
                    let costs = [claimed, finished, forgotten]
                    guard costs.allSatisfy({ $0.images == 0 }) else { continue }
                    perRun.append(costs.reduce(0) { $0 + $1.logBytes } / batch)
                }
                return perRun
            }
            let least = try #require(perRun.min())
            // Under `logical` whole rows are logged, not what changed of them.
            let most =
                try await fixture.text("select current_setting('wal_level')") == "logical"
                ? bytesMax + 250 : bytesMax
            #expect(least <= most, "\(perRun)")
        }
    }

    @Test func `a claim reads at most 60 buffers a job among the dead rows of a held snapshot`()
        async throws
    {
        try await Fixture.lend(users: 2000) { fixture, worker async throws in
            // Figures made in between would change the plan of the look without a bound.
            try await fixture.script(
                "alter table jobrunner.jobs set (autovacuum_enabled = false)")
            try await fixture.script("vacuum analyze jobrunner.jobs")
            // Nothing that dies from here on can be cleared away.
            var configuration = try DatabaseConfiguration(
                conninfo: fixture.url, applicationName: "holder", lanes: 1)
            configuration.idleInTransactionTimeout = .seconds(300)
            let holder = Database(configuration)
            let (signals, held) = AsyncStream.makeStream(of: Void.self)
            let gate = Gate()
            let snapshot = Task {
                try await holder.run { session in
                    try session.transaction { session in
                        try session.script("set transaction isolation level repeatable read")
                        _ = try session.query(Statement("select count(*) from jobrunner.jobs"))
                        held.yield()
                        gate.wait()
                    }
                }
            }
            for await _ in signals { break }
            let (bounded, unbounded) = try await fixture.pool.run { session in
                // Ten rounds of all 2,000 jobs: 20,000 dead versions at the head of the index.
                for _ in 1...10 {
                    try session.script(
                        "update jobrunner.jobs set due_at = now() - interval '1 min' - (user_id * 7919 % 2000) * interval '1 ms'"
                    )
                    for _ in 1...4 {
                        _ = try claim(session, worker, 500, since: "'-infinity'")
                    }
                    try session.script(hold)
                    _ = try session.query(.unprepared(finish))
                }
                try session.script(
                    "update jobrunner.jobs set due_at = now() where user_id % 20 = 0")
                let sinceNow = "now() - interval '500 ms'"
                let bounded = try cost(session, claimDue(worker, 999, since: sinceNow))
                let unbounded = try cost(session, claimDue(worker, 999, since: "'-infinity'"))
                return (bounded.buffers / 50, unbounded.buffers / 50)
            }
            gate.open()
            try await snapshot.value
            await holder.close()
            #expect(bounded <= 60, "\(bounded)")
            // The bound is what does it.
            #expect(unbounded > 5 * bounded, "\(unbounded) without the bound, \(bounded) with it")
        }
    }

    /// Each job's row is found in an index, locked, found again by the update, and changed; what became due is found twice, for a
    /// limit may have been set since the first look.
    @Test func `a claim of a hundred among 50,000 jobs reads at most eight buffers a job`()
        async throws
    {
        try await Fixture.lend { fixture, worker async throws in
            // Made as they are, for a row that was changed may stay dead in the index for a while.
            try await fixture.script(
                """
                with added as (
                  insert into jobrunner.users (tenant_id, key)
                  select t.id, 'user' || n from jobrunner.tenants as t, generate_series(1, 50000) as n
                  where t.name = 'acme' returning id, tenant_id
                )
                insert into jobrunner.jobs (user_id, name, tenant_id, every, phase, deadline, due_at)
                select id, 'hub.refresh', tenant_id, '1 hour', '0', '5 min',
                  now() + case when id % 500 = 0 then interval '-1 min' else '30 min' end
                from added;
                insert into jobrunner.jobs (user_id, name, tenant_id, every, phase, deadline, due_at)
                select u.id, 'hub.status', u.tenant_id, '1 hour', '0', '5 min', 'infinity'
                from jobrunner.users as u where u.id <= 3;
                """)
            try await fixture.script("analyze jobrunner.jobs")
            let since = "now() - interval '1 hour'"
            let (some, all) = try await fixture.pool.run { session in
                // A session's first claims read the catalogue as well.
                for number in 1...3 {
                    _ = try claim(session, worker, 1, since: since)
                    try session.script(
                        "update jobrunner.jobs set due_at = now() where user_id = \(number) and name = 'hub.status'"
                    )
                    _ = try session.query(
                        .unprepared(
                            claimDue(worker, 10, since: since).replacing("refresh", with: "status"))
                    )
                }
                let some = try claim(session, worker, 40, since: since).buffers
                return (some, try cost(session, claimDue(worker, 57, since: since)).buffers)
            }
            #expect(
                try await fixture.int(
                    "select count(*) from jobrunner.jobs where worker_id is not null and name = 'hub.refresh'"
                ) == 100)
            #expect(some <= 6 * 40, "\(some)")
            #expect(all <= 8 * 57 + 20, "\(all)")
        }
    }

    /// An outage ends like this: the statistics are of a time when nothing was due.
    @Test func `a backlog that the statistics know nothing of costs a claim no more than another`()
        async throws
    {
        try await Fixture.lend { fixture, worker in
            try await fixture.script("alter table jobrunner.jobs set (autovacuum_enabled = false)")
            try await fixture.addUsers(20_000)
            try await fixture.script(
                "update jobrunner.jobs set due_at = now() + interval '1 day'")
            // Else the dead entries of the jobs as they were made would be what costs.
            try await fixture.script("vacuum analyze jobrunner.jobs")
            try await fixture.script(
                "update jobrunner.jobs set due_at = now() - user_id * interval '1 ms'"
            )
            let costs = try await fixture.pool.run { session in
                let late = try session.query(
                    Statement("select (max(due_at) - interval '50 ms')::text from jobrunner.jobs")
                ).only().text(0)
                // A session's first claims read the catalogue as well.
                for _ in 1...3 { _ = try claim(session, worker, 1, since: "'-infinity'") }
                return try [
                    claim(session, worker, 97, since: "'-infinity'").buffers,
                    cost(session, claimDue(worker, 100, since: "'\(late)'")).buffers,
                ]
            }
            let claimed = try await fixture.int(
                "select count(*) from jobrunner.jobs where worker_id is not null")
            #expect(claimed >= 150)
            #expect(costs[0] <= 13 * 97, "\(costs)")
            #expect(costs[1] <= 18 * 50, "\(costs)")
        }
    }

    /// A server that was tried out with three users, and then given many.
    @Test func `a claim that was planned when there were three jobs costs no more among 20,000`()
        async throws
    {
        try await Fixture.lend(users: 3) { fixture, worker in
            try await fixture.script("alter table jobrunner.jobs set (autovacuum_enabled = false)")
            try await fixture.script("vacuum analyze jobrunner.jobs")
            let more = """
                insert into jobrunner.users (tenant_id, key)
                select t.id, 'more' || n from jobrunner.tenants as t, generate_series(1, 20000) as n where t.name = 'acme';
                insert into jobrunner.jobs (user_id, name, tenant_id, every, phase, deadline, due_at)
                select u.id, 'hub.refresh', u.tenant_id, '1 hour', '0', '5 min', now() - interval '1 min'
                from jobrunner.users as u where u.key like 'more%'
                """
            let claimed = try await fixture.pool.run { session in
                for _ in 1...2 {
                    _ = try claim(session, worker, 1, since: "'-infinity'")
                }
                try session.script(more)
                return try claim(session, worker, 100, since: "'-infinity'")
            }
            #expect(claimed.buffers <= 12 * 100, "\(claimed)")
        }
    }

    @Test
    func `an empty claim reads at most twenty buffers among 50,000 parked, running and later jobs`()
        async throws
    {
        try await Fixture.lend { fixture, worker in
            try await fixture.script(
                """
                with added as (
                  insert into jobrunner.users (tenant_id, key)
                  select t.id, 'user' || n from jobrunner.tenants as t, generate_series(1, 50000) as n
                  where t.name = 'acme' returning id, tenant_id
                )
                insert into jobrunner.jobs (user_id, name, tenant_id, every, phase, deadline, due_at, paused_at)
                select id, 'hub.refresh', tenant_id, '1 hour', '0', '5 min',
                  now() + case when id % 2 = 0 or id % 51 = 0 then interval '-1 min' else '30 min' end,
                  case when id % 2 = 0 then now() end
                from added;
                analyze jobrunner.jobs
                """)
            let buffers = try await fixture.pool.run { session in
                _ = try cost(session, claimDue(worker, 999, since: "'-infinity'"))
                return try (1...3).map { _ in
                    try cost(session, claimDue(worker, 100, since: "now() - interval '3 s'"))
                        .buffers
                }
            }
            let running = try await fixture.int(
                "select count(*) from jobrunner.jobs where state = 'running'")
            #expect(running > 400)
            #expect(buffers.last ?? .max <= 20, "\(buffers)")
        }
    }
}
