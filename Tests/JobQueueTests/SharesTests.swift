import Claiming
import JobQueue
import Postgres
import Testing

/// What the operator sees of fairness.
@Suite(.timeLimit(.minutes(10))) struct SharesTests {
    @Test func `a view tells what each tenant asked for, what it had, and since when it waits`()
        async throws
    {
        try await Fixture.lend { fixture in
            try await fixture.addTenant("heavy", weight: 3)
            try await fixture.addTenant("quiet")
            let ann = try await fixture.addUser()
            try await fixture.addUser("bob", tenant: "heavy")
            try await fixture.addUser("eve", tenant: "quiet")
            let worker = try await fixture.addWorker()
            let other = try await fixture.addWorker()
            try await fixture.given(.notDue(), .due(.user(ann), for: "7 min"))
            func note(_ worker: Int, _ acme: Int, _ heavy: Int) async throws {
                try await fixture.script(
                    """
                    select jobrunner.store_slot_use(\(worker), array_agg(t.id order by t.id), '{\(acme),\(heavy)}', 0)
                    from jobrunner.tenants as t where t.name in ('acme', 'heavy')
                    """)
            }
            try await note(worker, 1000, 4000)
            try await note(worker, 1000, 2000)
            try await note(other, 1000, 4000)
            let shares = """
                select concat_ws(' ', tenant, asked_percent, had_percent, slot_seconds, due_count,
                  extract(epoch from now() - waiting_since)::integer / 60)
                from jobrunner.tenant_shares order by tenant
                """
            #expect(
                try await fixture.texts(shares) == [
                    "acme 25.00 25.00 2.0 1 7", "heavy 75.00 75.00 6.0 0",
                ])
            // What a worker told long ago counts no more, but for the last that one told which has ended since.
            try await fixture.script(
                """
                \(Given.sharesNoted(ago: "31 s"))
                select jobrunner.deregister_worker(\(other));
                """)
            #expect(
                try await fixture.texts(shares) == [
                    "acme 25.00 20.00 1.0 1 7", "heavy 75.00 80.00 4.0 0",
                ])
            // What a paused tenant has due waits for nobody.
            try await fixture.script(
                """
                \(Given.sharesNoted(ago: "301 s"))
                select jobrunner.pause_jobs('acme');
                """)
            #expect(try await fixture.texts(shares) == [])
        }
    }

    @Test func `a worker tells what its tenants had, and nothing when nobody had anything`()
        async throws
    {
        try await Fixture.lend { fixture in
            try await fixture.addUser()
            let worker = try await fixture.addWorker()
            let claimer = fixture.claimer(4)
            let told =
                "select count(*) from jobrunner.slot_use where slot_ms[1] >= 0 and cardinality(tenant_ids) = 1"
            try await claimer.tellUse(worker: worker)
            #expect(try await fixture.int(told) == 0)
            let jobs = try await claimer.claim(worker: worker, slots: 4)
            #expect(jobs.count == 1)
            try await claimer.tellUse(worker: worker)
            #expect(try await fixture.int(told) == 1)
        }
    }
}
