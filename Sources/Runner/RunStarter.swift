import Claiming
import JobFiles
import JobQueue
import Sync
import Synchronization

/// Starts the runs of claimed batches, each as a task, once it is read what they must know.
final class RunStarter: Sendable {
    private struct State {
        /// The start of the batch that was claimed last, under way or over.
        var last: Task<Void, any Error>?
        /// Starts that are under way, until what they could not start is given back.
        var underWay = 0
        /// The last start that has ended failed: a claim that works does not mean that all is well.
        var isBroken = false
        var runs = 0
    }

    /// What one claim gave, with a slot for each, by its fence.
    private struct Batch {
        var jobs: [ClaimedJob]
        var controls: [Int64: RunControl]
        var claimedAt: ContinuousClock.Instant
    }

    private let context: WorkerContext
    private let orphans: OrphanedClaimCheck
    private let preload: Preload
    private let state = Mutex(State())

    init(_ context: WorkerContext, _ orphans: OrphanedClaimCheck) {
        self.context = context
        self.orphans = orphans
        preload = Preload(context: context, breakers: BreakerWatch(context))
    }

    /// Runs that have ended.
    var runs: Int { state.withLock { $0.runs } }

    /// A batch is being started.
    var isUnderWay: Bool { state.withLock { $0.underWay > 0 } }

    /// The last batch could not be started.
    var isBroken: Bool { state.withLock { $0.isBroken } }

    /// What could not be started is not due any more, or others have it.
    func forgetBroken() {
        state.withLock { state in
            guard state.isBroken else { return }
            (state.isBroken, state.last) = (false, nil)
        }
    }

    /// Ends the start that is under way; its jobs are given back.
    func cancel() {
        state.withLock { $0.last }?.cancel()
    }

    /// Takes a slot for each job and starts their runs while the next claim is under way.
    ///
    /// No more than two batches are started at once. Throws what the start before this one failed with: it
    /// is the failure of this claim, too.
    func start(_ jobs: [ClaimedJob]) async throws {
        let batch = Batch(
            jobs: jobs,
            controls: Dictionary(
                uniqueKeysWithValues: jobs.map {
                    ($0.claim.fence, context.slots.take($0.claim, of: $0.tenantID))
                }),
            claimedAt: .now)
        let last = state.withLock { $0.last }
        state.withLock { $0.underWay += 1 }
        let starting = Task {
            defer { state.withLock { $0.underWay -= 1 } }
            try await start(batch)
        }
        state.withLock { $0.last = starting }
        try await last?.value
    }

    private func start(_ batch: Batch) async throws {
        do {
            let jobs = try await context.claimer.read(batch.jobs)
            let preloaded = try await preload.read(for: jobs)
            let kept = Set(jobs.map(\.claim.fence))
            // Their users were removed meanwhile.
            for job in batch.jobs where !kept.contains(job.claim.fence) {
                context.leaveSlot(of: job)
            }
            var probed: Set<BudgetRequest> = []
            for job in jobs {
                guard let control = batch.controls[job.claim.fence],
                    let file = context.files[job.claim.name]
                else {
                    context.leaveSlot(of: job)
                    continue
                }
                let opened = preloaded[job.claim.name] ?? PreloadedRuns()
                let probe =
                    file.asksItsSource
                    ? opened.probe(
                        of: file.budgetNames(for: job.attributes), tenant: job.tenantID) : nil
                let inputs = RunInputs(
                    job: job, file: file, opened: opened, claimedAt: batch.claimedAt,
                    probes: probe.map { probed.insert($0).inserted } ?? false)
                start(job, control, inputs)
            }
            state.withLock { $0.isBroken = false }
        } catch {
            state.withLock { $0.isBroken = true }
            context.databaseFailed(error)
            await giveBack(batch)
            throw error
        }
    }

    /// Gives back a batch of which no run has begun; what can't be given back is an orphaned claim.
    ///
    /// The slots are held until then, so that a worker that stops waits for it within the grace; this task
    /// is cancelled then, and the release is not.
    private func giveBack(_ batch: Batch) async {
        let claims = batch.jobs.map(\.claim)
        _ = try? await Task { try await context.queue.releaseJobs(claims) }.value
        for job in batch.jobs { context.leaveSlot(of: job) }
        context.claimer.gaveBack(batch.jobs)
        orphans.claimFailed()
        context.slotWakeUp.wake()
    }

    /// Starts a run and has its deadline watched.
    private func start(
        _ job: ClaimedJob, _ control: RunControl, _ inputs: RunInputs
    ) {
        let run = Task {
            if var finished = await context.syncer.run(inputs, control) {
                finished.place = job.place
                context.completer.add(finished)
            }
            state.withLock { $0.runs += 1 }
            context.leaveSlot(of: job)
            context.slotWakeUp.wake()
            if context.claimer.isHeldBack { context.dueWakeUp.wake() }
        }
        context.slots.begin(job.claim, run)
        context.deadlines.add(job.claim.fence, at: inputs.claimedAt + job.deadline)
    }
}
