import Postgres
import JobQueue
import Testing

/// What one transaction that stays open may not do to others.
@Suite("Open transactions")
struct OpenTransactionTests {
    @Test func `an application's open transaction on a running job holds up no other run's end`()
        async throws
    {
        try await Fixture.lend(users: 3) { fixture, worker async throws in
            let claims = try await fixture.claim(worker).map(\.claim)
            let runs = claims.map {
                FinishedRun(claim: $0, outcome: .complete, hasCommitted: false)
            }
            let held = claims[1]
            let key = try await fixture.text(
                "select key from jobrunner.users where id = $1", .int8(held.userID))
            let first = try await fixture.during(
                "select jobrunner.enqueue('acme', '\(key)', 'hub.refresh')"
            ) {
                try await fixture.queue.finishRuns(runs)
            }
            #expect(first.map { "\($0.userID) \($0.kind)" } == ["\(held.userID) busy"])
            #expect(
                try await fixture.int(
                    "select count(*) from jobrunner.jobs where last_outcome = 'complete'") == 2)
            #expect(try await fixture.queue.finishRuns([runs[1]]).isEmpty)
            #expect(
                try await fixture.job("state || ' ' || (due_at <= now())", user: held.userID)
                    == "waiting true")
        }
    }

    @Test func `claims are given back though an application holds one of their jobs`() async throws
    {
        try await Fixture.lend(users: 3) { fixture, worker async throws in
            let claims = try await fixture.claim(worker).map(\.claim)
            let held = "select from jobrunner.jobs where user_id = \(claims[1].userID) for update"
            try await fixture.during(held) { () async throws in
                #expect(try await fixture.queue.releaseJobs(claims) == 2)
            }
            #expect(try await fixture.queue.releaseJobs(claims) == 1)
        }
    }

    @Test func `an application that enqueues in key order meets no deadlock with ending runs`()
        async throws
    {
        try await Fixture.lend(users: 2) { fixture, worker async throws in
            let claims = try await fixture.claim(worker).map(\.claim)
                .sorted { $0.userID < $1.userID }
            var keys: [String] = []
            for claim in claims {
                keys.append(
                    try await fixture.text(
                        "select key from jobrunner.users where id = $1", .int8(claim.userID)))
            }
            for outcome in [Outcome.complete, .failed] {
                let runs = claims.reversed().map {
                    FinishedRun(
                        claim: $0, outcome: outcome, errorKind: "rejected", hasCommitted: false)
                }
                let verdicts = try await fixture.during(
                    "select jobrunner.enqueue('acme', '\(keys[0])', 'hub.refresh')"
                ) {
                    let verdicts = try await fixture.queue.finishRuns(runs)
                    _ = try await fixture.text(
                        "select jobrunner.enqueue('acme', $1, 'hub.refresh')", .text(keys[1]))
                    return verdicts
                }
                // In the second round the other run has ended.
                #expect(verdicts.contains { $0.userID == claims[0].userID && $0.kind == .busy })
            }
        }
    }

    @Test func `a page that is committed while its run is being ended is counted in that run`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            try await fixture.commit(claim, page(1), PageCounts(fetched: 3, inserted: 3))
            let late = """
                select jobrunner.hold_job(user_id, name, fence, nonce) from jobrunner.jobs where user_id = \(user);
                \(Given.page(2, records: 8, whose: .user(user)))
                """
            let first = try await fixture.during(late) {
                try await fixture.finish(claim, .partial, kind: .deadline)
            }
            #expect(first.map(\.kind) == [.busy])
            #expect(try await fixture.finish(claim, .partial, kind: .deadline).isEmpty)
            #expect(
                try await fixture.text(
                    "select (counters).pages || ' ' || (counters).inserted from jobrunner.runs")
                    == "2 8")
        }
    }

    @Test func `a breaker or a quarantined job that somebody holds keeps nobody waiting`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            let other = try await fixture.addUser("bob")
            try await fixture.given(.parked(.named("hub.refresh")), .due(.named("hub.refresh")))
            let held = """
                select from jobrunner.jobs where user_id = \(user) for update;
                select from jobrunner.sources for update
                """
            let (lifted, verdicts) = try await fixture.during(held) { () async throws in
                let lifted = try await fixture.queue.liftQuarantines()
                let claim = try await fixture.run(worker, user: other)
                let verdicts = try await fixture.finish(
                    claim, .failed, kind: .unavailable, error: "down")
                return (lifted, verdicts)
            }
            #expect(lifted == 1)
            #expect(verdicts == [])
            #expect(try await fixture.queue.liftQuarantines() == 1)
        }
    }
}
