import Claiming
import JobQueue
import Telemetry

/// Sees stop requests and announcements, which are durable, and in turn with the other workers those that are dead.
struct SupervisionLoop: Sendable {
    /// Notifications wake it no more often: any login may send them.
    private static let pause = Duration.milliseconds(50)

    let context: WorkerContext

    func run() async {
        let period = context.settings.supervision
        var seen: String?
        while !Task.isCancelled {
            context.liveness.round(.supervision)
            await context.stopWakeUp.wait(atMost: period)
            try? await Task.sleep(for: Self.pause, clock: .continuous)
            do {
                if let worker = context.registration.worker, context.slots.count > 0 {
                    context.slots.stop(try await context.queue.stopRequests(worker: worker))
                }
                try await forgetClaims()
                seen = try await hear(since: seen)
                if context.rotation.isOurs(each: period) {
                    // After an outage its own sign of life comes first: by it others see that nobody could show any.
                    if !context.registration.isLate { try await reap() }
                    // A claim does so as well; a tenant of whom only a suspect is due meets none.
                    try await context.queue.activateLimits()
                }
            } catch {
                context.databaseFailed(error)
            }
        }
    }

    /// Tells the claimer what was announced; returns the snapshot up to which it has heard.
    ///
    /// What was announced before the first one, but after the claimer's first look, it would never hear of: so it looks once more.
    private func hear(since seen: String?) async throws -> String {
        let (now, news) = try await context.queue.news(since: seen)
        if seen == nil { context.claimer.lookAtAll() }
        context.claimer.heard(news)
        if seen == nil || !news.isEmpty { context.dueWakeUp.wake() }
        return now
    }

    private func forgetClaims() async throws {
        guard let worker = context.registration.worker else { return }
        let over = context.claimNotes.takeMany()
        guard !over.isEmpty else { return }
        try await context.queue.forgetEndedClaims(worker: worker, firstFences: over)
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
