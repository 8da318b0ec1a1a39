import Claiming
import JobQueue
import Postgres
import Testing

/// What a worker's claimer asks the database, one call after the other.
@Suite(.timeLimit(.minutes(10))) struct ClaimerTests {
    /// Claims until the claimer is behind nothing: on a busy machine one call ends before it has seen all.
    private func claimAll(_ claimer: Claimer, _ worker: Int, slots: Int) async throws
        -> [ClaimedJob]
    {
        var jobs: [ClaimedJob] = []
        repeat {
            jobs += try await claimer.claim(worker: worker, slots: slots - jobs.count)
        } while claimer.isBehind && jobs.count < slots
        return jobs
    }

    @Test func `what became due behind the front is found once that is announced`() async throws {
        try await Fixture.lend(users: 1) { fixture in
            let worker = try await fixture.addWorker()
            let claimer = fixture.claimer(10)
            let first = try await claimer.claim(worker: worker, slots: 10)
            try await fixture.finish(first[0].claim)
            let (seen, _) = try await fixture.queue.news(since: nil)
            try await fixture.script(
                """
                \(Given.due(for: "1 h"))
                select jobrunner.wake_workers(now() - interval '1 h');
                """)
            #expect(try await claimer.claim(worker: worker, slots: 10).isEmpty)
            claimer.heard(try await fixture.queue.news(since: seen).news)
            #expect(try await claimAll(claimer, worker, slots: 10).count == 1)
        }
    }

    @Test func `a worker of many slots fills half of them at once, whatever the backlog`()
        async throws
    {
        try await Fixture.lend(users: 30_000) { fixture in
            let worker = try await fixture.addWorker(capacity: 1000)
            let claimer = fixture.claimer(1000)
            // A busy machine may need more than one call's time to see so many.
            var claimed = 0
            for _ in 1...10 where claimed < 500 {
                claimed += try await claimer.claim(worker: worker, slots: 500 - claimed).count
            }
            #expect(claimed == 500)
        }
    }

    @Test(arguments: [5, 50])
    func `jobs whose rows somebody has locked are no one's wait, and are claimed afterwards`(
        _ count: Int
    ) async throws {
        try await Fixture.lend(users: count) { fixture in
            let worker = try await fixture.addWorker()
            let claimer = fixture.claimer(20)
            let held = "select from jobrunner.jobs where user_id % 5 = 1 for update"
            let claimed = try await fixture.during(held) {
                var claimed = 0
                for _ in 1...5 {
                    let jobs = try await claimer.claim(worker: worker, slots: 20)
                    claimed += jobs.count
                    for job in jobs { claimer.ended(job) }
                }
                return claimed
            }
            #expect(claimed == count * 4 / 5)
            // What a claim of its tenant has passed by is looked for by one worker in turn.
            claimer.rescan()
            #expect(try await claimAll(claimer, worker, slots: 20).count == count / 5)
        }
    }

    @Test func `what a claim was given before its worker began to drain is told`() async throws {
        try await Fixture.lend(users: 5) { fixture in
            try await fixture.addUsers(5, tenant: "other", addingTenant: true)
            try await fixture.script("select jobrunner.set_tenant('other', in_max_running => 1)")
            let worker = try await fixture.addWorker()
            let claimer = fixture.claimer(20)
            // Told to stop between the statement that takes jobs and the one that asks for more.
            try await fixture.script(
                """
                create function drain() returns trigger language plpgsql as $$
                begin
                  \(Given.draining("new.worker_id"))
                  return new;
                end
                $$;
                create trigger drain after update of worker_id on jobrunner.jobs
                for each row when (new.worker_id is not null) execute function drain()
                """)
            let taken = try await claimer.take(worker: worker, slots: 20)
            #expect(taken.jobs.count >= 5 && taken.failure == nil)
            await #expect(throws: QueueError.workerEnded) {
                try await claimer.take(worker: worker, slots: 10)
            }
        }
    }

    @Test func `what fails after jobs were taken is told beside them`() async throws {
        try await Fixture.lend(users: 5) { fixture in
            try await fixture.addUsers(5, tenant: "other", addingTenant: true)
            try await fixture.script("select jobrunner.set_tenant('other', in_max_running => 3)")
            // The first batch has the first tenant's jobs, and that of the second is refused.
            try await fixture.script(
                """
                create function fail() returns trigger language plpgsql as $$
                begin
                  if exists (select from jobrunner.claims) then
                    raise exception 'no more' using errcode = '53100';
                  end if;
                  return new;
                end
                $$;
                create trigger fail before insert on jobrunner.claims for each row execute function fail()
                """)
            let worker = try await fixture.addWorker()
            let claimer = fixture.claimer(20)
            let taken = try await claimer.take(worker: worker, slots: 20)
            #expect(taken.jobs.count == 5 && taken.failure is DatabaseError)
            await #expect(throws: DatabaseError.self) {
                try await claimer.take(worker: worker, slots: 15)
            }
        }
    }

    @Test
    func `of a job that may have killed two workers a worker gets one, and no other claim any`()
        async throws
    {
        try await Fixture.lend(users: 3) { fixture in
            let worker = try await fixture.addWorker()
            let claimer = fixture.claimer(10)
            try await fixture.given(.crashed(), .due(for: "1 h"))
            #expect(try await claimAll(claimer, worker, slots: 10).isEmpty)
            let suspect = try await claimer.takeSuspect(worker: worker)
            #expect(suspect != nil)
            #expect(try await claimer.takeSuspect(worker: worker) == nil)
            let other = try await fixture.addWorker()
            #expect(try await claimer.takeSuspect(worker: other) != nil)
            try await fixture.finish(try #require(suspect).claim)
            #expect(try await claimer.takeSuspect(worker: worker) != nil)
        }
    }

    /// As under a snapshot that was held for a day, where each look at everything meets millions of dead entries.
    @Test func `a worker starts though a look at all that is due takes too long`() async throws {
        try await Fixture.lend(users: 3) { fixture in
            try await fixture.script(
                """
                \(Given.due(.last, for: "10 min"))
                alter function jobrunner.look_due rename to look_due_at_once;
                create function jobrunner.look_due(in_names text[], in_since timestamptz, in_since_user_id bigint)
                returns jobrunner.due_tenants language plpgsql as $$
                begin
                  if in_since < now() - interval '10 s' then
                    perform pg_sleep(60);
                  end if;
                  return jobrunner.look_due_at_once(in_names, in_since, in_since_user_id);
                end
                $$;
                """)
            let worker = try await fixture.addWorker()
            let claimer = fixture.claimer(10)
            var claimed = 0
            for _ in 1...20 where claimed < 3 {
                claimed += try await claimer.claim(worker: worker, slots: 10).count
            }
            #expect(claimed == 3)
        }
    }

    @Test func `a suspect of a paused tenant costs other claims nothing`() async throws {
        try await Fixture.lend(users: 1) { fixture in
            let worker = try await fixture.addWorker()
            let claimer = fixture.claimer(10)
            try await fixture.script("\(Given.crashed()) select jobrunner.pause_jobs('acme')")
            #expect(try await claimer.takeSuspect(worker: worker) == nil)
            #expect(try await claimer.claim(worker: worker, slots: 5).isEmpty)
            #expect(!claimer.isBehind)
        }
    }
}
