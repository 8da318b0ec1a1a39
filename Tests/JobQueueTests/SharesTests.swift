import Postgres
import Testing

@testable import JobQueue

/// What the operator sees of fairness.
@Suite(.timeLimit(.minutes(10))) struct SharesTests {
    @Test func `use is told of the last five minutes, runs that are under way included`() {
        var use = SlotUse()
        #expect(use.report([], at: 0) == nil)
        use.note(1, 30, at: 30)
        use.note(2, 10, at: 90)
        let first = use.report([(2, 5)], at: 100)
        #expect(first?.tenants.map(\.id) == [1, 2])
        #expect(first?.tenants.map(\.seconds) == [30, 15])
        #expect(use.report([], at: 301)?.tenants.map(\.id) == [2])
        // What is over is told once.
        #expect(use.report([], at: 500)?.tenants.isEmpty == true)
        #expect(use.report([], at: 510) == nil)
    }

    @Test func `of a run that is longer than the five minutes these are told`() {
        var use = SlotUse()
        use.note(1, 3600, at: 4000)
        #expect(use.report([], at: 4000)?.tenants.map(\.seconds) == [300])
    }

    @Test func `of more than a thousand tenants those that had most are told by name`() {
        var use = SlotUse()
        for tenant in 1...1500 { use.note(Int64(tenant), Double(tenant) / 8, at: 1) }
        let report = use.report([], at: 1)
        #expect(report?.tenants.count == 1000 && report?.tenants.first?.id == 1500)
        #expect(report?.others == Double((1...500).reduce(0, +)) / 8)
    }

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
            try await fixture.script(
                """
                update jobrunner.jobs set due_at = case when user_id = \(ann) then now() - interval '7 min'
                  else now() + interval '1 h' end
                """)
            func note(_ worker: Int, _ acme: Int, _ heavy: Int) async throws {
                try await fixture.script(
                    """
                    select jobrunner.note_slot_use(\(worker), array_agg(t.id order by t.id), '{\(acme),\(heavy)}', 0)
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
                update jobrunner.slot_use set noted_at = now() - interval '31 s';
                select jobrunner.deregister_worker(\(other));
                """)
            #expect(
                try await fixture.texts(shares) == [
                    "acme 25.00 20.00 1.0 1 7", "heavy 75.00 80.00 4.0 0",
                ])
            // What a paused tenant has due waits for nobody.
            try await fixture.script(
                """
                update jobrunner.slot_use set noted_at = now() - interval '301 s';
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
