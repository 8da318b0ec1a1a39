import Postgres
import JobQueue
import Testing

@Suite("Dry runs of statements")
struct QueueDryRunTests {
    @Test func `a job that is read is what its next claim tells, and nobody holds it`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            let first = try await fixture.run(worker, user: user)
            try await fixture.commit(first, page(1, cursor: "cursor"))
            try await fixture.remember("register", listHash: "abc", for: first)
            try await fixture.finish(first, .partial, kind: .deadline)

            let read = try await fixture.queue.readJob(Fixture.refresh, tenant: "acme", user: "ann")
            #expect(read.claim.fence == 0)
            #expect(try await fixture.job("state", user: user) == "waiting")
            let claimed = try #require(try await fixture.claim(worker, limit: 1).first)
            #expect(read.userKey == claimed.userKey)
            #expect(read.tenantName == claimed.tenantName)
            #expect(read.deadline == claimed.deadline)
            #expect(read.attributes == claimed.attributes)
            #expect(read.checkpoints.map(\.entity) == ["video"])
            #expect(read.checkpoints.map(\.cursor) == claimed.checkpoints.map(\.cursor))
            #expect(read.checkpoints.map(\.generation) == claimed.checkpoints.map(\.generation))
            #expect(read.calls.map(\.listHash) == ["abc"])
            await #expect(throws: QueueError.self) {
                _ = try await fixture.queue.readJob("nope", tenant: "acme", user: "ann")
            }
        }
    }

    @Test func `a dry run of statements answers as if it were done, and undoes it`() async throws {
        try await Fixture.lend { fixture async throws in
            let insert = Statement("insert into synced.hub_video values (7, 'a')")
            let count = Statement("select count(*) from synced.hub_video")
            let answers = try await fixture.queue.dryRun([insert, count])
            #expect(try answers[1].only().int(0) == 1)
            #expect(try await fixture.int("select count(*) from synced.hub_video") == 0)
            await #expect(throws: DatabaseError.self) {
                _ = try await fixture.queue.dryRun([insert, insert])
            }
            #expect(try await fixture.int("select count(*) from synced.hub_video") == 0)
        }
    }
}
