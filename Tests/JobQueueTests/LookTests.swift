import Postgres
import TestSupport
import JobQueue
import Testing

/// A worker that expects nothing asks for less than a claim.
@Suite(.timeLimit(.minutes(10))) struct LookTests {
    @Test func `a look finds nothing until something is due, and the claim after it takes that`()
        async throws
    {
        try await Fixture.lend { fixture in
            try await fixture.addUsers(1)
            try await fixture.script("update jobrunner.jobs set due_at = now()")
            let worker = try await fixture.addWorker()
            let claimer = fixture.claimer(10)
            // Before its first claim a worker can't know.
            #expect(try await !claimer.findsNothing())
            let first = try await claimer.claim(worker: worker, slots: 10)
            #expect(first.count == 1)
            // What runs is nothing to claim.
            let time = try await fixture.int(
                "select (extract(epoch from due_at) * 1e6)::bigint from jobrunner.jobs")
            claimer.note(dueFrom: Int64(time))
            #expect(try await claimer.findsNothing())
            _ = try await fixture.finish(first[0].claim)
            // The job is due again in an hour.
            for _ in 1...3 { #expect(try await claimer.findsNothing()) }
            try await fixture.script(
                "update jobrunner.jobs set due_at = now()")
            #expect(try await !claimer.findsNothing())
            #expect(try await claimer.claim(worker: worker, slots: 10).count == 1)
        }
    }

    /// A worker whose only job has run and is due later, so that it expects nothing.
    private func expectingNothing(_ fixture: Fixture) async throws -> (Int, Claimer) {
        try await fixture.addUsers(1)
        let worker = try await fixture.addWorker()
        let claimer = fixture.claimer(10)
        let first = try await claimer.claim(worker: worker, slots: 10)
        _ = try await fixture.finish(first[0].claim)
        #expect(try await claimer.findsNothing())
        return (worker, claimer)
    }

    /// Claims until the claimer is behind nothing: on a busy machine one claim ends before it has seen all.
    private func claimAll(_ claimer: Claimer, _ worker: Int, slots: Int) async throws
        -> [ClaimedJob]
    {
        var jobs: [ClaimedJob] = []
        repeat {
            jobs += try await claimer.claim(worker: worker, slots: slots - jobs.count)
        } while claimer.isBehind && jobs.count < slots
        return jobs
    }

    @Test func `what became due behind the front is found once somebody says so`() async throws {
        try await Fixture.lend { fixture in
            let (worker, claimer) = try await expectingNothing(fixture)
            try await fixture.script(
                "update jobrunner.jobs set due_at = now() - interval '1 h'")
            claimer.note(dueFrom: 0)
            #expect(try await !claimer.findsNothing())
            #expect(try await claimAll(claimer, worker, slots: 10).count == 1)
        }
    }

    @Test func `what became due within a worker's grace is left to others, and found after it`()
        async throws
    {
        try await Fixture.lend { fixture in
            let (worker, claimer) = try await expectingNothing(fixture)
            let eager = fixture.claimer(10)
            _ = try await eager.claim(worker: worker, slots: 10)
            try await fixture.script("update jobrunner.jobs set due_at = now()")
            #expect(try await claimer.findsNothing(grace: .seconds(60)))
            #expect(try await !eager.findsNothing())
            // What was left is in front of the next look still.
            #expect(try await !claimer.findsNothing())
        }
    }

    @Test func `a look finds a job that may have killed two workers, wherever it stands`()
        async throws
    {
        try await Fixture.lend { fixture in
            let (worker, claimer) = try await expectingNothing(fixture)
            // Where no walk comes to any more.
            try await fixture.script(
                "update jobrunner.jobs set crashes = 2, due_at = now() - interval '1 h'")
            #expect(try await !claimer.findsNothing())
            #expect(try await claimer.claim(worker: worker, slots: 10).count == 1)
        }
    }

    @Test func `a worker of many slots fills half of them at once, whatever the backlog`()
        async throws
    {
        try await Fixture.lend { fixture in
            try await fixture.addUsers(30_000)
            let worker = try await fixture.addWorker(capacity: 1000)
            let claimer = fixture.claimer(1000)
            // A busy machine may need more than one claim's time to see so many.
            var claimed = 0
            for _ in 1...10 where claimed < 500 {
                claimed += try await claimer.claim(worker: worker, slots: 500 - claimed).count
            }
            #expect(claimed == 500)
        }
    }

    @Test func `a place is claimed from only while its tenant's job waits there`() async throws {
        try await Fixture.lend { fixture in
            try await fixture.addUsers(1)
            try await fixture.addUsers(1, tenant: "other", addingTenant: true)
            let worker = try await fixture.addWorker()
            let offer = """
                select count(c.user_id)
                from jobrunner.tenants as t
                cross join jobrunner.jobs as j
                join jobrunner.tenants as owner on owner.id = j.tenant_id and owner.name = 'acme'
                cross join lateral jobrunner.claim_jobs($1, 5, '{hub.refresh}',
                  row('infinity', 0, 'infinity', 0, false)::jobrunner.due_walk,
                  row(array[t.id], '{5}', '{1}', '{1}', array[j.ctid])::jobrunner.claim_offer, $3) as c
                where t.name = $2
                """
            for locks in [false, true] {
                for (tenant, count) in [("other", 0), ("acme", 1), ("acme", 0)] {
                    let taken = try await fixture.int(
                        offer, .int4(Int32(worker)), .text(tenant), .bool(locks))
                    #expect(taken == count, "\(tenant), \(locks)")
                }
                try await fixture.script(
                    """
                    select jobrunner.release_jobs(array_agg(user_id), array_agg(name), array_agg(fence), array_agg(nonce))
                    from jobrunner.jobs where worker_id is not null
                    """)
            }
        }
    }

    @Test(arguments: [5, 50])
    func
        `jobs whose rows somebody has locked are claimed, and those that are locked are no one's wait`(
            _ count: Int
        ) async throws
    {
        try await Fixture.lend { fixture in
            try await fixture.addUsers(count)
            // Locked and let go: the rows bear the mark of it.
            try await fixture.script(
                """
                begin;
                select from jobrunner.jobs for update;
                commit
                """)
            let worker = try await fixture.addWorker()
            let claimer = fixture.claimer(20)
            let held = "select from jobrunner.jobs where user_id % 5 = 1 for update"
            let claimed = try await fixture.during(held) {
                // It would fail after 100 ms.
                #expect(try await fixture.int(fixture.claimText(worker)) == 0)
                var claimed = 0
                for _ in 1...5 {
                    let jobs = try await claimer.claim(worker: worker, slots: 20)
                    claimed += jobs.count
                    for job in jobs { claimer.noteEnd(of: job) }
                }
                return claimed
            }
            #expect(claimed == count * 4 / 5)
            claimer.note(dueFrom: nil)
            #expect(try await claimAll(claimer, worker, slots: 20).count == count / 5)
        }
    }

    @Test func `what a claim was given before its worker began to drain is told`() async throws {
        try await Fixture.lend { fixture in
            try await fixture.addUsers(5)
            let worker = try await fixture.addWorker()
            let claimer = fixture.claimer(20)
            // Told to stop between the statement that takes four jobs and the one that asks for the fifth.
            try await fixture.script(
                """
                create function drain() returns trigger language plpgsql as $$
                begin
                  update jobrunner.workers set draining_at = now() where id = new.worker_id;
                  return new;
                end
                $$;
                create trigger drain after update of worker_id on jobrunner.jobs
                for each row when (new.worker_id is not null) execute function drain()
                """)
            let held = "select from jobrunner.jobs where user_id % 5 = 1 for update"
            let jobs = try await fixture.during(held) {
                try await claimer.take(worker: worker, slots: 20)
            }
            #expect(jobs.count == 4)
            await #expect(throws: QueueError.workerEnded) {
                try await claimer.take(worker: worker, slots: 16)
            }
        }
    }

    @Test func `of jobs whose rows somebody has locked, too, the oldest are claimed first`()
        async throws
    {
        try await Fixture.lend { fixture in
            try await fixture.addUsers(30)
            try await fixture.script(
                "begin; select from jobrunner.jobs for update; commit")
            let worker = try await fixture.addWorker()
            let claimed = try await fixture.claimer(5).claim(worker: worker, slots: 5)
            let oldest = try await fixture.text(
                "select array_agg(user_id order by due_at)::text from (select * from jobrunner.jobs order by due_at limit 5) as j"
            )
            let users = claimed.map { String($0.claim.userID) }.joined(separator: ",")
            #expect("{\(users)}" == oldest)
        }
    }

    @Test func `a claim waits for a lock for 100 ms, whatever the session's limit is`() async throws
    {
        try await Fixture.lend { fixture in
            try await fixture.addUsers(1)
            let worker = try await fixture.addWorker()
            try await fixture.during("lock table jobrunner.jobs in share mode") {
                let error = await #expect(throws: DatabaseError.self) {
                    try await fixture.script(
                        "set lock_timeout = 0; set statement_timeout = '5 s'; \(fixture.claimText(worker))"
                    )
                }
                #expect(error?.sqlstate == "55P03")
            }
        }
    }

    @Test(arguments: [1, 30])
    func `a claim that meets a lock while it takes jobs tries again, and fails at nobody`(
        _ count: Int
    ) async throws {
        try await Fixture.lend { fixture in
            try await fixture.addUsers(count)
            let worker = try await fixture.addWorker()
            let claimer = fixture.claimer(10)
            let claiming = try await fixture.during("lock table jobrunner.jobs in share mode") {
                let claiming = Task { try await claimer.claim(worker: worker, slots: 10) }
                // The first wait ends after 100 ms; then it locks rows, and waits for the table as any writer does.
                try await eventually("the claim waits a second time") {
                    try await fixture.int(
                        """
                        select count(*) from pg_stat_activity
                        where datname = current_database() and wait_event_type = 'Lock' and query like '%claim_jobs%'
                          and clock_timestamp() - query_start > interval '200 ms'
                        """) > 0
                }
                return claiming
            }
            #expect(try await claiming.value.count == min(count, 10))
        }
    }
}
