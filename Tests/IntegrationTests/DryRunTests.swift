import Asking
import CloudKit
import Foundation
import HTTP
import JobFiles
import JSON
import Postgres
import JobQueue
import Sync
import Telemetry
import Testing
import Writing

extension World {
    /// What a run of the user's job would do, as a dry run tells it.
    func dryRun(_ user: String) async throws -> DryRunReport {
        var job = try await queue.readJob(file.name, tenant: "acme", user: user)
        job.isForced = true
        let request = BudgetRequest(tenantID: job.tenantID, source: file.source.id, requests: 0)
        let opened = try await queue.preloadRuns(
            users: [job.claim.userID], lists: file.listColumns, tables: file.emptinessTables,
            sources: [request], dirtyTables: file.pushedTables)
        let client = HTTPClient(userAgent: "test")
        defer { client.close() }
        let sync = Syncer(
            Services(
                queue: queue, client: client, budgets: Budgets(queue),
                keys: keeper.map { TenantKeys($0, queue) },
                log: Log(sink: lines.sink), dialect: cloudKitDialect))
        return try await sync.dryRun(
            RunInputs(job: job, file: file, opened: opened, claimedAt: .now), RunControl(),
            pagesMax: 10)
    }
}

@Suite struct DryRunTests {
    private let ann = userName(1)

    @Test func `a dry run makes no zone and pushes no edit, and says that a run would`()
        async throws
    {
        try await withCloud(.metube, #""records": 5"#) { world in
            let first = try await world.dryRun(ann)
            #expect(first.outcome == "complete", "\(first.error ?? "")")
            #expect(first.unsent == ["cloudkit.ensure_zone:WatchedStatusZone"])
            try await world.drain()
            try await world.sql("update synced.watched_status set synced = false")
            let before = try await world.calls().count
            let second = try await world.dryRun(ann)
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
        try await withCloud(.metube, #""records": 5"#) { world in
            try await world.settings(#""token_mode": "strict""#)
            let report = try await world.dryRun(ann)
            #expect(report.outcome == "complete", "\(report.error ?? "")")
            #expect(report.hasStoredCredential)
            // The token of before is good for nothing any more.
            try await world.drain()
            #expect(try await world.unfinished() == [])
            #expect(
                try await world.value("select count(*)::text from synced.watched_status") == "5")
        }
    }

    @Test func `a dry run of a list that has changed reads its new chunks and forgets no old one`()
        async throws
    {
        let path = packageRoot.appending(path: "jobs/metube/worker.yaml")
        try await withWorld(try String(contentsOf: path, encoding: .utf8)) { world in
            try await world.addUser("ann", videos: 5, channels: ["c1"])
            try await world.sql(
                "select jobrunner.set_source('acme', $1, $2)", .text(world.file.source.id),
                .text(world.source.base + "/worker/ann"))
            try await world.drain()
            let checkpoints = "select string_agg(entity, ' ') from jobrunner.checkpoints"
            let before = try await world.value(checkpoints)
            let asked = try await world.source.asked("query").count
            let list = world.file.lists[0]
            try await world.sql(
                "select jobrunner.replace_list('acme', 'ann', $1, $2, '{c1,c2}')",
                .text(list.table), .text(list.column))
            let report = try await world.dryRun("ann")
            #expect(report.outcome == "complete", "\(report.error ?? "")")
            #expect(report.entities.map(\.pages) == [1])
            #expect(try await world.source.asked("query").count == asked + 1)
            #expect(try await world.value(checkpoints) == before)
        }
    }
}
