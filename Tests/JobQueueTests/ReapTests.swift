import Claiming
import Postgres
import JobQueue
import Testing

@Suite("Dead workers")
struct ReapTests {
    private let lease = Duration.seconds(30)

    /// Claims the user's job for a new worker, which then dies.
    private func crash(_ fixture: Fixture, _ user: Int64, committing isCommitted: Bool = false)
        async throws -> [Reaped]
    {
        let worker = try await fixture.addWorker()
        let claim = try await fixture.run(worker, user: user)
        if isCommitted { try await fixture.commit(claim, page(1, isEnd: true)) }
        try await fixture.given(.silent())
        return try await fixture.queue.reapJobs(lease: lease)
    }

    @Test func `a silent worker's jobs are due again, and the run is told as crashed`() async throws
    {
        try await Fixture.lend { fixture async throws in
            let user = try await fixture.addUser()
            let reaped = try await crash(fixture, user)
            #expect(reaped.map { "\($0.reason) \($0.jobs) \($0.quarantined)" } == ["silent 1 0"])
            #expect(
                try await fixture.job(
                    "state || ' ' || (due_at <= now()) || ' ' || crashes", user: user)
                    == "waiting true 1")
            #expect(try await fixture.job("consecutive_failures", user: user) == "0")
            #expect(
                try await fixture.texts("select outcome || ' ' || error_kind from jobrunner.runs")
                    == ["partial crashed"])
            #expect(try await fixture.queue.reapJobs(lease: lease) == [])
        }
    }

    @Test func `a worker that beats is not reaped, and one heartbeat keeps all its claims`()
        async throws
    {
        try await Fixture.lend(users: 10) { fixture, worker async throws in
            _ = try await fixture.claim(worker)
            try await fixture.given(.silent())
            let beat = try await fixture.queue.beat(worker: worker, running: 10)
            #expect(beat.isAlive)
            #expect(beat.workers == 1)
            #expect(try await fixture.queue.reapJobs(lease: lease) == [])
            #expect(
                try await fixture.int("select running_count from jobrunner.worker_health") == 10)
        }
    }

    @Test func `who has missed a beat has no turn, so that one who is left notices all at once`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            for _ in 1...39 { _ = try await fixture.addWorker() }
            try await fixture.given(.silent(for: "10 s", where: "id % 2 = 0"))
            let last = try await fixture.addWorker()
            func beat() async throws -> Heartbeat {
                try await fixture.queue.beat(worker: last)
            }
            let first = try await beat()
            #expect([first.workers, first.rank] == [21, 20])
            try await fixture.given(.silent(for: "31 s", where: "id <> \(last)"))
            let second = try await beat()
            #expect([second.workers, second.rank] == [1, 0])
            #expect(try await fixture.queue.reapJobs(lease: lease).count == 39)
        }
    }

    @Test func `the third crash in a row without a page sets the job aside; retry lifts it`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            let user = try await fixture.addUser()
            #expect(try await crash(fixture, user).map(\.quarantined) == [0])
            #expect(try await crash(fixture, user).map(\.quarantined) == [0])
            // A page shows that the job makes progress.
            #expect(try await crash(fixture, user, committing: true).map(\.quarantined) == [0])
            #expect(try await fixture.job("crashes", user: user) == "0")
            for expected in [0, 0, 1] {
                #expect(try await crash(fixture, user).map(\.quarantined) == [expected])
            }
            #expect(try await fixture.job("state", user: user) == "quarantined")
            #expect(try await fixture.int("select jobrunner.retry_jobs('acme', 'ann')") == 1)
            #expect(try await fixture.job("state || crashes", user: user) == "waiting0")
        }
    }

    @Test func `a run that ends well clears the crashes`() async throws {
        try await Fixture.lend { fixture async throws in
            let user = try await fixture.addUser()
            for _ in 1...2 { _ = try await crash(fixture, user) }
            let worker = try await fixture.addWorker()
            try await fixture.finish(
                try await fixture.run(worker, user: user), .failed, kind: .rejected, error: "no")
            #expect(try await fixture.job("crashes", user: user) == "0")
        }
    }

    @Test func `a worker that was given up can claim nothing, and its beat says so`() async throws {
        try await Fixture.lend { fixture, worker async throws in
            try await fixture.given(.silent())
            #expect(try await fixture.queue.reapJobs(lease: lease).map(\.worker) == [worker])
            await #expect(throws: QueueError.workerEnded) { try await fixture.claim(worker) }
            let beat = try await fixture.queue.beat(worker: worker)
            #expect(beat.isAlive == false)
            #expect(
                try await fixture.queue.leave(worker: worker, deadline: .now + .seconds(10))
                    == false)
            #expect(
                try await fixture.texts("select health from jobrunner.worker_health") == ["silent"])
        }
    }

    @Test func `of several reapers one takes the jobs, and each crash counts once`() async throws {
        try await Fixture.lend(lanes: 8, users: 50) { fixture, worker async throws in
            _ = try await fixture.claim(worker)
            try await fixture.given(.silent())
            let lease = lease
            let jobs = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await fixture.queue.reapJobs(lease: lease).reduce(0) { $0 + $1.jobs }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(jobs == 50)
            #expect(
                try await fixture.texts("select distinct crashes::text from jobrunner.jobs") == [
                    "1"
                ])
        }
    }

    @Test func `a job that a stuck transaction keeps locked is taken by a later reaping`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            let other = Database(
                try DatabaseConfiguration(conninfo: fixture.url, applicationName: "stuck", lanes: 1)
            )
            try await fixture.given(.silent())
            // Runs while the stuck transaction holds the row.
            let lease = lease
            let queue = fixture.queue
            let (signals, held) = AsyncStream.makeStream(of: Void.self)
            let gate = Gate()
            let stuck = Task {
                try await other.run { session in
                    try session.transaction { session in
                        _ = try session.query(claim.holdStatement)
                        held.yield()
                        gate.wait()
                    }
                }
            }
            for await _ in signals { break }
            #expect(try await queue.reapJobs(lease: lease).map(\.jobs) == [0])
            gate.open()
            try await stuck.value
            #expect(try await fixture.job("state", user: user) == "running")
            #expect(try await queue.reapJobs(lease: lease).map(\.jobs) == [1])
            #expect(try await fixture.job("state", user: user) == "waiting")
            await other.close()
        }
    }

    @Test func `a worker whose session is gone is given up without waiting for the lease`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            let presence = Database(
                try DatabaseConfiguration(
                    conninfo: fixture.url, applicationName: "presence", lanes: 1))
            let worker = try await Queue(presence).registerWorker(
                host: "h", pid: 1, version: "0", capacity: 1)
            let user = try await fixture.addUser()
            _ = try await fixture.run(worker, user: user)
            // Heartbeats are 2.5 s old at the moment of the reaping, well within the lease of 3 s.
            let reap = Statement(
                "select worker_id || ' ' || reason || ' ' || job_count from jobrunner.reap_jobs('3 s')"
            )
            @Sendable func look(beaten: String = "2.5 s") async throws -> [String] {
                try await fixture.queue.turn([
                    Statement(
                        "select pg_sleep(greatest(extract(epoch from pg_postmaster_start_time() + interval '3.1 s' - now()), 0))"
                    ),
                    Statement("\(Given.silent(for: beaten))"),
                    Statement("\(Given.sessionsGoneEarlier("2 s"))"), reap,
                ])[3].map { try $0.text(0) }
            }
            #expect(try await look() == [])
            #expect(try await fixture.text("select health from jobrunner.worker_health") == "alive")
            await presence.close()
            let session = sessions(of: worker)
            try await eventually("the session is gone") { try await fixture.int(session) == 0 }
            #expect(try await look() == [])
            #expect(
                try await fixture.text("select health from jobrunner.worker_health")
                    == "session gone")
            // Without a session, but alive.
            #expect(try await look(beaten: "1.5 s") == [])
            #expect(try await look() == ["\(worker) session_gone 1"])
            #expect(try await fixture.job("state", user: user) == "waiting")
        }
    }

    @Test func `a new session may stand for a worker, but not for one that was given up`()
        async throws
    {
        try await Fixture.lend(lanes: 1) { fixture async throws in
            let presence = Database(
                try DatabaseConfiguration(
                    conninfo: fixture.url, applicationName: "presence", lanes: 1))
            let worker = try await Queue(presence).registerWorker(
                host: "h", pid: 1, version: "0", capacity: 1)
            await presence.close()
            let session = sessions(of: worker)
            try await eventually("the session is gone") { try await fixture.int(session) == 0 }
            try await fixture.given(.sessionsGone())
            #expect(
                try await fixture.text("select jobrunner.reattach_worker(\(worker))::text")
                    == "true")
            #expect(try await fixture.text("select health from jobrunner.worker_health") == "alive")
            #expect(try await fixture.int(session) == 1)
            try await fixture.given(.ended())
            #expect(
                try await fixture.text("select jobrunner.reattach_worker(\(worker))::text")
                    == "false"
            )
        }
    }
}

