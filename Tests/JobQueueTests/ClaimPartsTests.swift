import Postgres
import JobQueue
import Testing

/// Each part of a claim is asked for by itself: what agrees in the others is no proof.
@Suite("The parts of a claim")
struct ClaimPartsTests {
    private func lend(
        _ part: ClaimPart, _ body: (Fixture, _ user: Int64, _ claim: Claim) async throws -> Void
    ) async throws {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            try await fixture.given(.lost(part))
            try await body(fixture, user, claim)
        }
    }

    @Test(arguments: ClaimPart.allCases)
    func `a page is refused whose claim differs in one part`(_ part: ClaimPart) async throws {
        try await lend(part) { fixture, user, claim async throws in
            await #expect(throws: QueueError.lost) { try await fixture.commit(claim) }
            #expect(
                try await fixture.int("select count(*) from jobrunner.checkpoints") == 0)
        }
    }

    @Test(arguments: ClaimPart.allCases)
    func `an outcome is refused whose claim differs in one part`(_ part: ClaimPart) async throws {
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

    @Test(arguments: ClaimPart.allCases)
    func `a release is refused whose claim differs in one part`(_ part: ClaimPart) async throws {
        try await lend(part) { fixture, user, claim async throws in
            let before = try await fixture.job("jobs::text", user: user)
            #expect(try await fixture.queue.releaseJobs([claim]) == 0)
            #expect(try await fixture.job("jobs::text", user: user) == before)
        }
    }
}
