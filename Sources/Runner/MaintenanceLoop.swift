import Asking
import Claiming
import JobFiles
import JobQueue
import Secrets
import Sync
import Telemetry

/// Does the chores that are done once for all workers, in turn with the others.
///
/// These are lifting quarantines that are over, slowing down what nobody asks for, taking back jobs that
/// run nowhere, and looking for due jobs that no claim sees. History's partitions are kept ahead as well, each minute
/// what waits and what is fresh is counted, and each day the questions of the job files' health are asked.
struct MaintenanceLoop: Sendable {
    let context: WorkerContext

    func run() async {
        let queue = context.queue
        let settings = context.settings
        var partitionsDue = ContinuousClock.now
        var otherFiles: [String] = []
        var keysTrouble: SecretError?
        var isUnlockedTold = false
        while !Task.isCancelled {
            if context.rotation.isOurs(each: settings.maintenance) {
                await attempt { _ = try await queue.liftQuarantines() }
                await attempt { _ = try await queue.slowJobs() }
                await attempt { _ = try await queue.reconcileJobs() }
                rescan()
                await attempt { try await checkHealth() }
                await attempt { _ = try await queue.countWaiting() }
                await attempt { _ = try await queue.countFreshness() }
                await attempt { try await tendKeys(&keysTrouble) }
            }
            if !SecretValue.areLocked, !isUnlockedTold {
                isUnlockedTold = true
                context.log.emit(.memoryUnlocked(context.subject))
            }
            if let worker = context.registration.worker {
                await attempt { try await queue.forgetEndedClaims(worker: worker) }
                await attempt { try await context.claimer.tellUse(worker: worker) }
                await attempt { try await context.history.tell(context.syncer.metrics, queue) }
                await attempt { try await tellOtherFiles(of: worker, &otherFiles) }
            }
            if ContinuousClock.now >= partitionsDue {
                // Partitions are made a week ahead: a minute later is early enough.
                partitionsDue = .now + .seconds(60)
                await attempt {
                    let isDone = try await queue.maintainRuns(keep: settings.retention)
                    if isDone { partitionsDue = .now + .seconds(3600) }
                }
            }
            try? await Task.sleep(for: settings.maintenance, clock: .continuous)
        }
    }

    /// Says which files are not those that `migrate` stored: at first, and when they are others.
    private func tellOtherFiles(of worker: Int, _ last: inout [String]) async throws {
        let names = try await context.queue.otherFiles(worker: worker)
        if !names.isEmpty, names != last {
            context.log.emit(.jobFilesDiffer(context.subject, files: names))
        }
        last = names
    }

    /// Where keys are kept outside of the database, that may be away: this is no fault of the database's.
    private func tendKeys(_ last: inout SecretError?) async throws {
        do {
            let spoilt = try await context.syncer.keys?.tend() ?? 0
            if spoilt > 0 {
                let words =
                    "secrets that no key opens, as they were stored: \(spoilt); their jobs say so"
                context.log.emit(.keysUnusable(context.subject, error: words))
            }
            last = nil
        } catch let error as SecretError {
            if error != last { context.log.emit(.keysUnusable(context.subject, error: "\(error)")) }
            last = error
        }
    }

    private func checkHealth() async throws {
        let files = context.files.values.filter { !$0.health.isEmpty }
        guard !files.isEmpty, try await context.queue.beginHealthChecks() else { return }
        await logHealth(context.queue, files: files, context.log)
    }

    /// A chore that fails is left to its next time, and keeps none of the others away.
    private func attempt(_ chore: () async throws -> Void) async {
        do {
            try await chore()
        } catch {
            context.databaseFailed(error)
        }
    }

    /// Finds what was passed over: a job that was locked at its time, or that was committed very late.
    private func rescan() {
        context.claimer.rescan()
        context.dueWakeUp.wake()
    }
}
