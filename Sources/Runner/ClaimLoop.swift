import Basics
import Claiming
import JobQueue
import Sync
import Synchronization
import Telemetry

/// Fills free slots with due jobs, in batches, until the worker stops or has drained.
final class ClaimLoop: Sendable {
    /// Slots that become free this close together are filled by one claim.
    private static let batchWindow = Duration.milliseconds(2)
    /// Between claims while jobs become due all the time and no notification comes: a claim of few
    /// jobs costs little less than one of many.
    private static let claimInterval = Duration.milliseconds(100)
    /// A worker that found something so lately polls more often.
    private static let busy = Duration.seconds(5)
    private static let busyPoll = Duration.milliseconds(100)
    /// Jobs that may have killed two workers are looked for by the workers in turn; one that found some goes on by
    /// itself.
    private static let suspectPeriod = Duration.seconds(1)
    /// Jobs in one claim: enough to make a round trip cheap, few enough to start at once.
    private static let claimMax = 500

    /// What one claim found.
    private struct Found {
        var jobs: Int
        var mayBeMore: Bool
    }

    private struct State {
        /// The claim that is on its way.
        var claiming: Task<Found, any Error>?
        /// With `drains`: before then it does not ask whether others have work.
        var asksForWorkAt = ContinuousClock.now
        var end = WorkerEnd.done
    }

    private let context: WorkerContext
    private let starter: RunStarter
    private let orphans: OrphanedClaimCheck
    private let state = Mutex(State())

    init(_ context: WorkerContext, _ starter: RunStarter, _ orphans: OrphanedClaimCheck) {
        self.context = context
        self.starter = starter
        self.orphans = orphans
    }

    /// How the loop came to its end.
    var end: WorkerEnd { state.withLock { $0.end } }

    /// A claim is on its way.
    var isClaiming: Bool { state.withLock { $0.claiming != nil } }

    /// Cuts the claim that is on its way.
    func cancelClaim() {
        state.withLock { $0.claiming }?.cancel()
    }

    func run() async {
        var backoff = Backoff.untilDatabaseAnswers
        var lastFound = ContinuousClock.now
        var lastLook = ContinuousClock.now
        while !Task.isCancelled, !context.isStopping {
            context.liveness.round(.claims)
            if let end = giveUpReason { return state.withLock { $0.end = end } }
            // Where the first round of the tenants begins follows from the rank.
            guard let worker = context.registration.worker, context.rotation.isKnown else {
                await context.slotWakeUp.wait(atMost: .milliseconds(100))
                continue
            }
            do {
                try await orphans.releaseWhenDue(worker)
                // With too many outcomes unwritten others wait though slots are free.
                if !completer.isFull { slots.yield(claimer.yields()) }
                guard slots.free > 0, !completer.isFull else {
                    try await waitForSlot(worker, &lastLook)
                    continue
                }
                lastLook = .now
                let found = try await claimWhole(worker)
                if confirmDatabaseWorks() { backoff = .untilDatabaseAnswers }
                // While it is behind its looks find what is due; asking would look at all of it once more.
                if found.jobs == 0, !found.mayBeMore, try await isDrained() { return }
                if found.jobs > 0 { lastFound = .now }
                await pause(after: found, lastFound)
            } catch QueueError.workerEnded {
                // A worker that stops has said so itself: what it runs is still its own.
                if !context.isStopping { context.workerGivenUp(worker) }
            } catch {
                orphans.claimFailed()
                context.databaseFailed(error)
                guard await backoff.pause() else { return }
            }
        }
    }
}

// One claim.
extension ClaimLoop {
    /// A stop must not cut a claim short: what the server has given would be nobody's, and be reaped
    /// as crashed.
    ///
    /// A run that begins after the stop ends at once. A claim that is still on its way when the grace
    /// is over is cut all the same.
    private func claimWhole(_ worker: Int) async throws -> Found {
        let claiming = Task { try await claimOnce(worker) }
        state.withLock { $0.claiming = claiming }
        defer { state.withLock { $0.claiming = nil } }
        return try await claiming.value
    }

