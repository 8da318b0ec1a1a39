import Asking
import Claiming
import JobQueue
import Postgres

/// Keeps the worker's lease: one heartbeat row keeps all its claims.
///
/// Past the lease without a heartbeat others may have taken the jobs, so the runs are stopped.
struct HeartbeatLoop: Sendable {
    let context: WorkerContext

    /// The first heartbeats come close together: workers that start at the same time see each other by them.
    func run() async {
        let settings = context.settings
        var pause = settings.heartbeat / 32
        while !Task.isCancelled {
            context.liveness.round(.heartbeat)
            if let worker = context.registration.worker {
                await beat(worker)
                pause = min(pause * 2, settings.heartbeat)
            }
            await context.heartbeatWakeUp.wait(
                atMost: context.registration.hasSession
                    ? pause : settings.heartbeatWithoutSession)
        }
    }

    /// Over the session that stands for the worker, or while it is lost over a spare one: no page keeps either busy.
    private func send(_ beat: BeatOfWorker) async throws -> Heartbeat {
        let deadline = ContinuousClock.now + context.settings.heartbeat
        if let listener = context.listener {
            do {
                return try await listener.run(deadline: deadline) { try beat.send(on: $0) }
            } catch let error as DatabaseError {
                guard error.code == .notConnected else { throw error }
            }
        }
        return try await context.spare.database.run(deadline: deadline) { try beat.send(on: $0) }
    }

    private func beat(_ worker: Int) async {
        do {
            let beat = try await send(
                BeatOfWorker(
                    worker: worker, running: context.slots.count,
                    isDraining: context.isStopping, lease: context.settings.lease))
            context.registration.heartbeatSucceeded()
            context.budgets.setWorkers(beat.workers)
            context.claimer.setRank(beat.rank, of: beat.workers)
            let isFirst = context.rotation.update(
                rank: beat.rank, of: beat.workers, at: Double(beat.at) / 1e6)
            if isFirst { context.slotWakeUp.wake() }
            context.listener?.listens(context.rotation.isListener)
            if !beat.isAlive { context.workerGivenUp(worker) }
        } catch {
            context.databaseFailed(error)
            if context.registration.isPastLease { context.slots.stopAll(.database) }
        }
    }
}
