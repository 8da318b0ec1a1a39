import Queue
import Synchronization
import Telemetry

/// Collects the ends of runs and writes them in batches, however long the database is away.
final class Completer: Sendable {
    /// Ends that arrive this close together share a statement.
    private static let gather = Duration.milliseconds(3)
    /// Ends in one statement.
    private static let batchMax = 500
    /// An outcome whose job somebody else's transaction holds is tried again after this.
    private static let patience = Duration.milliseconds(250)

    private struct State {
        var pending: [FinishedRun] = []
        /// Taken out of `pending`, not yet written.
        var writing: [FinishedRun] = []
        /// Somebody else's transaction holds their jobs; tried again apart from the others.
        var busy: [FinishedRun] = []
        var busyUntil = ContinuousClock.now
    }

    private let queue: Queue
    private let log: Log
    private let bell = Bell()
    private let state = Mutex(State())
    /// Called after each batch: slots' jobs may be due again.
    private let wrote: @Sendable () -> Void

    init(_ queue: Queue, _ log: Log, wrote: @escaping @Sendable () -> Void) {
        self.queue = queue
        self.log = log
        self.wrote = wrote
    }

    func add(_ run: FinishedRun) {
        state.withLock { $0.pending.append(run) }
        bell.ring()
    }

    /// Writes until it is cancelled.
    func run() async {
        while !Task.isCancelled {
            await bell.wait(atMost: waitMost)
            try? await Task.sleep(for: Self.gather, clock: .continuous)
            await writeAll()
        }
    }

    private var waitMost: Duration {
        state.withLock { $0.busy.isEmpty ? .seconds(60) : max(.zero, $0.busyUntil - .now) }
    }

    /// Writes what is pending; on failure it tries again until it succeeds or is cancelled.
    func writeAll() async {
        while !Task.isCancelled, let batch = takeBatch() {
            await write(batch)
            state.withLock { $0.writing = [] }
            wrote()
        }
    }

    /// Nothing waits and nothing is being written.
    var isEmpty: Bool {
        state.withLock { $0.pending.isEmpty && $0.writing.isEmpty && $0.busy.isEmpty }
    }

    /// Whether a run's outcome is still to be written.
    func holds(_ claim: Claim) -> Bool {
        state.withLock { state in
            state.pending.contains { $0.claim == claim }
                || state.writing.contains { $0.claim == claim }
                || state.busy.contains { $0.claim == claim }
        }
    }

    private func takeBatch() -> [FinishedRun]? {
        state.withLock { state in
            if !state.busy.isEmpty, state.busyUntil <= .now {
                state.pending += state.busy
                state.busy = []
            }
            guard !state.pending.isEmpty else { return nil }
            let batch = Array(state.pending.prefix(Self.batchMax))
            state.pending.removeFirst(batch.count)
            state.writing = batch
            return batch
        }
    }

    private func write(_ batch: [FinishedRun]) async {
        var backoff = DatabaseBackoff()
        var isRepeated = false
        while true {
            do {
                let verdicts = try await queue.finishRuns(batch)
                report(verdicts, isRepeated)
                postpone(batch, verdicts)
                return
            } catch {
                isRepeated = true
                if isRefused(error), batch.count > 1 { return await writeSingly(batch) }
                if isRefused(error) { return await giveUp(batch[0], error) }
                guard await backoff.pause() else {
                    state.withLock { $0.pending.insert(contentsOf: batch, at: 0) }
                    return
                }
            }
        }
    }

    /// Keeps the outcomes of busy jobs for a later try; the others are written.
    private func postpone(_ batch: [FinishedRun], _ verdicts: [Verdict]) {
        let fences = Set(verdicts.lazy.filter { $0.word == .busy }.map(\.fence))
        guard !fences.isEmpty else { return }
        state.withLock { state in
            if state.busy.isEmpty { state.busyUntil = .now + Self.patience }
            state.busy += batch.filter { fences.contains($0.claim.fence) }
        }
    }

    /// The server refuses a batch for what is in it: one bad outcome must not hold up the others.
    private func writeSingly(_ batch: [FinishedRun]) async {
        for run in batch { await write([run]) }
    }

    /// An outcome the server refuses even alone is a bug; the job must go on all the same.
    private func giveUp(_ run: FinishedRun, _ error: any Error) async {
        log.emit(
            .internalError(
                Subject(job: run.claim.name, run: run.claim.fence),
                message: "outcome refused: \(error)", place: "Completer"))
        _ = try? await queue.releaseJobs([run.claim])
    }

    /// After a lost reply `lost` may as well mean that the first try was written, so it is not told.
    private func report(_ verdicts: [Verdict], _ isRepeated: Bool) {
        for verdict in verdicts {
            let subject = Subject(job: verdict.name, run: verdict.fence)
            switch verdict.word {
            case .lost where isRepeated: break
            case .lost: log.emit(.runLost(subject, at: "finish"))
            case .busy: break
            case .quarantined:
                log.emit(.jobQuarantined(subject, reason: "no progress in five runs"))
            }
        }
    }
}