    /// One claim for all free slots; its runs begin while the next is under way.
    private func claimOnce(_ worker: Int) async throws -> Found {
        let limit = min(slots.free, Self.claimMax)
        let isStarting = starter.isUnderWay
        let begun = ContinuousClock.now
        var taken = try await claimer.take(worker: worker, slots: limit)
        context.syncer.metrics.observe(.now - begun, in: .claimDuration)
        if taken.failure == nil, taken.jobs.count < limit,
            claimer.wantsSuspect || context.rotation.isOurs(each: Self.suspectPeriod)
        {
            // What was taken before has its runs, whatever becomes of this.
            do {
                if let suspect = try await claimer.takeSuspect(worker: worker) {
                    taken.jobs.append(suspect)
                }
            } catch  where !taken.jobs.isEmpty {
                taken.failure = error
            }
        }
        let jobs = taken.jobs
        guard !jobs.isEmpty else {
            if !isStarting, !claimer.isBehind { starter.forgetBroken() }
            return Found(jobs: 0, mayBeMore: claimer.isBehind)
        }
        context.claimNotes.claimed(jobs.map(\.claim))
        try await starter.start(jobs)
        if let failure = taken.failure { throw failure }
        return Found(jobs: jobs.count, mayBeMore: jobs.count == limit || claimer.isBehind)
    }

    /// The database gives jobs, or says that there are none; returns whether all is well, as far as that tells.
    private func confirmDatabaseWorks() -> Bool {
        guard !starter.isBroken else { return false }
        context.databaseWorks()
        return true
    }
}

// Between two claims.
extension ClaimLoop {
    /// With no slot free: looks at what becomes due, so that runs can be asked to make room for it.
    ///
    /// With too many outcomes unwritten: waits for some to be written, and looks as well.
    private func waitForSlot(
        _ worker: Int, _ lastLook: inout ContinuousClock.Instant
    ) async throws {
        if claimer.isBehind || ContinuousClock.now - lastLook >= context.settings.pollWhenFull {
            lastLook = .now
            _ = try await claimer.take(worker: worker, slots: 0)
            _ = confirmDatabaseWorks()
        }
        // A claimer that is behind is not asked more often than it looks.
        await context.slotWakeUp.wait(atMost: .milliseconds(claimer.isBehind ? 20 : 100))
        await gatherSlots()
    }

    /// Until the next claim is worth its turn.
    ///
    /// Where ticks came lately others are near: a worker with nothing to do looks each second.
    private func pause(after found: Found, _ lastFound: ContinuousClock.Instant) async {
        if found.mayBeMore {
            await gatherSlots()
        } else if context.settings.drains {
            // Looks again after each run: it ends at the first moment when nothing is due.
            await context.slotWakeUp.wait(
                atMost: found.jobs > 0 ? Self.batchWindow : context.settings.poll)
        } else if found.jobs > 0 {
            await context.dueWakeUp.wait(atMost: Self.claimInterval)
        } else {
            await idle(ContinuousClock.now - lastFound < Self.busy)
        }
    }

    /// Nothing is due: until a notification comes, or it is time to look.
    ///
    /// Workers look at different times, and of those that a notification woke one is first.
    private func idle(_ isBusy: Bool) async {
        let began = ContinuousClock.now
        let settings = context.settings
        // Together the workers look as often as one alone would.
        let poll =
            isBusy ? min(Self.busyPoll * context.rotation.workers, settings.poll) : settings.poll
        let span = poll * Double.random(in: 0.75...1.25)
        await context.dueWakeUp.wait(atMost: span)
        guard ContinuousClock.now - began < span else { return }
        try? await Task.sleep(for: context.rotation.delay(), clock: .continuous)
    }

    /// With jobs waiting for slots, waits a moment for more than the first that is free.
    private func gatherSlots() async {
        guard slots.free < Self.claimMax else { return }
        try? await Task.sleep(for: Self.batchWindow, clock: .continuous)
    }
}

// The end of a drain.
extension ClaimLoop {
    /// With `--drain`: nothing runs here or elsewhere, and nothing is due.
    ///
    /// The answer walks what is due: it is asked for in a tenth of the time at most, or each five seconds.
    private func isDrained() async throws -> Bool {
        guard context.settings.drains, slots.count == 0, completer.isEmpty,
            state.withLock({ $0.asksForWorkAt <= .now })
        else { return false }
        let began = ContinuousClock.now
        let hasWork = try await context.queue.hasWork(names: context.files.keys.sorted())
        let asked = ContinuousClock.now
        state.withLock { $0.asksForWorkAt = asked + min((asked - began) * 9, .seconds(5)) }
        return !hasWork
    }

    /// With `drains` a database that stays away or refuses everything ends the work, for somebody
    /// waits for its end; nil when it works, or the patience lasts.
    private var giveUpReason: WorkerEnd? {
        let settings = context.settings
        guard settings.drains else { return nil }
        if let report = context.outage.report(lasting: settings.patience) {
            return .databaseLost(error: report.error, lasting: report.lasting)
        }
        return completer.isStuck(for: settings.patience).map {
            .databaseLost(error: $0, lasting: settings.patience)
        }
    }

    private var slots: Slots { context.slots }
    private var completer: Completer { context.completer }
    private var claimer: Claimer { context.claimer }
}
