import Claiming
import Asking
import CloudKit
import HTTP
import JobFiles
import JobQueue
import Sync
import Telemetry
import Testing

// Single runs without a worker around them, so that nothing of it ends them.
extension World {
    /// The one job that is due, claimed for a worker of its own.
    func claim() async throws -> ClaimedJob {
        let worker = try await queue.registerWorker(
            host: "test", pid: 1, version: "test", capacity: 1)
        return try #require(
            try await queue.claimJobs(worker: worker, limit: 1, names: [file.name]).first)
    }

    /// Runs a claimed job over `own`, else over this world's queue; nil when the claim was lost.
    func run(_ job: ClaimedJob, over own: Queue? = nil) async throws -> FinishedRun? {
        var file = file
        file.source.rate = nil
        let opened = try await queue.preloadRuns(
            users: [job.claim.userID], lists: file.listColumns, tables: file.emptinessTables,
            sources: [BudgetRequest(tenantID: job.tenantID, source: file.source.id, requests: 1)])
        let queue = own ?? queue
        let sync = Syncer(
            Services(
                queue: queue, client: HTTPClient(userAgent: "test"), budgets: Budgets(queue),
                keys: keeper.map { TenantKeys($0, queue) }, log: Log(sink: lines.sink),
                dialect: cloudKitDialect))
        return await sync.run(
            RunInputs(job: job, file: file, opened: opened, claimedAt: .now), RunControl())
    }
}
