import Postgres
import JobQueue
import TestSupport
import Testing

/// `max_running` holds whatever is under way when it is set (docs/decisions/0040, invariant 2).
@Suite(.timeLimit(.minutes(10))) struct LimitTests {
    private let running = "select count(*) from jobrunner.jobs where worker_id is not null"

    /// A claim of the oldest due jobs of the only tenant, of which it knows no limit.
    private func claim(_ worker: Int, _ count: Int) -> String {
        """
        select count(c.user_id)
        from (
          select array_agg(w.ctid) as places, array_agg(w.tenant_id) as tenants
          from (
            select j.ctid, j.tenant_id from jobrunner.jobs as j where j.state = 'waiting' order by j.claimable_at limit \(count)
          ) as w
        ) as t
        cross join lateral jobrunner.claim_jobs(\(worker), \(count), '{hub.refresh}',
          row('infinity', 0, 'infinity', 0, false)::jobrunner.due_walk,
          row(t.tenants, '{}', '{}', '{}', t.places)::jobrunner.claim_offer, false) as c
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
        try await Fixture.lend { fixture in
            let worker = try await fixture.addWorker()
            try await fixture.addUsers(9)
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
                "select count(*) from jobrunner.jobs where limited_tenant_id is not null")
            #expect(marked == 4)
        }
    }

    @Test func `a claim tells which of its tenants have a limit, and not of others`() async throws {
        try await Fixture.lend { fixture in
            let worker = try await fixture.addWorker()
            try await fixture.addUsers(9)
            try await fixture.addUsers(9, tenant: "other", addingTenant: true)
            let locking = """
                select coalesce(cardinality(c.limited_ids), 0)
                from (
                  select array_agg(p.id) as ids, array_agg(p.first) as firsts, array_agg(p.last) as lasts,
                    (select array_agg(j.ctid order by j.tenant_id) from jobrunner.jobs as j) as places
                  from (
                    select j.tenant_id as id, min(j.place) as first, max(j.place) as last
                    from (select k.tenant_id, row_number() over (order by k.tenant_id)::integer as place from jobrunner.jobs as k) as j
                    group by j.tenant_id
                  ) as p
                ) as w
                cross join lateral jobrunner.claim_jobs(\(worker), 4, '{hub.refresh}',
                  row('infinity', 0, 'infinity', 0, false)::jobrunner.due_walk,
                  row(w.ids, '{2,2}', w.firsts, w.lasts, w.places)::jobrunner.claim_offer, true) as c
                where c.user_id is null
                """
            #expect(try await fixture.int(locking) == 0)
            try await fixture.script("select jobrunner.set_tenant('acme', null, 5)")
            #expect(try await fixture.int(locking) == 1)
        }
    }

    @Test func `a limit that is set in a long transaction counts what was claimed meanwhile`()
        async throws
    {
        try await Fixture.lend { fixture in
            let worker = try await fixture.addWorker()
            try await fixture.addUsers(9)
            try await fixture.during("select jobrunner.set_tenant('acme', null, 4)") {
                () async throws in
                #expect(try await fixture.int(claim(worker, 3)) == 3)
            }
            #expect(try await fixture.claim(worker).count == 1)
        }
    }

    @Test func `a job that may have killed two workers counts towards the limit with others`()
        async throws
    {
        try await Fixture.lend { fixture in
            let worker = try await fixture.addWorker()
            try await fixture.addUsers(3)
            try await fixture.script(
                """
                select jobrunner.set_tenant('acme', null, 2);
                update jobrunner.jobs set crashes = 2 where user_id = (select min(user_id) from jobrunner.jobs)
                """)
            // With locks, and one statement offers all of them.
            let taken = try await fixture.int(
                """
                select count(c.user_id)
                from (select tenant_id, array_agg(ctid) as places from jobrunner.jobs group by tenant_id) as t
                cross join lateral jobrunner.claim_jobs(\(worker), 10, '{hub.refresh}',
                  row('infinity', 0, 'infinity', 0, false)::jobrunner.due_walk,
                  row(array[t.tenant_id], '{10}', '{1}', '{3}', t.places)::jobrunner.claim_offer, true) as c
                """)
            #expect(taken == 2)
            #expect(try await fixture.int(running) == 2)
        }
    }
}
