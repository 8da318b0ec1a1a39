import JobFiles
import JobQueue
import Postgres
import Sync

/// Asks once for a whole batch what the batch's runs must know of lists, tables and sources.
struct Preload: Sendable {
    let context: WorkerContext
    let breakers: BreakerWatch

    /// What each job file's runs must know, by the file's name.
    ///
    /// A table may be gone or locked: when the server refuses, each file is asked for by itself, so that
    /// only the runs of the one that is to blame fail.
    func read(for jobs: [ClaimedJob]) async throws -> [String: PreloadedRuns] {
        let byName = Dictionary(grouping: jobs, by: \.claim.name)
        do {
            let preloaded = try await ask(for: jobs)
            return byName.mapValues { _ in preloaded }
        } catch let error as DatabaseError where mayConcernOne(error) {
            var preloaded: [String: PreloadedRuns] = [:]
            for (name, jobs) in byName { preloaded[name] = try await askAlone(for: jobs) }
            return preloaded
        }
    }

    private func askAlone(for jobs: [ClaimedJob]) async throws -> PreloadedRuns {
        do {
            return try await ask(for: jobs)
        } catch let error as DatabaseError where mayConcernOne(error) {
            return PreloadedRuns(refusal: error)
        }
    }

    private func ask(for jobs: [ClaimedJob]) async throws -> PreloadedRuns {
        var lists: Set<ListColumn> = []
        var tables: Set<String> = []
        var dirty: Set<String> = []
        var budgets: [BudgetRequest: Int] = [:]
        for job in jobs {
            guard let file = context.files[job.claim.name] else { continue }
            lists.formUnion(file.listColumns)
            tables.formUnion(file.emptinessTables)
            dirty.formUnion(file.pushedTables)
            guard file.asksItsSource, let name = file.budgetNames(for: job.attributes).first
            else {
                continue
            }
            let source = BudgetRequest(tenantID: job.tenantID, source: name, requests: 0)
            budgets[source, default: 0] += file.leastRequests
        }
        guard !(lists.isEmpty && tables.isEmpty && dirty.isEmpty && budgets.isEmpty) else {
            return PreloadedRuns()
        }
        let preloaded = try await context.queue.preloadRuns(
            users: Array(Set(jobs.map(\.claim.userID))), lists: Array(lists), tables: Array(tables),
            sources: budgets.map { request, requests in
                BudgetRequest(
                    tenantID: request.tenantID, source: request.source, requests: requests)
            }, dirtyTables: Array(dirty))
        breakers.take(preloaded.sources, for: jobs)
        return preloaded
    }
}
