import JobFile
import Queue
import Sync
import Synchronization
import Telemetry

// The claim loop: free slots are filled with due jobs, in batches; each run is a task with a timer.
extension Worker {
    /// Slots that become free this close together are filled by one claim.
    private static let gather = Duration.milliseconds(2)
    /// Jobs in one claim: enough to make a round trip cheap, few enough to start at once.
    private static let claimMax = 500

    func claim() async {
        var backoff = DatabaseBackoff()
        var isDoubtful = false
        while !Task.isCancelled, !isStopping {
            guard let worker = presence.worker, slots.free > 0 else {
                await work.wait(atMost: .milliseconds(100))
                continue
            }
            do {
                if isDoubtful { try await releaseStrays(worker) }
                isDoubtful = false
                // A stop must not cut a claim short: what the server has given would be nobody's, and
                // be reaped as crashed. A run that begins after the stop ends at once.
                let taken = try await Task { try await claimOnce(worker) }.value
                noteDatabaseBack()
                backoff = DatabaseBackoff()
                if taken == 0, try await isDrained() { return }
                if taken == 0 { await work.wait(atMost: settings.poll) }
                if taken > 0 { try? await Task.sleep(for: Self.gather, clock: .continuous) }
            } catch QueueError.workerEnded {
                noteGivenUp(worker)
            } catch {
                isDoubtful = true
                noteDatabaseLost(error)
                guard await backoff.pause() else { return }
            }
        }
    }

    /// One claim for all free slots, one opening for the whole batch, then the runs.
    private func claimOnce(_ worker: Int) async throws -> Int {
        let limit = min(slots.free, Self.claimMax)
        let jobs = try await queue.claimJobs(
            worker: worker, limit: limit, names: files.keys.sorted())
        guard !jobs.isEmpty else { return 0 }
        let claimedAt = ContinuousClock.now
        let controls = jobs.map { slots.take($0.claim) }
        do {
            let opened = try await open(jobs)
            take(opened.sources, for: jobs)
            for (job, control) in zip(jobs, controls) {
                begin(job, control, opened, claimedAt)
            }
        } catch {
            // None has begun: they are given back, if that fails too as strays.
            for job in jobs { slots.leave(job.claim) }
            _ = try? await queue.releaseJobs(jobs.map(\.claim))
            throw error
        }
        return jobs.count
    }

    /// Gives back what this worker holds without running it: the reply to a claim was lost, so the
    /// heartbeat would keep the jobs for ever.
    ///
    /// Only this loop claims, so nothing is on its way.
    func releaseStrays(_ worker: Int) async throws {
        let held = try await queue.heldClaims(worker: worker)
        let strays = held.filter { !slots.holds($0) && !completer.holds($0) }
        _ = try await queue.releaseJobs(strays)
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
            let source = SourceWish(tenantID: job.tenantID, source: file.source.id, requests: 0)
            wishes[source, default: 0] += file.leastRequests
        }
        return try await queue.openRuns(
            users: Array(Set(jobs.map(\.claim.userID))), lists: Array(lists), tables: Array(tables),
            sources: wishes.map { wish, requests in
                SourceWish(tenantID: wish.tenantID, source: wish.source, requests: requests)
            }, dirtyTables: Array(dirty))
    }

    /// Starts a run and the timer that tears it down at its deadline.
    private func begin(
        _ job: ClaimedJob, _ control: RunControl, _ opened: OpenedRuns,
        _ claimedAt: ContinuousClock.Instant
    ) {
        guard let file = files[job.claim.name] else { return slots.leave(job.claim) }
        let inputs = RunInputs(job: job, file: file, opened: opened, claimedAt: claimedAt)
        let run = Task {
            if let finished = await sync.run(inputs, control) { completer.add(finished) }
            state.withLock { $0.runs += 1 }
            slots.leave(job.claim)
            work.ring()
        }
        slots.begin(job.claim, run)
        Task {
            let timer = Task {
                try await Task.sleep(until: claimedAt + job.deadline, clock: .continuous)
                control.stop(.deadline)
                run.cancel()
            }
            await run.value
            timer.cancel()
        }
    }

    /// With `--drain`: nothing runs here or elsewhere, and nothing is due.
    private func isDrained() async throws -> Bool {
        guard settings.drains, slots.count == 0, completer.isEmpty else { return false }
        return try await !queue.hasWork(names: files.keys.sorted())
    }
}

extension JobFile {
    /// Requests that a run which finds nothing new sends: its budget is taken with the batch's.
    fileprivate var leastRequests: Int { before.count + entities.count }
}
