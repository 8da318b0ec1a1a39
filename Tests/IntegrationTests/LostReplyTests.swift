import Asking
import HTTP
import JobFiles
import JSON
import Postgres
import JobQueue
import Sync
import Telemetry
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
            let run = try #require(try await world.run(try await world.claim(), over: queue))
            #expect(run.outcome == .complete, "\(run)")
            #expect(pool.counts.connects == 4)
            #expect(try await world.queue.finishRuns([run]).isEmpty)

            let kept = try await world.source.expected("ann").kept
            #expect(try await world.value("select count(*) from synced.hub_video") == "\(kept)")
            let history = try await world.sql("select (r.counters).* from jobrunner.runs as r")
                .only()
            #expect(try history.int("pages") == 5)
            #expect(try history.int("fetched") == 500)
            #expect(try history.int("inserted") == kept)
            let feeds = try await world.source.log(user: "ann").filter {
                $0["path"]?.string?.hasSuffix("/feed") ?? false
            }
            #expect(feeds.count == 5)
            await pool.close()
        }
    }
}
