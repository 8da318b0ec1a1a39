import Postgres
import JobQueue
import Testing

/// No job runs for ever under a worker that is not there.
@Suite("Orphans")
struct OrphanTests {
    private let lease = Duration.seconds(30)

    /// Running jobs whose worker has ended.
    private let orphans = """
        select count(*) from jobrunner.jobs as j
        where j.worker_id is not null
          and not exists (select from jobrunner.workers as w where w.id = j.worker_id and w.ended_at is null)
        """

    @Test func `a claim that was under way while its worker was given up takes nothing`()
        async throws
    {
        try await Fixture.lend { fixture, worker async throws in
            _ = try await fixture.addUser()
            // A claim waits here, after its first look at its worker.
            let claim = try await fixture.during(
                "lock table jobrunner.tenants in access exclusive mode"
            ) { () async throws in
                let claim = try await fixture.begin(fixture.claimText(worker))
                try await fixture.given(.silent())
                let reaped = try await fixture.queue.reapJobs(lease: lease)
                #expect(reaped.map(\.worker) == [worker])
                return claim
            }
            let error = await #expect(throws: DatabaseError.self) { try await claim.value }
            #expect(error?.sqlstate == "JR003")
            #expect(try await fixture.int(orphans) == 0)
        }
    }

    @Test
    func `a worker is not given up in the middle of its claim, and loses those jobs after it`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            try await fixture.given(.silent())
            let early = try await fixture.during(fixture.claimText(worker)) {
                try await fixture.queue.reapJobs(lease: lease)
            }
            #expect(early == [])
            #expect(try await fixture.job("state", user: user) == "running")
            #expect(try await fixture.queue.reapJobs(lease: lease).map(\.jobs) == [1])
            #expect(try await fixture.job("state", user: user) == "waiting")
        }
    }

    @Test func `what a claim gave whose reply was lost is taken back after its worker has left`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            let leaving = try await fixture.during(fixture.claimText(worker)) {
                try await fixture.begin("select jobrunner.deregister_worker(\(worker))")
            }
            try await leaving.value
            #expect(try await fixture.int(orphans) == 1)
            #expect(try await fixture.queue.reapJobs(lease: lease).map(\.jobs) == [1])
            #expect(try await fixture.job("state", user: user) == "waiting")
            // A claim that arrives only now is refused.
            await #expect(throws: QueueError.workerEnded) { try await fixture.claim(worker) }
        }
    }

    @Test func `a job that runs under a forgotten worker is taken back within a minute`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            try await fixture.given(.ended(cleared: true))
            #expect(try await fixture.queue.reapJobs(lease: lease).isEmpty)
            #expect(try await fixture.queue.reconcileJobs() == 1)
            #expect(try await fixture.job("state || crashes", user: user) == "waiting1")
            #expect(try await fixture.finish(claim).map(\.kind) == [.lost])
            // Not again within the minute, whoever asks.
            _ = try await fixture.run(try await fixture.addWorker(), user: user)
            try await fixture.given(.noWorkers())
            #expect(try await fixture.queue.reconcileJobs() == 0)
            try await fixture.given(.done(ago: "61 s"))
            #expect(try await fixture.queue.reconcileJobs() == 1)
        }
    }

    /// What a clock that was ten minutes ahead has written stands in rows.
    private let setBack =
        "\(Given.done(ago: "-10 min"))\(Given.told(ahead: "10 min"))\(Given.silent(for: "-10 min"))"

    @Test func `the jobs of a worker that died while the clock was set back are taken back`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            _ = try await fixture.run(worker, user: user)
            try await fixture.script("\(setBack)\(Given.running(since: "-10 min"))")
            // Its heartbeat is of no use any more; from now on it is silent.
            #expect(try await fixture.queue.reapJobs(lease: lease).isEmpty)
            #expect(
                try await fixture.text(
                    "select (heartbeat_at <= now())::text from jobrunner.workers")
                    == "true")
            try await fixture.given(.silent())
            #expect(try await fixture.queue.reapJobs(lease: lease).map(\.jobs) == [1])
            #expect(try await fixture.job("state", user: user) == "waiting")
        }
    }

    @Test func `after the clock was set back no job waits longer than to its next tick`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            _ = try await fixture.addUser()
            let failing = try await fixture.addUser("bob")
            let deferred = try await fixture.addUser("eve")
            try await fixture.script(setBack)
            try await fixture.given(
                .notDue(for: "1 year"), .failing(.user(failing)),
                .deferred(.user(deferred), for: "1 year"))
            #expect(try await fixture.queue.reconcileJobs() == 3)
            #expect(
                try await fixture.texts(
                    """
                    select case
                      when deferred_until is not null then (deferred_until = due_at and due_at <= now() + interval '48 hours')::text
                      when consecutive_failures > 0 then (due_at <= now() + interval '6 hours')::text
                      else (due_at = jobrunner.next_tick(now(), every, phase))::text
                    end
                    from jobrunner.jobs
                    """) == ["true", "true", "true"])
        }
    }

    @Test func `a tick that was claimed while the clock was far ahead is not far ahead afterwards`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            for isIdle in [true, false] {
                let claim = try await fixture.run(worker, user: user)
                try await fixture.given(.time(.next, in: "1 year"))
                _ = try await fixture.queue.finishRuns([
                    FinishedRun(claim: claim, outcome: .complete, hasCommitted: !isIdle)
                ])
                #expect(
                    try await fixture.job(
                        "due_at = jobrunner.next_tick(last_run_at, every, phase)", user: user)
                        == "true")
            }
        }
    }
}
