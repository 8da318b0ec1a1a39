import JobFile
import Postgres
import Queue
import Sync
import Synchronization
import Telemetry

// The claim loop: free slots are filled with due jobs, in batches; each run is a task.
extension Worker {
    /// Slots that become free this close together are filled by one claim.
    private static let gather = Duration.milliseconds(2)
    /// Between claims while jobs become due all the time and no notification comes: a claim of few
    /// jobs costs little less than one of many.
    private static let pace = Duration.milliseconds(50)
    /// A worker that found something so lately polls more often.
    private static let busy = Duration.seconds(5)
    private static let busyPoll = Duration.milliseconds(100)
    /// Jobs in one claim: enough to make a round trip cheap, few enough to start at once.
    private static let claimMax = 500

    func claim() async {
        var backoff = DatabaseBackoff()
        var lastFound = ContinuousClock.now
        var lastLook = ContinuousClock.now
        var expectsNothing = false
        while !Task.isCancelled, !isStopping {
            if let end = despair { return state.withLock { $0.end = end } }
            // What many workers are behind they walk in parts, by their ranks.
            guard let worker = presence.worker, turns.isKnown else {
                await freed.wait(atMost: .milliseconds(100))
                continue
            }
            do {
                try await watchForStrays(worker)
                // With too many outcomes unwritten others wait though slots are free.
                if !completer.isFull { slots.yield(claimer.yields()) }
                guard slots.free > 0, !completer.isFull else {
                    try await waitForSlot(worker, &lastLook)
                    continue
                }
                lastLook = .now
                let taken =
                    if expectsNothing, try await claimer.findsNothing(grace: turns.grace) {
                        Taken(jobs: 0, mayBeMore: false)
                    } else {
                        try await claimWhole(worker)
                    }
                if noteClaimWorks() { backoff = DatabaseBackoff() }
                // While it is behind the walk itself finds what is due; asking would walk it all once more.
                if taken.jobs == 0, !taken.mayBeMore, try await isDrained() { return }
                if taken.jobs > 0 { lastFound = .now }
                let isAnnounced = await pause(after: taken, lastFound)
                expectsNothing = !taken.mayBeMore && !isAnnounced && !settings.drains
            } catch QueueError.workerEnded {
                // A worker that stops has said so itself: what it runs is still its own.
                if !isStopping { noteGivenUp(worker) }
            } catch {
                state.withLock { $0.strays.noteFailure() }
                claimer.note(dueFrom: nil)
                noteDatabaseLost(error)
                guard await backoff.pause() else { return }
            }
        }
    }

    /// With no slot free: looks at what becomes due, so that runs can be asked to make room for it.
    ///
    /// With too many outcomes unwritten: waits for some to be written, and looks as well.
    private func waitForSlot(
        _ worker: Int, _ lastLook: inout ContinuousClock.Instant
    ) async throws {
        if claimer.isBehind || ContinuousClock.now - lastLook >= settings.fullLook {
            lastLook = .now
            _ = try await claimer.take(worker: worker, slots: 0)
            _ = noteClaimWorks()
            return
        }
        await freed.wait(atMost: .milliseconds(100))
        await gatherSlots()
    }

    /// A stop must not cut a claim short: what the server has given would be nobody's, and be reaped
    /// as crashed.
    ///
    /// A run that begins after the stop ends at once. A claim that is still on its way when the grace
    /// is over is cut all the same.
    private func claimWhole(_ worker: Int) async throws -> Taken {
        let claiming = Task { try await claimOnce(worker) }
        state.withLock { $0.claiming = claiming }
        defer { state.withLock { $0.claiming = nil } }
        return try await claiming.value
    }

    /// Until the next claim is worth its turn; returns whether jobs were announced, to this worker before others.
    ///
    /// Where ticks came lately others are near: a worker with nothing to do looks each second.
    private func pause(after taken: Taken, _ lastFound: ContinuousClock.Instant) async -> Bool {
        if taken.mayBeMore {
            await gatherSlots()
        } else if settings.drains {
            // Looks again after each run: it ends at the first moment when nothing is due.
            await freed.wait(atMost: taken.jobs > 0 ? Self.gather : settings.poll)
        } else if taken.jobs > 0 {
            await due.wait(atMost: Self.pace)
        } else {
            return await idle(ContinuousClock.now - lastFound < Self.busy)
        }
        return false
    }

    /// Nothing is due: until a notification comes, or it is time to look.
    ///
    /// Workers look at different times, and of those that a notification woke one is first: then it returns true.
    private func idle(_ isBusy: Bool) async -> Bool {
        let began = ContinuousClock.now
        // Together the workers look as often as one alone would.
        let poll = isBusy ? min(Self.busyPoll * turns.workers, settings.poll) : settings.poll
        let span = poll * Double.random(in: 0.75...1.25)
        await due.wait(atMost: span)
        guard ContinuousClock.now - began < span else { return false }
        let delay = turns.delay()
        try? await Task.sleep(for: delay, clock: .continuous)
        return delay == .zero
    }

