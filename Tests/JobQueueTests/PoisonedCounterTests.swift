import Postgres
import JobQueue
import Testing

/// A counter at its type's end is one job's own trouble.
@Suite struct PoisonedCounterTests {
    private static let max = "2147483647"

    @Test func `a counter at its maximum keeps neither its own run nor another from being ended`()
        async throws
    {
        try await Fixture.lend { fixture, worker async throws in
            let ends: [(column: String, outcome: Outcome, kind: ErrorKind)] = [
                ("consecutive_failures", .failed, .rejected),
                ("deferrals", .deferred, .rateLimited),
                ("stalled_runs", .partial, .deadline), ("crashes", .failed, .rejected),
            ]
            for end in ends {
                let ann = try await fixture.addUser("ann \(end.column)")
                let bob = try await fixture.addUser("bob \(end.column)")
                try await fixture.script(
                    """
                    update jobrunner.jobs set \(end.column) = \(Self.max) where user_id = \(ann);
                    insert into jobrunner.checkpoints (user_id, job_name, entity, tenant_id, consecutive_failures)
                    select user_id, name, 'video', tenant_id, \(Self.max) from jobrunner.jobs where user_id = \(ann)
                    """)
                let poisoned = try await fixture.run(worker, user: ann)
                let quiet = try await fixture.run(worker, user: bob)
                let failures = [
                    EntityFailure(entity: "video", kind: end.kind.rawValue, error: "no")
                ]
                let verdicts = try await fixture.queue.finishRuns([
                    FinishedRun(
                        claim: poisoned, outcome: end.outcome, errorKind: end.kind.rawValue,
                        error: "no", failures: failures, wait: .seconds(60), requests: 1,
                        secretVersions: []),
                    FinishedRun(
                        claim: quiet, outcome: .complete, errorKind: nil, error: nil, failures: [],
                        wait: nil, requests: 1, secretVersions: []),
                ])
                #expect(verdicts.allSatisfy { $0.kind == .quarantined }, "\(end.column)")
                #expect(
                    try await fixture.job("last_outcome", user: ann) == end.outcome.rawValue,
                    "\(end.column)")
                #expect(
                    try await fixture.job("last_outcome", user: bob) == "complete", "\(end.column)")
            }
        }
    }

    @Test func `a count of crashes at its maximum keeps no job with its dead worker`() async throws
    {
        try await Fixture.lend { fixture, worker async throws in
            let ann = try await fixture.addUser("ann")
            let bob = try await fixture.addUser("bob")
            try await fixture.script(
                "update jobrunner.jobs set crashes = \(Self.max) where user_id = \(ann)")
            _ = try await fixture.run(worker, user: ann)
            _ = try await fixture.run(worker, user: bob)
            try await fixture.given(.silent())
            let reaped = try await fixture.queue.reapJobs(lease: .seconds(30))
            #expect(reaped.map(\.jobs) == [2])
            #expect(try await fixture.job("state", user: ann) == "quarantined")
            #expect(try await fixture.job("state", user: bob) == "waiting")
        }
    }

    @Test(arguments: [
        "every = '200000 years'", "every = '1 microsecond', phase = '0'",
        "deadline = '200000 years'",
        "deadline = '-1 day'", "deadline = '0'",
    ]) func `a period or deadline with which no time could be told is refused by the table`(
        _ poison: String
    ) async throws {
        try await Fixture.lend { fixture async throws in
            let ann = try await fixture.addUser("ann")
            #expect(
                try await fixture.refusal(
                    "update jobrunner.jobs set \(poison) where user_id = \(ann)") == "23514")
        }
    }
}
