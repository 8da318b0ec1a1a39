import Postgres
import Queue
import Sync
import Synchronization
import Telemetry

// The loops beside the claim loop.
extension Worker {
    /// Wakes the claim loop and the stop watch; a reconnect asks both to look for themselves.
    ///
    /// The listener's session is the worker's presence. When the worker is given up, its listener is
    /// closed, and the next one registers a new worker.
    func listen() async {
        while !Task.isCancelled {
            let listener = Listener(
                configuration, channels: ["jobrunner_due", "jobrunner_stop"],
                onConnect: { [presence] in try presence.attend($0) })
            state.withLock { $0.listener = listener }
            var isFirst = true
            for await event in listener.events {
                if event == .listening, isFirst { noteStarted() }
                isFirst = false
                heed(event)
            }
            listener.close()
        }
    }

    /// A notification of due jobs says from when on they are due; without one anything may be.
    private func heed(_ event: Listener.Event) {
        switch event {
        case .notification("jobrunner_due", let payload): return noteDue(payload)
        case .failed(let error): return notePresenceLost(error)
        case .listening:
            presence.noteSession(true)
            beats.ring()
            claimer.note(dueFrom: nil)
            stops.ring()
        case .notification: stops.ring()
        }
        due.ring()
    }

    /// Others see that the session is gone, and only signs of life keep them from giving this worker up.
    private func notePresenceLost(_ error: DatabaseError) {
        presence.noteSession(false)
        beats.ring()
        if presence.worker == nil { noteDatabaseLost(error) }
    }

    /// One heartbeat row keeps all claims; past the lease without one, the runs are dropped.
    ///
    /// The first come close together: workers that start at the same time see each other by them.
    func beat() async {
        var pause = settings.heartbeat / 32
        while !Task.isCancelled {
            if let worker = presence.worker {
                await beatOnce(worker)
                pause = min(pause * 2, settings.heartbeat)
            }
            await beats.wait(atMost: presence.hasSession ? pause : settings.anxiousHeartbeat)
        }
    }

    private func beatOnce(_ worker: Int) async {
        do {
            let beat = try await heart.beat(
                worker: worker, running: slots.count, isDraining: isStopping,
                deadline: .now + settings.heartbeat)
            presence.noteBeat()
            budgets.setWorkers(beat.workers)
            claimer.note(rank: beat.rank, of: beat.workers)
            if turns.note(rank: beat.rank, of: beat.workers, at: Double(beat.at) / 1e6) {
                freed.ring()
            }
            state.withLock { $0.listener }?.listens(turns.isListener)
            if !beat.isAlive { noteGivenUp(worker) }
        } catch {
            noteDatabaseLost(error)
            if presence.isPastLease { slots.stopAll(.database) }
        }
    }

    /// Sees durable stop requests within a second, and dead workers.
    func watch() async {
        while !Task.isCancelled {
            await stops.wait(atMost: settings.watch)
            do {
                if let worker = presence.worker, slots.count > 0 {
                    slots.stop(try await queue.stopRequests(worker: worker))
                }
                if turns.isOurs(each: settings.watch) { try await reap() }
            } catch {
                noteDatabaseLost(error)
            }
        }
    }

    private func reap() async throws {
        for reaped in try await queue.reapJobs(lease: settings.lease) {
            let lost = Subject(worker: Int64(reaped.worker))
            if reaped.jobs > 0 { log.emit(.jobsReaped(lost, count: reaped.jobs)) }
            if reaped.quarantined > 0 {
                log.emit(
                    .jobQuarantined(
                        lost, reason: "\(reaped.quarantined) jobs: three crashes in a row"))
            }
        }
    }

