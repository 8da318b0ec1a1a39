import JobQueue
import Telemetry

/// Sees stop requests, which are durable, and in turn with the other workers those that are dead.
struct SupervisionLoop: Sendable {
    let context: WorkerContext

    func run() async {
        let period = context.settings.supervision
        while !Task.isCancelled {
            await context.stopWakeUp.wait(atMost: period)
            do {
                if let worker = context.registration.worker, context.slots.count > 0 {
                    context.slots.stop(try await context.queue.stopRequests(worker: worker))
                }
                if context.rotation.isOurs(each: period) { try await reap() }
            } catch {
                context.noteDatabaseLost(error)
            }
        }
    }

    private func reap() async throws {
        for reaped in try await context.queue.reapJobs(lease: context.settings.lease) {
            let lost = Subject(worker: Int64(reaped.worker))
            if reaped.jobs > 0 { context.log.emit(.jobsReaped(lost, count: reaped.jobs)) }
            if reaped.quarantined > 0 {
                context.log.emit(
                    .jobQuarantined(
                        lost, reason: "\(reaped.quarantined) jobs: three crashes in a row"))
            }
        }
    }
}
