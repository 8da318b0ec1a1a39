import Postgres
import Testing

// What tenants cost who have nothing to do with it.
extension CostTests {
    /// 10,000 tenants with five users each, whose jobs are due in an order of their own.
    private func addTenants(_ fixture: Fixture) async throws {
        try await fixture.script(
            """
            insert into jobrunner.tenants (name) select 't' || n from generate_series(1, 10000) as n;
            insert into jobrunner.users (tenant_id, key)
            select t.id, 'user' || n from jobrunner.tenants as t, generate_series(1, 5) as n where t.name like 't%';
            insert into jobrunner.jobs (user_id, name, tenant_id, every, phase, deadline, due_at)
            select u.id, 'hub.refresh', u.tenant_id, '1 hour', '0', '5 min', now() - interval '1 min' - (u.id * 7919 % 50000) * interval '1 ms'
            from jobrunner.users as u where u.key like 'user%'
            """)
        try await fixture.script("vacuum analyze jobrunner.jobs")
    }

    @Test func `a claim of a hundred tenants' jobs reads at most six buffers a job`() async throws {
        try await Fixture.lend { fixture in
            let worker = try await fixture.addWorker()
            try await addTenants(fixture)
            let costs = try await fixture.database.run { session in
                try (1...4).map { _ in
                    let offers = try session.query(
                        .unprepared(
                            """
                            select array_agg(w.ctid)::text, array_agg(w.tenant_id)::text, count(distinct w.tenant_id)
                            from (
                              select j.ctid, j.tenant_id from jobrunner.jobs as j
                              where j.claimable_at <= now() and j.state = 'waiting'
                              order by j.claimable_at, j.user_id limit 100
                            ) as w
                            """)
                    ).only()
                    let tenants = try offers.int(2)
                    #expect(tenants > 90)
                    return try cost(
                        session,
                        """
                        select * from jobrunner.claim_jobs(\(worker), 100, '{hub.refresh}',
                          row('infinity', 0, 'infinity', 0, false)::jobrunner.due_walk,
                          row('\(try offers.text(1))', '{}', '{}', '{}', '\(try offers.text(0))')::jobrunner.claim_offer, false)
                        """
                    ).buffers
                }
            }
            let claimed = try await fixture.int(
                "select count(*) from jobrunner.jobs where worker_id is not null")
            #expect(claimed == 400)
            // A session's first claim reads the catalogue as well.
            #expect(try #require(costs.dropFirst().max()) <= 600, "\(costs)")
        }
    }

    @Test
    func `an empty claim reads at most 50 buffers, whatever tenants have that none may claim`()
        async throws
    {
        try await Fixture.lend { fixture in
            let worker = try await fixture.addWorker()
            try await addTenants(fixture)
            // Some are paused, some are at their limits, and under a snapshot all rows have dead versions.
            try await fixture.script(
                """
                update jobrunner.tenants set paused_at = now() where id % 2 = 0;
                update jobrunner.tenants set max_running = 1 where id % 2 = 1;
                """)
            try await fixture.during(
                "set transaction isolation level repeatable read; select from jobrunner.jobs limit 1"
            ) {
                try await fixture.script(
                    "update jobrunner.jobs set due_at = due_at - interval '1 hour', worker_id = null"
                )
                let buffers = try await fixture.database.run { session in
                    try (1...3).map { _ in
                        try cost(session, claimDue(worker, 100, since: "now() - interval '3 s'"))
                            .buffers
                    }
                }
                #expect(try #require(buffers.dropFirst().max()) <= 50, "\(buffers)")
            }
        }
    }
}