    /// With jobs waiting for slots, waits a moment for more than the first that is free.
    private func gatherSlots() async {
        guard slots.free < Self.claimMax else { return }
        try? await Task.sleep(for: Self.gather, clock: .continuous)
    }

    struct Taken {
        var jobs: Int
        var mayBeMore: Bool
    }

    /// One claim for all free slots; its runs begin while the next is under way.
    private func claimOnce(_ worker: Int) async throws -> Taken {
        let limit = min(slots.free, Self.claimMax)
        let isOpening = state.withLock { $0.openings > 0 }
        let jobs = try await claimer.take(worker: worker, slots: limit)
        guard !jobs.isEmpty else {
            if !isOpening, !claimer.isBehind { forgetBrokenOpening() }
            return Taken(jobs: 0, mayBeMore: claimer.isBehind)
        }
        let batch = Batch(
            jobs: jobs,
            controls: Dictionary(
                uniqueKeysWithValues: jobs.map {
                    ($0.claim.fence, slots.take($0.claim, of: $0.tenantID))
                }),
            claimedAt: .now)
        let last = state.withLock { $0.opening }
        state.withLock { $0.openings += 1 }
        let opening = Task {
            defer { state.withLock { $0.openings -= 1 } }
            try await openAndBegin(batch)
        }
        state.withLock { $0.opening = opening }
        // No more than two at once; what went wrong with the last is the failure of this claim, too.
        try await last?.value
        return Taken(jobs: jobs.count, mayBeMore: jobs.count == limit || claimer.isBehind)
    }

    /// The database gives jobs, or says that there are none; returns whether all is well, as far as that tells.
    private func noteClaimWorks() -> Bool {
        guard !state.withLock({ $0.isOpeningBroken }) else { return false }
        noteDatabaseBack()
        return true
    }

    /// What could not begin is not due any more, or others have it.
    private func forgetBrokenOpening() {
        state.withLock { state in
            guard state.isOpeningBroken else { return }
            (state.isOpeningBroken, state.opening) = (false, nil)
        }
    }

    /// What one claim gave, with a slot for each, by its fence.
    private struct Batch {
        var jobs: [ClaimedJob]
        var controls: [Int64: RunControl]
        var claimedAt: ContinuousClock.Instant
    }

    /// Reads what the whole batch's runs must know, then begins them; the next claim is under way meanwhile.
    private func openAndBegin(_ batch: Batch) async throws {
        do {
            let jobs = try await claimer.read(batch.jobs)
            let opened = try await openAll(jobs)
            let kept = Set(jobs.map(\.claim.fence))
            // Their users were removed meanwhile.
            for job in batch.jobs where !kept.contains(job.claim.fence) { leave(job) }
            for job in jobs {
                guard let control = batch.controls[job.claim.fence] else { continue }
                begin(job, control, opened[job.claim.name] ?? OpenedRuns(), batch.claimedAt)
            }
            state.withLock { $0.isOpeningBroken = false }
        } catch {
            state.withLock { $0.isOpeningBroken = true }
            noteDatabaseLost(error)
            // None has begun: they are given back, if that fails too as strays. Their slots are held until then, so
            // that a worker that stops waits for it, within the grace; then this task is cancelled, and that is not.
            let claims = batch.jobs.map(\.claim)
            _ = try? await Task { try await queue.releaseJobs(claims) }.value
            for job in batch.jobs { leave(job) }
            claimer.note(dueFrom: nil)
            state.withLock { $0.strays.noteFailure() }
            freed.ring()
            throw error
        }
    }

    /// Gives back what this worker holds without running it: the heartbeat would keep it for ever.
    ///
    /// After a failure at once. Else it is looked for beside the claims, for before a long backlog a look takes long.
    private func watchForStrays(_ worker: Int) async throws {
        let workers = turns.workers
        let (isLikely, held, isDue) = state.withLock { state in
            (
                state.strays.isLikely, state.held.take(),
                state.strays.isDue(settings.lease, workers: workers)
            )
        }
        if isLikely { return try await releaseStrays(worker) }
        if let held { return try await releaseStrays(among: held) }
        guard isDue, !state.withLock({ $0.looksForStrays }) else { return }
        state.withLock { $0.looksForStrays = true }
        Task { await lookForStrays(worker) }
    }

    func releaseStrays(_ worker: Int) async throws {
        let began = ContinuousClock.now
        let known = knownClaims
        let held = try await queue.heldClaims(worker: worker)
        _ = try await queue.releaseJobs(held.filter { !known.contains($0) })
        state.withLock { $0.strays.noteLook(from: began) }
    }

    /// Between two claims: what one gave that was under way during the look has its slot, or has had it.
    func releaseStrays(among held: [Claim]) async throws {
        let known = knownClaims
        let strays = held.filter { !known.contains($0) }
        guard !strays.isEmpty else { return }
        _ = try await queue.releaseJobs(strays)
    }

