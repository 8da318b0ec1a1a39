public import Asking
public import JobQueue
public import Telemetry
public import Writing

/// Runs claimed jobs: the one door of this room.
public struct Syncer: Sendable {
    private let services: Services

    /// Runs jobs with the services of a process.
    public init(_ services: Services) {
        self.services = services
    }

    /// Runs one claimed job to an outcome, at most until its deadline.
    ///
    /// Returns nil when the claim was lost: then nothing may be written, the outcome included.
    /// To stop it, note the reason in `control` and cancel the task.
    public func run(_ inputs: RunInputs, _ control: RunControl) async -> FinishedRun? {
        let run = Run(inputs, services, control)
        control.activity.begin(inputs.subject)
        services.log.emit(.runStarted(inputs.subject))
        let finished = await run.perform()
        measure(run.context, finished)
        log(run.context, finished)
        return finished
    }

    /// The keys of tenants; nil when there is no key file.
    public var keys: TenantKeys? { services.tools.keys }

    /// What runs measure.
    public var metrics: Metrics { services.metrics }

    /// Does what a run of the job would, and tells what it would write instead of writing it.
    ///
    /// Asks the source like a run, within budget and deadline, for at most `pagesMax` pages of each
    /// entity. Sends nothing but questions: no push, no call that is no GET, no recovery that makes
    /// something. Stores nothing but a credential that the source replaced on the way, which would
    /// be lost. Throws `DatabaseError`, or `QueueError.superseded` when a run of the job came between.
    public func dryRun(
        _ inputs: RunInputs, _ control: RunControl, pagesMax: Int
    ) async throws -> DryRunReport {
        let dryRun = DryRun(services.queue, pagesMax: pagesMax)
        return try await Run(inputs, services, control, dryRun).perform(telling: dryRun)
    }

    private func measure(_ run: RunContext, _ finished: FinishedRun?) {
        guard let finished else { return }
        let job = run.inputs.job
        let name = job.claim.name
        // A word of the source's own would be a series of its own.
        let kind = finished.errorKind.map { ErrorKind(rawValue: $0) == nil ? "other" : $0 } ?? ""
        metrics.add(to: .runs, name, finished.outcome.rawValue, kind)
        metrics.observe(.now - run.inputs.claimedAt, in: .runDuration, name)
        metrics.observe(
            .microseconds(job.claimedAt - job.scheduledAt), in: .startDelay, name)
    }

    private func log(_ run: RunContext, _ finished: FinishedRun?) {
        guard let finished else {
            services.log.emit(.runLost(run.subject, at: "page"))
            return
        }
        if finished.outcome == .deferred {
            services.log.emit(
                .runDeferred(
                    run.subject, wait: finished.wait ?? .zero,
                    reason: finished.error ?? finished.errorKind ?? ""))
            return
        }
        var summary = RunSummary(
            outcome: finished.outcome.rawValue, pages: run.progress.pages,
            requests: run.session.requests, fetched: run.progress.fetched,
            changed: run.progress.changed, took: ContinuousClock.now - run.inputs.claimedAt,
            errorKind: finished.errorKind, error: finished.error)
        summary.deleted = run.progress.deleted
        summary.skipped = run.progress.skips.count
        summary.isNewTrouble = isTrouble(finished, run) && isNew(finished, run)
        services.log.emit(.runFinished(run.subject, summary))
    }

    /// A failure, a refused credential, or a deadline that came before any page.
    private func isTrouble(_ finished: FinishedRun, _ run: RunContext) -> Bool {
        [.failed, .needsReauth].contains(finished.outcome)
            || finished.errorKind == ErrorKind.deadline.rawValue && run.progress.pages == 0
    }

    private func isNew(_ finished: FinishedRun, _ run: RunContext) -> Bool {
        run.inputs.job.lastOutcome != finished.outcome
    }
}
