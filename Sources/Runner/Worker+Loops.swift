import Postgres
import Queue
import Telemetry

// The loops beside the claim loop.
extension Worker {
    /// Wakes the claim loop and the stop watch; a reconnect asks both to look for themselves.
    func listen(_ listener: Listener) async {
        var wasStarted = false
        for await event in listener.events {
            switch event {
            case .notification("jobrunner_stop", _): stops.ring()
            case .notification: work.ring()
            case .listening:
                if !wasStarted { noteStarted() }
                wasStarted = true
                stops.ring()
                work.ring()
            }
        }
    }

    /// One heartbeat row keeps all claims; past the lease without one, the runs are dropped.
    func beat() async {
        while !Task.isCancelled {
            if let worker = presence.worker {
                await beatOnce(worker)
            }
            try? await Task.sleep(for: settings.heartbeat, clock: .continuous)
        }
    }

    private func beatOnce(_ worker: Int) async {
        do {
            let beat = try await heart.beat(
                worker: worker, running: slots.count, isDraining: isStopping,
                deadline: .now + settings.heartbeat)
            presence.noteBeat()
            budgets.setWorkers(beat.workers)
            if !beat.isAlive { noteGivenUp() }
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
                try await reap()
            } catch {
                noteDatabaseLost(error)
            }
        }
    }

    private func reap() async throws {
        for reaped in try await queue.reapJobs(lease: settings.lease) {
            let lost = Subject(worker: Int64(reaped.worker))
            log.emit(.jobsReaped(lost, count: reaped.jobs))
            if reaped.quarantined > 0 {
                log.emit(
                    .jobQuarantined(
                        lost, reason: "\(reaped.quarantined) jobs: three crashes in a row"))
            }
            work.ring()
        }
    }

    /// Keeps history's partitions ahead, now and every hour.
    func maintain() async {
        while !Task.isCancelled {
            do {
                try await queue.maintainRuns(keep: settings.retention)
            } catch {
                noteDatabaseLost(error)
            }
            try? await Task.sleep(for: .seconds(3600), clock: .continuous)
        }
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

    /// The worker was given up: what it runs is not its own any more. A new number comes from a new
    /// presence session, which the next heartbeat's round asks for.
    func noteGivenUp() {
        presence.forget()
        slots.stopAll(.database)
        Task { await register() }
    }

    private func register() async {
        // The presence session still holds the old number's lock; it is harmless there.
        _ = try? await queue.database.run { [presence] session in try presence.attend(session) }
    }

    func noteDatabaseLost(_ error: any Error) {
        guard !Task.isCancelled else { return }
        let isNew = state.withLock { state in
            defer { state.lostSince = state.lostSince ?? .now }
            return state.lostSince == nil
        }
        if isNew { log.emit(.databaseLost(subject, error: "\(error)")) }
    }

    func noteDatabaseBack() {
        let since = state.withLock { state in
            defer { state.lostSince = nil }
            return state.lostSince
        }
        if let since { log.emit(.databaseBack(subject, after: ContinuousClock.now - since)) }
    }
}
