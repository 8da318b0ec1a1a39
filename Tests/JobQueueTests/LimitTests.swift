import Postgres
import Claiming
import Claiming
import JobQueue
import Testing

/// `max_running` holds whatever is under way when it is set (docs/decisions/0040, invariant 2).
@Suite(.timeLimit(.minutes(10))) struct LimitTests {
    private let running = "select count(*) from jobrunner.jobs where worker_id is not null"

    /// A claim of the oldest due jobs of the only tenant.
    private func claim(_ worker: Int, _ count: Int) -> String {
        """
        select coalesce(cardinality(c.jobs), 0)
        from jobrunner.tenants as t
        cross join lateral jobrunner.claim_of_tenants(\(worker), \(count), '{hub.refresh}', array[t.id], '{\(count)}', '{0}',
          array['-infinity', '-infinity', 'infinity']::timestamptz[], '{0, 0, 0}') as c
        where t.name = 'acme'
        """
    }

    @Test(arguments: [true, false])
    func `while a claim is under way that knows nothing of a new limit nobody else takes any`(
        _ commits: Bool
    ) async throws {
        try await Fixture.lend { fixture in
            let first = try await fixture.addWorker()
            let second = try await fixture.addWorker()
            try await fixture.addUsers(9)
            let claim = try await OpenTransaction(fixture.url, claim(first, 3))
            try await fixture.script("select jobrunner.set_tenant('acme', null, 2)")
            for _ in 1...2 { #expect(try await fixture.claim(second).isEmpty) }
            if commits { try await claim.commit() } else { try await claim.rollBack() }
            #expect(try await fixture.claim(second).count == (commits ? 0 : 2))
            #expect(try await fixture.int(running) == (commits ? 3 : 2))
            #expect(
                try await fixture.int(
                    "select count(*) from jobrunner.limited_tenants where is_settled") == 1)
        }
    }

    @Test func `a limit counts what ran before, also a job that an application holds`() async throws
    {
        try await Fixture.lend(users: 9) { fixture, worker async throws in
            #expect(try await fixture.int(claim(worker, 3)) == 3)
            let held = """
                select from jobrunner.jobs where worker_id is not null order by user_id limit 1 for update
                """
            try await fixture.during(held) { () async throws in
                try await fixture.script("select jobrunner.set_tenant('acme', null, 4)")
                #expect(try await fixture.claim(worker).count == 1)
                #expect(try await fixture.claim(worker).isEmpty)
            }
            #expect(try await fixture.claim(worker).isEmpty)
            let marked = try await fixture.int(
                "select count(*) from jobrunner.limited_runs")
            #expect(marked == 4)
        }
    }

    @Test func `a limit that is set in a long transaction counts what was claimed meanwhile`()
        async throws
    {
        try await Fixture.lend(users: 9) { fixture, worker in
            try await fixture.during("select jobrunner.set_tenant('acme', null, 4)") {
                () async throws in
                #expect(try await fixture.int(claim(worker, 3)) == 3)
            }
            #expect(try await fixture.claim(worker).count == 1)
        }
    }

    @Test(arguments: ["in_weight => 2", "in_max_running => 5", "in_unlimited => true"])
    func `a tenant with a limit goes on by it while a transaction that changes it stays open`(
        change: String
    ) async throws {
        try await Fixture.lend(users: 9) { fixture, worker in
            try await fixture.script(
                """
                select jobrunner.set_tenant('acme', in_max_running => 3);
                select jobrunner.activate_limits();
                """)
            try await fixture.during("select jobrunner.set_tenant('acme', \(change))") {
                () async throws in
                let jobs = try await fixture.claim(worker)
                #expect(jobs.count == 3)
                try await fixture.finish(try #require(jobs.first).claim)
                #expect(try await fixture.claim(worker).count == 1)
            }
        }
    }

    @Test func `a job that may have killed two workers counts towards the limit with others`()
        async throws
    {
        try await Fixture.lend(users: 3) { fixture, worker in
            try await fixture.script(
                """
                select jobrunner.set_tenant('acme', null, 2);
                \(Given.crashed(.first))
                """)
            try await fixture.queue.activateLimits()
            let claimer = fixture.claimer(10)
            #expect(try await claimer.takeSuspect(worker: worker) != nil)
            #expect(try await claimer.claim(worker: worker, slots: 10).count == 1)
            #expect(try await fixture.int(running) == 2)
        }
    }

    @Test func `a limit that is taken away and set again during a reconciling counts what runs`()
        async throws
    {
        try await Fixture.lend(users: 5) { fixture, worker in
            try await fixture.script("select jobrunner.set_tenant('acme', in_max_running => 1)")
            #expect(try await fixture.claim(worker).count == 1)
            try await fixture.script("select jobrunner.set_tenant('acme', in_unlimited => true)")
            try await fixture.during("select jobrunner.reconcile_jobs()") { () async throws in
                try await fixture.script(
                    "select jobrunner.set_tenant('acme', in_max_running => 1)")
                #expect(try await fixture.claim(worker).isEmpty)
            }
            #expect(try await fixture.claim(worker).isEmpty)
            #expect(try await fixture.int(running) == 1)
        }
    }

    @Test func `a claim of a tenant with a limit changes no index of the jobs`() async throws {
        try await Fixture.lend(users: 40) { fixture, worker in
            try await fixture.script(
                """
                select jobrunner.set_tenant('acme', null, 20);
                select jobrunner.activate_limits();
                """)
            let hot = try await fixture.pool.run { session in
                try session.transaction { session in
                    let count = try session.query(.unprepared(claim(worker, 20))).only().int(0)
                    #expect(count == 20)
                    return try session.query(
                        Statement(
                            "select pg_stat_get_xact_tuples_hot_updated('jobrunner.jobs'::regclass)"
                        )
                    ).only().int(0)
                }
            }
            #expect(hot == 20)
        }
    }
}
