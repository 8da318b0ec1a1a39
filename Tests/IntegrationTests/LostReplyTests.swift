import HTTP
import JSON
import JobFile
import Postgres
import Queue
import Sync
import Telemetry
import TestSupport
import Testing

/// The reply to a page's commit is lost: the run asks what became of it, and never guesses.
@Suite struct LostReplyTests {
    @Test func `invariant 13: a page whose commit was never confirmed counts once`() async throws {
        try await withWorld { world in
            // A page's turn names the kind of its pass; nothing else a run sends does.
            let relay = try ReplyEater(to: world.database.url, after: "full", eaten: [1, 3, 5])
            let pool = Database(
                try DatabaseConfiguration(conninfo: relay.url, applicationName: "test", lanes: 1))
            let queue = Queue(pool)
            try await world.addUser("ann", videos: 500)
            let worker = try await world.queue.registerWorker(
                host: "test", pid: 1, version: "test", capacity: 1)
            var file = world.file
            file.source.rate = nil
            let job = try #require(
                try await world.queue.claimJobs(worker: worker, limit: 1, names: [file.name]).first)
            let opened = try await world.queue.openRuns(
                users: [job.claim.userID], lists: file.listPlaces, tables: file.emptinessTables,
                sources: [
                    SourceWish(tenantID: job.tenantID, source: file.source.id, requests: 1)
                ])
            let sync = Sync(
                Services(
                    queue: queue, client: HTTPClient(userAgent: "test"),
                    budgets: Budgets(queue), sealer: nil, log: Log(sink: world.lines.sink)))
            let inputs = RunInputs(
                job: job, file: file, opened: opened, claimedAt: .now)
            let run = try #require(await sync.run(inputs, RunControl()))
            #expect(run.outcome == .complete, "\(run)")
            #expect(pool.counts.connects == 4)
            #expect(try await world.queue.finishRuns([run]).isEmpty)

            let kept = try await world.source.expected("ann").kept
            #expect(try await world.value("select count(*) from synced.hub_video") == "\(kept)")
            let history = try await world.sql("select * from jobrunner.runs").only()
            #expect(try history.int("page_count") == 5)
            #expect(try history.int("fetched_count") == 500)
            #expect(try history.int("inserted_count") == kept)
            let feeds = try await world.source.log(user: "ann").filter {
                $0["path"]?.string?.hasSuffix("/feed") ?? false
            }
            #expect(feeds.count == 5)
            await pool.close()
        }
    }
}