    /// Leaves to the claim loop what this worker holds and did not know of when the look began.
    private func lookForStrays(_ worker: Int) async {
        let began = ContinuousClock.now
        let known = knownClaims
        var held: [Claim]?
        do {
            held = try await queue.heldClaims(worker: worker)
        } catch {
            noteDatabaseLost(error)
        }
        let unknown = held?.filter { !known.contains($0) }
        state.withLock { state in
            state.looksForStrays = false
            if unknown == nil {
                state.strays.noteFailure()
            } else {
                state.strays.noteLook(from: began)
            }
            state.held = unknown
        }
    }

    /// A run that ends is the completer's before it leaves its slot, so slots are looked at first.
    private var knownClaims: Set<Claim> { slots.claims.union(completer.claims) }

    /// What each job file's runs must know, asked for all of them at once.
    ///
    /// A table may be gone or locked: when the server refuses, each file is asked for by itself, so that
    /// only the runs of the one that is to blame fail.
    private func openAll(_ jobs: [ClaimedJob]) async throws -> [String: OpenedRuns] {
        let byName = Dictionary(grouping: jobs, by: \.claim.name)
        do {
            let opened = try await open(jobs)
            return byName.mapValues { _ in opened }
        } catch let error as DatabaseError where mayConcernOne(error) {
            var opened: [String: OpenedRuns] = [:]
            for (name, jobs) in byName { opened[name] = try await openAlone(jobs) }
            return opened
        }
    }

    private func openAlone(_ jobs: [ClaimedJob]) async throws -> OpenedRuns {
        do {
            return try await open(jobs)
        } catch let error as DatabaseError where mayConcernOne(error) {
            return OpenedRuns(refusal: error)
        }
    }

    private func open(_ jobs: [ClaimedJob]) async throws -> OpenedRuns {
        var lists: Set<ListPlace> = []
        var tables: Set<String> = []
        var dirty: Set<String> = []
        var wishes: [SourceWish: Int] = [:]
        for job in jobs {
            guard let file = files[job.claim.name] else { continue }
            lists.formUnion(file.listPlaces)
            tables.formUnion(file.emptinessTables)
            dirty.formUnion(file.pushedTables)
            guard file.asksItsSource else { continue }
            let source = SourceWish(tenantID: job.tenantID, source: file.source.id, requests: 0)
            wishes[source, default: 0] += file.leastRequests
        }
        guard !(lists.isEmpty && tables.isEmpty && dirty.isEmpty && wishes.isEmpty) else {
            return OpenedRuns()
        }
        let opened = try await queue.openRuns(
            users: Array(Set(jobs.map(\.claim.userID))), lists: Array(lists), tables: Array(tables),
            sources: wishes.map { wish, requests in
                SourceWish(tenantID: wish.tenantID, source: wish.source, requests: requests)
            }, dirtyTables: Array(dirty))
        take(opened.sources, for: jobs)
        return opened
    }

    /// Starts a run and has its deadline watched.
    private func begin(
        _ job: ClaimedJob, _ control: RunControl, _ opened: OpenedRuns,
        _ claimedAt: ContinuousClock.Instant
    ) {
        guard let file = files[job.claim.name] else { return leave(job) }
        let inputs = RunInputs(job: job, file: file, opened: opened, claimedAt: claimedAt)
        let run = Task {
            if let finished = await sync.run(inputs, control) { completer.add(finished) }
            state.withLock { $0.runs += 1 }
            leave(job)
            freed.ring()
            if claimer.isHeldBack { due.ring() }
        }
        slots.begin(job.claim, run)
        deadlines.add(job.claim.fence, at: claimedAt + job.deadline)
    }

    /// Frees a run's slot.
    private func leave(_ job: ClaimedJob) {
        slots.leave(job.claim)
        claimer.noteEnd(of: job)
    }

    /// With `--drain`: nothing runs here or elsewhere, and nothing is due.
    ///
    /// The answer walks what is due: it is asked for in a tenth of the time at most, or each five seconds.
    private func isDrained() async throws -> Bool {
        guard settings.drains, slots.count == 0, completer.isEmpty,
            state.withLock({ $0.asksForWorkAt <= .now })
        else { return false }
        let began = ContinuousClock.now
        let hasWork = try await queue.hasWork(names: files.keys.sorted())
        let asked = ContinuousClock.now
        state.withLock { $0.asksForWorkAt = asked + min((asked - began) * 9, .seconds(5)) }
        return !hasWork
    }
}

extension JobFile {
    /// What its runs can make use of.
    var needs: RunNeeds {
        var needs: RunNeeds = []
        if entities.contains(where: \.isEnabled) { needs.insert(.checkpoints) }
        if !before.isEmpty || !after.isEmpty || !calls.isEmpty { needs.insert(.calls) }
        if mayUseSecrets { needs.insert(.secrets) }
        return needs
    }

    /// Requests that a run which finds nothing new sends: its budget is taken with the batch's.
    var leastRequests: Int { before.count + entities.count(where: \.isEnabled) }

    /// Its runs may send something.
    var asksItsSource: Bool { leastRequests + after.count > 0 }
}
