public import Asking
public import JobFiles
public import Postgres
public import JobQueue
public import Sync
public import Telemetry

/// What the outside tells a worker.
public enum WorkerSignal: Sendable {
    /// Stop claiming, tear down what runs, write its outcomes, leave.
    case stop
    /// Leave at once; the lease covers what is left.
    case abort
}

/// A worker: claims due jobs, runs them, writes their outcomes, until it is told to stop.
///
/// Everything it does is a loop of its own in one task group. It never ends because the database is away.
public final class Worker: Sendable {
    /// What telling the state may keep the thread that also takes the signal to stop.
    private static let tellingMax = Duration.milliseconds(500)

    let context: WorkerContext
    let orphans: OrphanedClaimCheck
    private let starter: RunStarter
    private let claims: ClaimLoop

    /// Makes a worker of given parts; `run` starts it.
    public init(
        _ settings: WorkerSettings, configuration: DatabaseConfiguration, queue: Queue,
        files: [JobFile], sync: Syncer, budgets: Budgets, log: Log
    ) {
        context = WorkerContext(
            settings, configuration: configuration, queue: queue, files: files, syncer: sync,
            budgets: budgets, log: log)
        orphans = OrphanedClaimCheck(context)
        starter = RunStarter(context, orphans)
        claims = ClaimLoop(context, starter, orphans)
    }

    /// Works until a signal, or with `drains` until nothing is due or running.
    ///
    /// Whatever the database does, it ends within the grace and three seconds.
    @discardableResult
    public func run(_ signals: AsyncStream<WorkerSignal>) async -> WorkerEnd {
        let started = ContinuousClock.now
        let context = context
        await withTaskGroup(of: Void.self) { loops in
            loops.addTask { await context.completer.run() }
            loops.addTask { await context.deadlines.run() }
            loops.addTask { await NotificationLoop(context: context).run() }
            loops.addTask { await HeartbeatLoop(context: context).run() }
            loops.addTask { await SupervisionLoop(context: context).run() }
            loops.addTask { await MaintenanceLoop(context: context).run() }
            loops.addTask { await LivenessLoop(context: context).run() }
            loops.addTask { await ReplacementWatch(context: context).run() }
            let ending = WakeUp()
            let claiming = Task {
                await claims.run(); ending.wake()
            }
            let handling = Task { await handle(signals, ending) }
            await ending.wait(atMost: .seconds(Int64.max / 4_000_000_000))
            claiming.cancel()
            await drain()
            handling.cancel()
            loops.cancelAll()
            await deregister()
        }
        context.log.emit(
            .workerStopped(
                context.subject, runs: starter.runs, uptime: ContinuousClock.now - started))
        return claims.end
    }

    /// Why the worker takes nothing on at present, in words; empty: it does.
    ///
    /// Asks nobody: it tells what the worker's loops have met last.
    public var reasonsNotReady: [String] {
        var reasons: [String] = []
        if context.isStopping { reasons.append("draining: it was told to stop") }
        // What the database says is in the log: it may name hosts and roles.
        if context.outage.report(lasting: .zero) != nil {
            reasons.append("database: it does not answer, or refuses")
        }
        if context.registration.worker == nil {
            reasons.append("heartbeat: it is not registered")
        } else if context.registration.isPastLease {
            reasons.append("heartbeat: the last one is older than the lease")
        }
        return reasons
    }

    /// Why the worker needs to be started anew, in words; nil when it goes on by itself, whatever the database does.
    ///
    /// Asks nobody.
    public var reasonNotAlive: String? {
        guard !context.isStopping else { return nil }
        return context.liveness.trouble(
            heartbeatsWork: !context.registration.isPastLease,
            standstill: context.settings.standstill)
    }

    /// Slots that runs hold, and those that are free.
    public var slots: (busy: Int, free: Int) { (context.slots.count, context.slots.free) }

    /// Logs what the worker and each of its slots are doing.
    ///
    /// Asks nobody and waits for nobody, so that it works while the database or a source hangs. A reader of the log who
    /// is slow gets those that have held their slots longest.
    public func tellState() {
        let end = ContinuousClock.now + Self.tellingMax
        let busy = context.slots.busy()
        context.log.answer(
            .workerState(
                context.subject, busy: busy.count, free: context.slots.free,
                notReady: reasonsNotReady.joined(separator: "; ")))
        for run in busy where ContinuousClock.now < end {
            let activity = run.activity
            let claimed = Subject(job: run.claim.name, run: run.claim.fence)
            context.log.answer(
                .slotState(
                    activity.subject ?? claimed, holding: run.holding, entity: activity.entity,
                    page: activity.page, step: activity.step.rawValue, since: .now - activity.since)
            )
        }
    }

    /// First stop: claim no more, tear down what runs.
    ///
    /// Second: leave at once.
    private func handle(_ signals: AsyncStream<WorkerSignal>, _ ending: WakeUp) async {
        let slots = context.slots
        for await signal in signals {
            context.requestStop(isAbort: signal == .abort)
            context.log.emit(
                .workerDraining(context.subject, running: slots.count, reason: "\(signal)"))
            slots.close(.shutdown)
            ending.wake()
            context.dueWakeUp.wake()
            context.slotWakeUp.wake()
            if signal == .abort { return }
        }
    }

    /// After the last claim: waits for the runs to end and their outcomes to be written, within the
    /// grace.
    ///
    /// What is left is covered by the lease.
    private func drain() async {
        let end = ContinuousClock.now + context.settings.grace
        while isBusy, ContinuousClock.now < end, !context.isAborting, !Task.isCancelled {
            // Not by the wake-up: the claim loop may wait for it still, and it wakes one.
            try? await Task.sleep(for: .milliseconds(20), clock: .continuous)
        }
        // They are not waited for: their lanes may hang.
        claims.cancelClaim()
        starter.cancel()
    }

    private var isBusy: Bool {
        context.slots.count > 0 || !context.completer.isEmpty || claims.isClaiming
    }

    private func deregister() async {
        guard !context.isAborting, let worker = context.registration.worker else { return }
        _ = try? await context.spare.leave(worker: worker, deadline: .now + .seconds(1))
        try? await context.history.tell(
            context.syncer.metrics, context.spare, deadline: .now + .milliseconds(500))
    }
}
