import Asking
import JobQueue
import Synchronization
import Telemetry

/// Takes in what a batch's preload told of its sources: shares of budgets, and breakers.
final class BreakerWatch: Sendable {
    /// Of so many it is remembered that they were told.
    ///
    /// Beyond that they are told once more: users may choose hosts without number.
    private static let rememberedMax = 10_000

    private let context: WorkerContext
    /// Tenants' sources whose breaker was open when last looked at.
    private let blocked = Mutex<Set<String>>([])

    init(_ context: WorkerContext) {
        self.context = context
    }

    /// Adds what was granted to the budgets, and tells when a breaker opens or closes.
    func take(_ grants: [SourceGrant], for jobs: [ClaimedJob]) {
        for grant in grants {
            context.budgets.add(grant)
            let key = "\(grant.tenantID) \(grant.source)"
            let isChanged = blocked.withLock { blocked in
                if blocked.count >= Self.rememberedMax { blocked.removeAll() }
                return grant.blocked == nil
                    ? blocked.remove(key) != nil : blocked.insert(key).inserted
            }
            guard isChanged else { continue }
            let tenant = jobs.first { $0.tenantID == grant.tenantID }?.tenantName
            let about = Subject(
                tenant: tenant, worker: context.registration.worker.map(Int64.init))
            if let wait = grant.blocked {
                context.log.emit(
                    .sourceBlocked(
                        about, source: grant.source, wait: wait,
                        reason: "many runs in a row found it unavailable"))
            } else {
                context.log.emit(.sourceUnblocked(about, source: grant.source))
            }
        }
    }
}