    /// Keeps history's partitions ahead, now and every hour, and does in turn with the other workers what
    /// is done once for all.
    ///
    /// That is: lifting quarantines that are over, slowing down what nobody asks for, taking back jobs that run
    /// nowhere, looking for due jobs that no claim sees.
    func maintain() async {
        var partitionsDue = ContinuousClock.now
        while !Task.isCancelled {
            if turns.isOurs(each: settings.sweep) {
                await attempt { _ = try await queue.liftQuarantines() }
                await attempt { _ = try await queue.slowJobs() }
                await attempt { _ = try await queue.reconcileJobs() }
                lookBehind()
            }
            if let worker = presence.worker {
                await attempt { try await claimer.tellUse(worker: worker) }
            }
            if ContinuousClock.now >= partitionsDue {
                // Partitions are made a week ahead: a minute later is early enough.
                partitionsDue = .now + .seconds(60)
                await attempt {
                    let isDone = try await queue.maintainRuns(keep: settings.retention)
                    if isDone { partitionsDue = .now + .seconds(3600) }
                }
            }
            try? await Task.sleep(for: settings.sweep, clock: .continuous)
        }
    }
}

extension Worker {
    /// A chore that fails is left to its next time, and keeps none of the others away.
    private func attempt(_ chore: () async throws -> Void) async {
        do {
            try await chore()
        } catch {
            noteDatabaseLost(error)
        }
    }

    /// A notification says from when on how many jobs are due, or which tenant may have more of them run:
    /// `TIME:TENANT:JOBS:USER`, each of them empty for what is not said (`wake_workers`).
    private func noteDue(_ payload: String) {
        let parts = payload.split(separator: ":", omittingEmptySubsequences: false).map {
            Int64($0)
        }
        // Before 1970: for ever. Any login may send what it likes.
        if let time = parts.first ?? nil { claimer.note(dueFrom: time < 0 ? nil : time) }
        if parts.count > 1, let tenant = parts[1] { claimer.note(lifted: tenant) }
        if turns.answers(parts.count > 2 ? parts[2].map(Int.init) : nil) { due.ring() }
    }

    /// Finds what was passed over: a job that was locked at its time, or that a notification did not name.
    private func lookBehind() {
        claimer.lookBehind()
        due.ring()
    }
}

// What the loops note for people.
extension Worker {
    private func noteStarted() {
        log.emit(
            .workerStarted(
                subject, host: settings.host, pid: settings.pid, version: settings.version,
                capacity: settings.concurrency))
    }

    /// The worker was given up: what it runs is not its own any more, and it registers anew.
    func noteGivenUp(_ worker: Int) {
        guard presence.forget(worker) else { return }
        slots.stopAll(.database)
        state.withLock { $0.listener }?.close()
    }

    func noteDatabaseLost(_ error: any Error) {
        guard !Task.isCancelled, let report = trouble.note(error) else { return }
        log.emit(.databaseLost(subject, error: report.error, failures: report.failures))
    }

    func noteDatabaseBack() {
        if let lasting = trouble.end() { log.emit(.databaseBack(subject, after: lasting)) }
    }

    /// With `drains` a database that stays away or refuses everything ends the work, for somebody
    /// waits for its end; nil: it works, or the patience lasts.
    var despair: WorkerEnd? {
        guard settings.drains else { return nil }
        if let report = trouble.report(lasting: settings.patience) {
            return .databaseLost(error: report.error, lasting: report.lasting)
        }
        return completer.isStuck(for: settings.patience).map {
            .databaseLost(error: $0, lasting: settings.patience)
        }
    }
}

// What a batch's opening told of its sources.
extension Worker {
    /// Adds what was granted to the budgets, and tells when a breaker opens or closes.
    func take(_ grants: [SourceGrant], for jobs: [ClaimedJob]) {
        for grant in grants {
            budgets.add(grant)
            let key = "\(grant.tenantID) \(grant.source)"
            let wasBlocked = state.withLock { state in
                defer { state.blocked[key] = grant.blocked == nil ? nil : true }
                return state.blocked[key] != nil
            }
            guard wasBlocked != (grant.blocked != nil) else { continue }
            let tenant = jobs.first { $0.tenantID == grant.tenantID }?.tenantName
            let about = Subject(tenant: tenant, worker: presence.worker.map(Int64.init))
            if let wait = grant.blocked {
                log.emit(
                    .sourceBlocked(
                        about, source: grant.source, wait: wait,
                        reason: "many runs in a row found it unavailable"))
            } else {
                log.emit(.sourceUnblocked(about, source: grant.source))
            }
        }
    }
}
