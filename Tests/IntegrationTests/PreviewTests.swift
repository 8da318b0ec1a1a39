import CloudKit
import HTTP
import JSON
import JobFile
import Postgres
import Queue
import Sync
import Telemetry
import Testing

extension World {
    /// What a run of the user's job would do, as a dry run tells it.
    fileprivate func preview(_ user: String) async throws -> Preview {
        var job = try await queue.readJob(file.name, tenant: "acme", user: user)
        job.isForced = true
        let wish = SourceWish(tenantID: job.tenantID, source: file.source.id, requests: 0)
        let opened = try await queue.openRuns(
            users: [job.claim.userID], lists: file.listPlaces, tables: file.emptinessTables,
            sources: [wish], dirtyTables: file.pushedTables)
        let client = HTTPClient(userAgent: "test")
        defer { client.close() }
        let sync = Sync(
            Services(
                queue: queue, client: client, budgets: Budgets(queue), sealer: sealer,
                log: Log(sink: lines.sink), dialect: cloudKitDialect))
        return try await sync.preview(
            RunInputs(job: job, file: file, opened: opened, claimedAt: .now), RunControl(),
            pagesMax: 10)
    }
}

@Suite struct PreviewTests {
    private let ann = userName(1)

    @Test func `a dry run makes no zone and pushes no edit, and says that a run would`()
        async throws
    {
        try await withApp(.metube, #""records": 5"#) { world in
            let first = try await world.preview(ann)
            #expect(first.outcome == "complete", "\(first.error ?? "")")
            #expect(first.unsent == ["cloudkit.ensure_zone:WatchedStatusZone"])
            try await world.drain()
            try await world.sql("update synced.watched_status set synced = false")
            let before = try await world.calls().count
            let second = try await world.preview(ann)
            #expect(second.unsent.contains { $0.hasPrefix("push of ") })
            let sent = try await world.calls().dropFirst(before)
            #expect(!sent.isEmpty)
            #expect(!sent.contains { $0.contains("modify") }, "\(sent)")
            #expect(
                try await world.value("select bool_or(synced)::text from synced.watched_status")
                    == "false")
        }
    }

    @Test func `MS27 a credential that the source replaces in a dry run is stored, and told`()
        async throws
    {
        try await withApp(.metube, #""records": 5"#) { world in
            try await world.settings(#""token_mode": "strict""#)
            let preview = try await world.preview(ann)
            #expect(preview.outcome == "complete", "\(preview.error ?? "")")
            #expect(preview.hasStoredCredential)
            // The token of before is good for nothing any more.
            try await world.drain()
            #expect(try await world.unfinished() == [])
            #expect(
                try await world.value("select count(*)::text from synced.watched_status") == "5")
        }
    }
}
