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

    @Test func `a claim of a hundred tenants' jobs reads at most eleven buffers a job`()
        async throws
    {
        try await Fixture.lend { fixture, worker in
            try await addTenants(fixture)
            let costs = try await fixture.pool.run { session in
                try (0...3).map { round in
                    try cost(
                        session,
                        """
                        select c.* from (
                          select array_agg(t.id) as ids from (
                            select t.id from jobrunner.tenants as t where t.name like 't%' order by t.id % 77, t.id
                            limit 100 offset \(round * 100)
                          ) as t
                        ) as t
                        cross join lateral jobrunner.claim_of_tenants(\(worker), 100, '{hub.refresh}', t.ids,
                          array_fill(1, array[100]), array_fill(0, array[100]),
                          (select array_agg(f order by n, l) from generate_series(1, 100) as n,
                            unnest(array['infinity', '-infinity', 'infinity']::timestamptz[]) with ordinality as f (f, l)),
                          array_fill(0::bigint, array[300])) as c
                        """
                    ).buffers
                }
            }
            let claimed = try await fixture.int(
                "select count(*) from jobrunner.jobs where worker_id is not null")
            #expect(claimed == 400)
            // Right after a vacuum each page is all visible, and its first lock and its first update ask for the map as well.
            // A session's first claim reads the catalogue as well.
            #expect(try #require(costs.dropFirst().max()) <= 1100, "\(costs)")
        }
    }

    @Test
    func `an empty claim reads at most 20 buffers, whatever tenants have that none may claim`()
        async throws
    {
        try await Fixture.lend { fixture, worker in
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
                let buffers = try await fixture.pool.run { session in
                    try (1...3).map { _ in
                        try cost(session, claimDue(worker, 100, since: "now() - interval '3 s'"))
                            .buffers
                    }
                }
                #expect(try #require(buffers.dropFirst().max()) <= 20, "\(buffers)")
            }
        }
    }
}
