import Claiming
import JobQueue
import Postgres
import Testing

/// Who holds what is known from the batches of claims, and never by a walk over all that is due.
@Suite(.timeLimit(.minutes(10))) struct HeldJobsTests {
    private let lease = Duration.seconds(30)

    /// Workers that hold a job each, and are silent.
    private func deadWorkers(_ fixture: Fixture, _ count: Int) async throws {
        try await fixture.addUsers(count)
        for _ in 1...count {
            let worker = try await fixture.addWorker(capacity: 1)
            #expect(try await fixture.claim(worker, limit: 1).count == 1)
        }
        try await fixture.given(.silent())
    }

    @Test func `many dead workers are given up in a transaction each`() async throws {
        try await Fixture.lend { fixture in
            try await deadWorkers(fixture, 30)
            let reaped = try await fixture.queue.reapJobs(lease: lease)
            #expect(reaped.count == 30 && reaped.allSatisfy { $0.jobs == 1 })
            let transactions = try await fixture.int(
                "select count(distinct xmin::text) from jobrunner.workers where ended_at is not null"
            )
            #expect(transactions == 30)
            #expect(try await fixture.int("select count(*) from jobrunner.claims") == 0)
        }
    }

    @Test func `what a worker holds is found in a few buffers beside 20,000 due jobs`()
        async throws
    {
        try await Fixture.lend(users: 20_000) { fixture in
            let worker = try await fixture.addWorker()
            #expect(try await fixture.claim(worker, limit: 10).count >= 5)
            try await fixture.script("vacuum analyze jobrunner.jobs")
            let costs = try await fixture.pool.run { session in
                try [
                    "select * from jobrunner.held_jobs() as h where h.worker_id = \(worker)",
                    "select jobrunner.forget_ended_claims(\(worker))",
                    "select * from jobrunner.stop_requests(\(worker))",
                    "select jobrunner.activate_limits()",
                    "select * from jobrunner.reap_jobs('30 s')",
                ].map { sql in
                    _ = try CostTests().cost(session, sql)
                    return try CostTests().cost(session, sql).buffers
                }
            }
            #expect(costs.allSatisfy { $0 <= 60 }, "\(costs)")
        }
    }

    @Test func `a batch is forgotten when its last run has ended, and no earlier`() async throws {
        try await Fixture.lend(users: 3) { fixture in
            let worker = try await fixture.addWorker()
            let jobs = try await fixture.claim(worker)
            let count = "select count(*) from jobrunner.claims"
            let first = try #require(jobs.map(\.claim.fence).min())
            for job in jobs {
                try await fixture.queue.forgetEndedClaims(worker: worker)
                // Also where the worker believes that it is over: a failover may have lost an end.
                try await fixture.queue.forgetEndedClaims(worker: worker, firstFences: [first])
                #expect(try await fixture.int(count) == 1)
                try await fixture.finish(job.claim)
            }
            try await fixture.queue.forgetEndedClaims(worker: worker, firstFences: [first + 1000])
            #expect(try await fixture.int(count) == 1)
            try await fixture.queue.forgetEndedClaims(worker: worker)
            #expect(try await fixture.int(count) == 0)
        }
    }

    @Test func `an orphaned run that had committed a page ends as partial, and is in history`()
        async throws
    {
        try await Fixture.lend { fixture, worker in
            try await fixture.addUser()
            try await fixture.addUser("bob")
            let claims = try await fixture.claim(worker).map(\.claim)
            try #require(claims.count == 2)
            var counts = PageCounts()
            counts.fetched = 3
            counts.inserted = 3
            try await fixture.commit(claims[0], page(1), counts)
            #expect(try await fixture.queue.releaseOrphans(claims) == 2)
            #expect(
                try await fixture.texts(
                    "select concat_ws(' ', id, outcome, error_kind, (counters).inserted) from jobrunner.runs"
                ) == ["\(claims[0].fence) partial database 3"])
            #expect(
                try await fixture.int(
                    "select count(*) from jobrunner.jobs where worker_id is null and due_at <= now() + interval '4 s'"
                ) == 2)
        }
    }
}

/// What stops while a claim is under way.
@Suite(.timeLimit(.minutes(10))) struct PauseTests {
    private let stopping =
        "select count(*) from jobrunner.jobs where cancel_requested_at is not null"

    @Test(arguments: ["pause_jobs('acme')", "cancel_jobs('acme')", "pause_job_file('hub.refresh')"])
    func `what stops jobs stops those that a claim under way takes, too`(_ verb: String)
        async throws
    {
        try await Fixture.lend(users: 2) { fixture in
            let worker = try await fixture.addWorker()
            let stop = try await fixture.during(fixture.claimText(worker)) {
                try await fixture.begin("select jobrunner.\(verb)")
            }
            try await stop.value
            #expect(try await fixture.int(stopping) == 2)
            #expect(try await fixture.queue.stopRequests(worker: worker).count == 2)
        }
    }

    /// Its statement began before the tenant was paused.
    @Test func `a run that was claimed after its tenant was paused is told to stop`() async throws {
        try await Fixture.lend { fixture in
            try await fixture.addUser()
            let worker = try await fixture.addWorker()
            #expect(try await fixture.claim(worker).count == 1)
            try await fixture.given(.pausedTenants())
            #expect(try await fixture.int(stopping) == 0)
            #expect(try await fixture.queue.stopRequests(worker: worker).count == 1)
        }
    }

    @Test func `a paused job file stops for everybody, also for who is added later`() async throws {
        try await Fixture.lend { fixture in
            try await fixture.addUser()
            let worker = try await fixture.addWorker()
            #expect(try await fixture.int("select jobrunner.pause_job_file('hub.refresh')") == 1)
            try await fixture.addUser("late")
            try await fixture.addTenant("other")
            try await fixture.addUser("else", tenant: "other")
            #expect(try await fixture.claim(worker).isEmpty)
            let explained = try await fixture.text(
                "select jobrunner.explain_job('acme', 'ann', 'hub.refresh')")
            #expect(explained.contains("because its job file has been paused"))
            // A pause of its own, or its user's, outlives the file's; and a resume of the user does not end the file's.
            try await fixture.script(
                """
                select jobrunner.pause_jobs('acme', 'late');
                select jobrunner.resume_jobs('acme', 'ann');
                select jobrunner.resume_jobs('acme', 'ann', 'hub.refresh');
                """)
            #expect(try await fixture.claim(worker).isEmpty)
            #expect(try await fixture.int("select jobrunner.resume_job_file('hub.refresh')") == 2)
            #expect(try await fixture.claim(worker).count == 2)
            #expect(try await fixture.int("select jobrunner.resume_jobs('acme', 'late')") == 1)
            #expect(try await fixture.claim(worker).count == 1)
            #expect(
                try await fixture.refusal("select jobrunner.pause_job_file('hub.none')") == "JR012")
        }
    }
}
