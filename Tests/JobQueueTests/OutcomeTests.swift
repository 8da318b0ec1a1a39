import Postgres
import JobQueue
import Testing

@Suite("Outcomes")
struct OutcomeTests {
    @Test
    func
        `failures in a row are counted exactly, per job and entity, and cleared by the next success`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            let figures = "concat_ws(' ', consecutive_failures, last_error_kind, last_error)"
            for count in 1...3 {
                let claim = try await fixture.run(worker, user: user)
                try await fixture.finish(
                    claim, .failed, kind: .rejected, error: "no \(count)", entity: "video")
                #expect(
                    try await fixture.job(figures, user: user) == "\(count) rejected no \(count)")
                #expect(
                    try await fixture.checkpoint(figures, user: user)
                        == "\(count) rejected no \(count)")
                #expect(
                    try await fixture.job(
                        "due_at > now() and due_at <= now() + interval '2 min'", user: user)
                        == "true")
            }
            try await fixture.finish(
                try await fixture.run(worker, user: user), .partial, kind: .deadline)
            try await fixture.finish(
                try await fixture.run(worker, user: user), .deferred, kind: .rateLimited,
                error: "wait", wait: .seconds(1))
            #expect(try await fixture.job("consecutive_failures", user: user) == "3")
            let last = try await fixture.run(worker, user: user)
            try await fixture.commit(last, page(1, isEnd: true))
            try await fixture.finish(last)
            #expect(try await fixture.job(figures, user: user) == "0")
            #expect(try await fixture.checkpoint(figures, user: user) == "0")
            #expect(try await fixture.job("last_success_at is not null", user: user) == "true")
        }
    }

    @Test func `a partial run goes to the back of the line with its cursor kept`() async throws {
        try await Fixture.lend(users: 2) { fixture, worker async throws in
            let claim = try await fixture.claim(worker, limit: 1)[0].claim
            try await fixture.commit(claim, page(1))
            try await fixture.finish(claim, .partial, kind: .deadline)
            let next = try await fixture.claim(worker).map(\.claim.userID)
            #expect(next.count == 2)
            #expect(next.last == claim.userID)
            #expect(try await fixture.checkpoint("cursor", user: claim.userID) == "next")
        }
    }

    @Test func `invariant 8: a deferred run waits as long as asked and costs no attempt`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            try await fixture.finish(
                claim, .deferred, kind: .rateLimited, error: "429", wait: .milliseconds(90_500))
            // As long at least, and up to a tenth more.
            let figures = """
                consecutive_failures || ' ' || (deferred_until = due_at) || ' '
                || (due_at - last_run_at between interval '90.5 s' and interval '99.6 s')
                """
            #expect(try await fixture.job(figures, user: user) == "0 true true")
            // Its next complete run ends the deferral.
            try await fixture.finish(try await fixture.run(worker, user: user))
            #expect(try await fixture.job("deferred_until", user: user) == "null")
        }
    }

    @Test
    func `needs_reauth parks the job until a new secret arrives, the user's own or the tenant's`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            let other = try await fixture.addUser("bob")
            try await fixture.given(.noJob(.user(other)))
            let tenant = Int64(
                try await fixture.int("select id from jobrunner.tenants where name = 'acme'"))
            for owner in [user, 0] {
                let run = try await fixture.runJob(worker, user: user)
                try await fixture.finish(
                    run.claim, .needsReauth, kind: .unauthorised, error: "401",
                    secrets: run.secrets.map(\.version))
                try await fixture.given(.due(for: "1 day"))
                #expect(try await fixture.claim(worker).isEmpty)
                let set = "select jobrunner.put_secret($1, $2, 'token', \(sealed()))"
                #expect(try await fixture.int(set, .int8(tenant), .int8(other)) == 0)
                #expect(try await fixture.int(set, .int8(tenant), .int8(owner)) == 1)
                let woken = try #require(try await fixture.claim(worker).first)
                try await fixture.finish(woken.claim)
            }
            #expect(try await fixture.job("consecutive_failures", user: user) == "0")
        }
    }

    @Test
    func
        `a secret that arrives while the client is being refused is tried at once, and one that was known is not`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            let set =
                "select jobrunner.put_secret(tenant_id, 0, 'client', \(sealed())) from jobrunner.users where id = \(user)"
            #expect(try await fixture.int(set) == 0)
            try await fixture.finish(claim, .failed, kind: .clientRefused, error: "401")
            #expect(try await fixture.job("due_at <= now()", user: user) == "true")
            let second = try await fixture.runJob(worker, user: user)
            try await fixture.finish(
                second.claim, .failed, kind: .clientRefused, error: "401",
                secrets: second.secrets.map(\.version))
            #expect(try await fixture.job("due_at > now()", user: user) == "true")
            #expect(try await fixture.job("state", user: user) == "waiting")
            #expect(try await fixture.int(set) == 1)
            #expect(try await fixture.job("due_at <= now()", user: user) == "true")
        }
    }

    @Test
    func `a secret that arrives while a run is being refused keeps the job from being parked`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            try await fixture.script(
                "select jobrunner.put_secret(tenant_id, id, 'token', \(sealed())) from jobrunner.users where id = \(user)"
            )
            try await fixture.finish(claim, .needsReauth, kind: .unauthorised, error: "401")
            #expect(try await fixture.job("state", user: user) == "waiting")
            #expect(try await fixture.job("due_at <= now()", user: user) == "true")
            // What the source itself replaced during the run is no news.
            let second = try await fixture.runJob(worker, user: user)
            try await fixture.script(
                "select jobrunner.rotate_secret(u.tenant_id, u.id, 'token', s.revision, 7, \(sealed("02"))) from jobrunner.users as u join jobrunner.secrets as s on s.user_id = u.id where u.id = \(user)"
            )
            try await fixture.finish(
                second.claim, .needsReauth, kind: .unauthorised, error: "401",
                secrets: second.secrets.map(\.version))
            #expect(try await fixture.job("state", user: user) == "needs_reauth")
        }
    }

    @Test func `invariant 9: a complete run that found nothing new writes no run row`() async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            let idle = try await fixture.run(worker, user: user)
            try await fixture.commit(
                idle, page(1, isEnd: true), PageCounts(fetched: 2, unchanged: 2))
            try await fixture.finish(idle)
            try await fixture.finish(
                try await fixture.run(worker, user: user), .skipped, kind: .missing)
            #expect(try await fixture.int("select count(*) from jobrunner.runs") == 0)
            let busy = try await fixture.run(worker, user: user)
            try await fixture.commit(
                busy, page(1, isEnd: true, pass: 2),
                PageCounts(fetched: 2, inserted: 1, unchanged: 1))
            try await fixture.finish(busy)
            #expect(
                try await fixture.texts("select id::text from jobrunner.runs") == ["\(busy.fence)"])
        }
    }

    @Test
    func
        `five runs that meet their deadline without a page set the job aside; a page in between does not`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            func stall() async throws -> [Verdict] {
                try await fixture.finish(
                    try await fixture.run(worker, user: user), .partial, kind: .deadline)
            }
            for _ in 1...4 { #expect(try await stall().isEmpty) }
            let moving = try await fixture.run(worker, user: user)
            try await fixture.commit(moving, page(1))
            try await fixture.finish(moving, .partial, kind: .deadline)
            for _ in 1...4 { #expect(try await stall().isEmpty) }
            #expect(try await stall().map(\.kind) == [.quarantined])
            #expect(
                try await fixture.job("state || ': ' || quarantine_reason", user: user).contains(
                    "quarantined: no page"))
            #expect(try await fixture.claim(worker).isEmpty)
            #expect(
                try await fixture.texts("select reason from jobrunner.quarantined_jobs").count == 1)
        }
    }

    @Test func `a paused user's run may end, and its jobs wait until the user is resumed`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            #expect(try await fixture.int("select jobrunner.pause_jobs('acme', 'ann')") == 1)
            try await fixture.finish(claim, .partial, kind: .cancelled)
            #expect(try await fixture.claim(worker).isEmpty)
            #expect(try await fixture.job("state", user: user) == "paused")
            #expect(try await fixture.int("select jobrunner.give_job('acme', 'hub.status')") == 1)
            #expect(try await fixture.claim(worker).isEmpty)
            #expect(try await fixture.int("select jobrunner.resume_jobs('acme', 'ann')") == 2)
            #expect(try await fixture.claim(worker).count == 2)
        }
    }

    @Test func `OW6 a run that a person stopped goes on at its next tick, or when somebody asks`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            let asked = "select jobrunner.enqueue('acme', 'ann', 'hub.refresh', in_force => true)"
            let told = """
                concat_ws(' ', state, due_at > now() and due_at <= now() + every, force_requested, cancel_requested_at)
                """
            try await fixture.script(asked)
            let claim = try await fixture.run(worker, user: user)
            try await fixture.commit(claim, page(1))
            try await fixture.script("select jobrunner.cancel_jobs('acme', 'ann')")
            try await fixture.finish(claim, .partial, kind: .cancelled)
            #expect(try await fixture.job(told, user: user) == "waiting t f")
            #expect(try await fixture.checkpoint("cursor", user: user) == "next")
            // What is asked while it stops is asked of the run that follows.
            let next = try await fixture.run(worker, user: user)
            try await fixture.script("select jobrunner.cancel_jobs('acme', 'ann')")
            try await fixture.script(asked)
            try await fixture.finish(next, .partial, kind: .cancelled)
            #expect(try await fixture.job("due_at <= now()", user: user) == "true")
        }
    }

    @Test(arguments: [true, false])
    func `a run that a pause stopped goes on when the pause is over, however early`(
        _ endsFirst: Bool
    ) async throws {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            try await fixture.script("select jobrunner.pause_jobs('acme', 'ann')")
            if endsFirst { try await fixture.finish(claim, .partial, kind: .cancelled) }
            try await fixture.script("select jobrunner.resume_jobs('acme', 'ann')")
            if !endsFirst { try await fixture.finish(claim, .partial, kind: .cancelled) }
            #expect(
                try await fixture.job("concat_ws(' ', state, due_at <= now())", user: user)
                    == "waiting t")
        }
    }

    @Test
    func
        `a period that is counted from the last success begins anew with each, and with no other end`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            let due =
                "concat_ws(' ', round(extract(epoch from due_at - now()) / extract(epoch from every), 2), phase)"
            try await fixture.given(.period("1 hour", phase: nil))
            let claim = try await fixture.run(worker, user: user)
            #expect(try await fixture.job("next_due_at > now()", user: user) == "true")
            // The run was long; the period begins with its end.
            try await fixture.given(.running(since: "30 min", next: "30 min"))
            try await fixture.finish(claim)
            #expect(try await fixture.job(due, user: user) == "1.00")
            // One that somebody asked for begins it too.
            try await fixture.script(
                "\(Given.notDue(for: "15 min")) select jobrunner.enqueue('acme', 'ann', 'hub.refresh')"
            )
            try await fixture.finish(try await fixture.run(worker, user: user))
            #expect(try await fixture.job(due, user: user) == "1.00")
            try await fixture.finish(
                try await fixture.run(worker, user: user), .partial, kind: .deadline)
            #expect(try await fixture.job("due_at <= now()", user: user) == "true")
            try await fixture.finish(
                try await fixture.run(worker, user: user), .failed, kind: .rejected, error: "no",
                entity: "video")
            #expect(try await fixture.job("due_at < now() + every / 2", user: user) == "true")
        }
    }

    @Test
    func `OW7 where the period begins with each success a run belongs to one of a period ago`()
        async throws
    {
        try await Fixture.lend { fixture, worker async throws in
            _ = try await fixture.addUser()
            try await fixture.given(.period("10 min", phase: nil))
            let claim = try await fixture.claim(worker, limit: 1)[0]
            // What an interrupted run has read to its end since then is not read again.
            #expect(claim.claimedAt - claim.tickAt == 600_000_000)
        }
    }

    @Test func `an error is at most 1 KiB and a failure has a kind`() async throws {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            await #expect(throws: DatabaseError.self) {
                try await fixture.finish(
                    claim, .failed, kind: .rejected, error: String(repeating: "é", count: 513))
            }
            await #expect(throws: DatabaseError.self) { try await fixture.finish(claim, .failed) }
            #expect(try await fixture.job("state", user: user) == "running")
        }
    }

    @Test func `a push that fails after an empty pull ends its run as failed, each time`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            for count in 1...3 {
                let claim = try await fixture.run(worker, user: user)
                let verdicts = try await fixture.queue.finishRuns([
                    FinishedRun(
                        claim: claim, outcome: .failed, errorKind: "unavailable", error: "down",
                        failures: [
                            EntityFailure(entity: "video", kind: "unavailable", error: "down")
                        ],
                        endedPasses: [
                            passEnd("video", watermark: "\(count)")
                        ])
                ])
                #expect(verdicts.isEmpty)
                let figures = "consecutive_failures || ' ' || last_error_kind"
                #expect(try await fixture.job(figures, user: user) == "\(count) unavailable")
                #expect(
                    try await fixture.checkpoint(figures + " || watermark", user: user)
                        == "\(count) unavailable\(count)")
                #expect(try await fixture.job("due_at > now()", user: user) == "true")
            }
        }
    }
}
