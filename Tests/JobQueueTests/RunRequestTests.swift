import Postgres
import JobQueue
import Testing

/// What is asked of a job is kept until a run could honour it.
@Suite("Requests")
struct RunRequestTests {
    private func enqueue(
        _ fixture: Fixture, entity: String? = nil, force: Bool = false
    ) async throws -> String {
        try await fixture.text(
            "select jobrunner.enqueue('acme', 'ann', 'hub.refresh', false, $1, $2)",
            .optional(entity, Bind.text), .bool(force))
    }

    /// What the next claim is told: whether it is forced, and its only entity.
    private func next(_ fixture: Fixture, _ worker: Int) async throws -> (String, Claim) {
        let job = try #require(try await fixture.claim(worker).first)
        return ("\(job.isForced) \(job.entity ?? "all")", job.claim)
    }

    @Test func `a request for one entity during a run that yields does not narrow what follows`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            #expect(try await enqueue(fixture, entity: "video") == "follows_running")
            try await fixture.finish(claim, .partial, kind: .deadline)
            let (follow, second) = try await next(fixture, worker)
            #expect(follow == "false all")
            // After a run that came to its end only the request is left.
            #expect(try await enqueue(fixture, entity: "video") == "follows_running")
            try await fixture.finish(second)
            #expect(try await next(fixture, worker).0 == "false video")
        }
    }

    @Test func `a run of one entity does not take the place of one that is owed`() async throws {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            try await fixture.finish(claim, .failed, kind: .rejected, error: "no")
            #expect(try await enqueue(fixture, entity: "video") == "due")
            #expect(try await next(fixture, worker).0 == "false all")
        }
    }

    @Test func `a forced run that does not complete is forced again`() async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            try await fixture.finish(try await fixture.run(worker, user: user))
            _ = try await enqueue(fixture, entity: "video", force: true)
            for outcome in [Outcome.partial, .deferred, .failed] {
                let (request, claim) = try await next(fixture, worker)
                #expect(request == "true video", "\(outcome)")
                try await fixture.finish(
                    claim, outcome, kind: .rejected, error: "x",
                    wait: outcome == .deferred ? .seconds(60) : nil)
                try await fixture.given(.undeferred(), .due())
            }
            let (_, last) = try await next(fixture, worker)
            try await fixture.finish(last)
            #expect(
                try await fixture.job("force_requested or entity_requested is not null", user: user)
                    == "false")
        }
    }

    @Test func `force during a run that is deferred does not wait`() async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            for isForced in [false, true] {
                let claim = try await fixture.run(worker, user: user)
                _ = try await enqueue(fixture, force: isForced)
                try await fixture.finish(
                    claim, .deferred, kind: .rateLimited, error: "429", wait: .seconds(36_000))
                #expect(
                    try await fixture.job(
                        "(due_at <= now()) || ' ' || (deferred_until is null)", user: user)
                        == "\(isForced) \(isForced)")
            }
            #expect(try await next(fixture, worker).0 == "true all")
        }
    }

    @Test(arguments: [true, false])
    func `requests of a run that is released or crashes are kept`(isCrash: Bool) async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            try await fixture.finish(try await fixture.run(worker, user: user))
            _ = try await enqueue(fixture, entity: "video")
            let (request, claim) = try await next(fixture, worker)
            #expect(request == "false video")
            _ = try await enqueue(fixture, entity: "channel", force: true)
            if isCrash {
                try await fixture.given(.silent())
                #expect(try await fixture.queue.reapJobs(lease: .seconds(30)).map(\.jobs) == [1])
            } else {
                #expect(try await fixture.queue.releaseJobs([claim]) == 1)
            }
            #expect(try await next(fixture, try await fixture.addWorker()).0 == "true all")
        }
    }

    @Test func `an event widens a waiting run of one entity`() async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            try await fixture.given(.triggers(#"{"event": "woken", "debounce_ms": 0}"#))
            try await fixture.finish(try await fixture.run(worker, user: user))
            _ = try await enqueue(fixture, entity: "video")
            _ = try await fixture.queue.triggerEvent("woken", tenant: "acme", user: "ann")
            #expect(try await next(fixture, worker).0 == "false all")
        }
    }

    @Test func `a new schedule cuts no deferral, backoff or quarantine short`() async throws {
        try await Fixture.lend { fixture, worker async throws in
            _ = try await fixture.addUser("waiting")
            for (key, outcome) in [("deferred", Outcome.deferred), ("failed", .failed)] {
                let user = try await fixture.addUser(key)
                try await fixture.finish(
                    try await fixture.run(worker, user: user), outcome, kind: .rejected, error: "x",
                    wait: .seconds(36_000))
            }
            _ = try await fixture.addUser("quarantined")
            try await fixture.given(.notDue(for: "10 hours"), .parked(.key("quarantined")))
            try await fixture.script(
                """
                select jobrunner.store_job_file('{"name": "hub.refresh", "source": "hub", "every": "15 min",
                  "spread": true, "deadline": "4 min", "per_second": 20,
                  "expanded": {"entities": [{"entity": "video"}, {"entity": "channel"}]}}')
                """)
            #expect(
                try await fixture.texts(
                    """
                    select u.key from jobrunner.jobs as j join jobrunner.users as u on u.id = j.user_id
                    where j.due_at <= now() + interval '15 min'
                    """) == ["waiting"])
        }
    }

    @Test func `deferrals in a row wait longer each time, and are told once`() async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            for n in 1...4 {
                try await fixture.finish(
                    try await fixture.run(worker, user: user), .deferred, kind: .rateLimited,
                    error: "429", wait: .zero)
                #expect(
                    try await fixture.job(
                        "deferrals || ' ' || (due_at - last_run_at >= interval '1 s' * \(1 << (n - 1)))",
                        user: user) == "\(n) true")
            }
            #expect(try await fixture.int("select count(*) from jobrunner.runs") == 1)
            let moving = try await fixture.run(worker, user: user)
            try await fixture.commit(moving, page(1), PageCounts(fetched: 1, inserted: 1))
            try await fixture.finish(
                moving, .deferred, kind: .rateLimited, error: "429", wait: .zero)
            #expect(try await fixture.job("deferrals", user: user) == "0")
            #expect(try await fixture.int("select count(*) from jobrunner.runs") == 2)
        }
    }

    @Test func `an enqueue or a secret does not end a quarantine before its time`() async throws {
        try await Fixture.lend { fixture async throws in
            let user = try await fixture.addUser()
            try await fixture.given(.parked(for: "1 hour"), .needingSecret())
            #expect(try await enqueue(fixture) == "quarantined")
            try await fixture.script(
                "select jobrunner.put_secret(tenant_id, id, 'token', \(sealed())) from jobrunner.users"
            )
            #expect(try await fixture.queue.liftQuarantines() == 0)
            #expect(
                try await fixture.job(
                    "state || ' ' || priority || ' ' || (due_at > now())", user: user)
                    == "quarantined 1 true")
        }
    }

    @Test
    func `a request for one entity does not narrow one that came after its transaction began`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            try await fixture.finish(try await fixture.run(worker, user: user))
            _ = try await fixture.during(
                "select now()",
                then: "select jobrunner.enqueue('acme', 'ann', 'hub.refresh', false, 'video')"
            ) {
                try await enqueue(fixture)
            }
            #expect(try await next(fixture, worker).0 == "false all")
        }
    }
}