/// Whether the session that stands for a worker is there, as a number.
private func sessions(of worker: Int) -> String {
    "select count(*) from jobrunner.workers as w where w.id = \(worker) and jobrunner.has_session(w)"
}

/// Who killed a worker can't be told when many ran in it.
@Suite("Suspects")
struct SuspectTests {
    private func crash(_ fixture: Fixture, claiming limit: Int = 100) async throws -> [Claim] {
        let worker = try await fixture.addWorker()
        let claims = try await fixture.claim(worker, limit: limit).map(\.claim)
        try await fixture.given(.silent())
        _ = try await fixture.queue.reapJobs(lease: .seconds(30))
        return claims
    }

    @Test func `jobs that may have killed two workers are claimed one at a time`() async throws {
        try await Fixture.lend(users: 4) { fixture async throws in
            for _ in 1...2 { #expect(try await crash(fixture).count == 4) }
            // Beside jobs that are above suspicion, and whoever asks for them.
            for key in ["ann", "bob"] { try await fixture.addUser(key) }
            try await fixture.script("select jobrunner.enqueue('acme', 'user2', 'hub.refresh')")
            let worker = try await fixture.addWorker()
            let first = try await fixture.claim(worker)
            #expect(first.count == 3)
            #expect(try await fixture.claim(worker).isEmpty)
            // Another worker takes another one; an end of any kind clears a suspect.
            let second = try await fixture.claim(try await fixture.addWorker())
            #expect(second.count == 1)
            for job in first { try await fixture.finish(job.claim) }
            #expect(try await fixture.claim(worker).count == 1)
            #expect(
                try await fixture.int("select count(*) from jobrunner.jobs where crashes >= 2") == 3
            )
        }
    }

