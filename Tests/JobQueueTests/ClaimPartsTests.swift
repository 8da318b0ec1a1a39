import Postgres
import JobQueue
import Testing

/// Each part of a claim is asked for by itself: what agrees in the others is no proof.
@Suite("The parts of a claim")
struct ClaimPartsTests {
    private static let parts = ["another fence", "another nonce", "no worker"]

    private func lend(
        _ part: String, _ body: (Fixture, _ user: Int64, _ claim: Claim) async throws -> Void
    ) async throws {
        try await Fixture.lend { fixture async throws in
            let worker = try await fixture.addWorker()
            let user = try await fixture.addUser()
            let claim = try await fixture.run(worker, user: user)
            let change =
                switch part {
                case "another fence": "fence = fence + 1"
                case "another nonce": "nonce = gen_random_uuid()"
                default:
                    "worker_id = null, started_at = null, deadline_at = null, next_due_at = null"
                }
            try await fixture.script(
                "update jobrunner.jobs set \(change) where user_id = \(user)")
            try await body(fixture, user, claim)
        }
    }

    @Test(arguments: parts)
    func `a page is refused whose claim differs in one part`(_ part: String) async throws {
        try await lend(part) { fixture, user, claim async throws in
            await #expect(throws: QueueError.lost) { try await fixture.commit(claim) }
            #expect(
                try await fixture.int("select count(*) from jobrunner.checkpoints") == 0)
        }
    }

    @Test(arguments: parts)
    func `an outcome is refused whose claim differs in one part`(_ part: String) async throws {
        try await lend(part) { fixture, user, claim async throws in
            let before = try await fixture.job("jobs::text", user: user)
            let verdicts = try await fixture.finish(
                claim, .failed, kind: .rejected, error: "no", entity: "video")
            #expect(verdicts.map(\.kind) == [.lost])
            #expect(try await fixture.job("jobs::text", user: user) == before)
            #expect(try await fixture.int("select count(*) from jobrunner.runs") == 0)
            #expect(
                try await fixture.int("select count(*) from jobrunner.checkpoints") == 0)
        }
    }

    @Test(arguments: parts)
    func `a release is refused whose claim differs in one part`(_ part: String) async throws {
        try await lend(part) { fixture, user, claim async throws in
            let before = try await fixture.job("jobs::text", user: user)
            #expect(try await fixture.queue.releaseJobs([claim]) == 0)
            #expect(try await fixture.job("jobs::text", user: user) == before)
        }
    }
}