    @Test func `a worker that ran a suspect takes the next one as soon as it is written`()
        async throws
    {
        try await Fixture.lend(users: 4) { fixture async throws in
            for _ in 1...2 { #expect(try await crash(fixture).count == 4) }
            let worker = try await fixture.addWorker()
            let claimer = fixture.claimer(10)
            #expect(!claimer.wantsSuspect)
            var taken: Set<Int64> = []
            for _ in 1...4 {
                let job = try #require(try await claimer.takeSuspect(worker: worker))
                taken.insert(job.claim.userID)
                #expect(!claimer.wantsSuspect)
                // Its turn comes meanwhile, and finds that it holds one.
                #expect(try await claimer.takeSuspect(worker: worker) == nil)
                try await fixture.finish(job.claim)
                let run = FinishedRun(claim: job.claim, tenantID: job.tenantID, outcome: .complete)
                #expect(claimer.written([run]))
                #expect(claimer.wantsSuspect)
            }
            #expect(taken.count == 4)
            #expect(try await claimer.takeSuspect(worker: worker) == nil)
            #expect(!claimer.wantsSuspect)
        }
    }

    @Test func `a suspect of a tenant without room keeps no other tenant's away`() async throws {
        try await Fixture.lend(users: 2) { fixture async throws in
            try await fixture.addUsers(1, tenant: "other", addingTenant: true)
            for _ in 1...2 { #expect(try await crash(fixture).count == 3) }
            try await fixture.script(
                """
                select jobrunner.set_tenant('acme', in_max_running => 1);
                select jobrunner.activate_limits();
                \(Given.due(.tenant("acme"), for: "1 hour"))
                """)
            let worker = try await fixture.addWorker()
            // Another claim has the tenant's turn.
            let turn = "select from jobrunner.limited_tenants for no key update"
            let job = try await fixture.during(turn) {
                try await fixture.claimer(10).takeSuspect(worker: worker)
            }
            let other = try await fixture.int(
                "select id from jobrunner.tenants where name = 'other'")
            #expect(job?.tenantID == Int64(other))
        }
    }

    @Test
    func `a worker's death sets aside nobody who ran in company until it was a suspect twice`()
        async throws
    {
        try await Fixture.lend(users: 3) { fixture async throws in
            for _ in 1...2 { _ = try await crash(fixture) }
            // Alone among its like, but beside two that are new.
            try await fixture.addUsers(2, tenant: "acme2", addingTenant: true)
            let company = try await crash(fixture)
            #expect(company.count == 3)
            #expect(
                try await fixture.int(
                    "select count(*) from jobrunner.jobs where quarantined_at is not null") == 0)
            // Really alone: it is set aside.
            let alone = try await crash(fixture, claiming: 1)
            #expect(alone.count == 1)
            #expect(
                try await fixture.texts(
                    "select user_id::text from jobrunner.jobs where quarantined_at is not null")
                    == ["\(alone[0].userID)"])
        }
    }
}
