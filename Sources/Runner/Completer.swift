import Basics
import JobQueue
import Synchronization
import Telemetry

/// Collects the ends of runs and writes them in batches, however long the database is away.
///
/// An outcome that can't be written now is kept apart and tried again by itself, so that it holds up
/// no other.
final class Completer: Sendable {
    /// Ends that arrive this close together share a statement.
    private static let batchWindow = Duration.milliseconds(3)
    /// Ends in one statement.
    private static let batchMax = 500
    /// Ends that wait for their first try, before no more runs are to begin.
    private static let pendingMax = 2_000
    /// How long to wait before trying again to end a job that somebody else's transaction holds.
    private static let busyRetryDelay = Duration.milliseconds(250)

    private struct State {
        var pending: [FinishedRun] = []
        /// Taken out of `pending` or `unwritten`, not yet written.
        var writing: [FinishedRun] = []
        /// Somebody else's transaction holds their jobs; tried again apart from the others.
        var busy: [FinishedRun] = []
        /// Those of them whose time has come.
        var retried: [FinishedRun] = []
        var busyUntil = ContinuousClock.now
        /// Tried again by themselves, when their time has come.
        var unwritten: [UnwrittenOutcome] = []
        /// Since when something could not be written, and why.
        var stuck: (since: ContinuousClock.Instant, error: String)?
    }

    private let queue: Queue
    private let log: Log
    private let failedWait: Double?
    private let wakeUp = WakeUp()
    private let state = Mutex(State())
    /// Called after each batch: slots' jobs may be due again, and tenants may have more run.
    private let wrote: @Sendable ([FinishedRun]) -> Void
    /// Until the second try of what was refused in every form; each later wait is twice as long.
    private let pause: Duration

    init(
        _ queue: Queue, _ log: Log, failedWait: Double? = nil, pause: Duration = .seconds(1),
        wrote: @escaping @Sendable ([FinishedRun]) -> Void
    ) {
        self.queue = queue
        self.log = log
        self.failedWait = failedWait
        self.pause = pause
        self.wrote = wrote
    }

    func add(_ run: FinishedRun) {
        state.withLock { $0.pending.append(run) }
        wakeUp.wake()
    }

    /// Writes until it is cancelled.
    func run() async {
        while !Task.isCancelled {
            await wakeUp.wait(atMost: nextTry.map { $0 - .now } ?? .seconds(60))
            try? await Task.sleep(for: Self.batchWindow, clock: .continuous)
            await writeAll()
            await retryUnwritten()
        }
    }

    /// Writes what is pending; on failure it tries again until it succeeds or is cancelled.
    func writeAll() async {
        while !Task.isCancelled, let batch = takeBatch() {
            await write(batch)
            state.withLock { $0.writing = [] }
            wrote(batch)
        }
    }

    /// Nothing waits and nothing is being written.
    var isEmpty: Bool {
        state.withLock { state in
            state.pending.isEmpty && state.writing.isEmpty && state.busy.isEmpty
                && state.retried.isEmpty && state.unwritten.isEmpty
        }
    }

    /// Why outcomes could not be written for so long; nil: they could.
    func isStuck(for span: Duration) -> String? {
        state.withLock { state in
            guard let stuck = state.stuck, .now - stuck.since >= span else { return nil }
            return stuck.error
        }
    }

    /// So many outcomes wait for their first try that no more runs should begin.
    ///
    /// A run that asks nothing ends before the last one's outcome is written. What one tenant's or application's
    /// transaction holds up does not count: it keeps no other from work.
    var isFull: Bool { state.withLock { $0.pending.count >= Self.pendingMax } }

    /// The claims whose outcomes are still to be written.
    var claims: Set<Claim> {
        state.withLock { state in
            let whole = state.pending + state.writing + state.busy + state.retried
            return Set(whole.map(\.claim) + state.unwritten.map(\.run.claim))
        }
    }

    private func takeBatch() -> [FinishedRun]? {
        state.withLock { state in
            if !state.busy.isEmpty, state.busyUntil <= .now {
                state.retried += state.busy
                state.busy = []
            }
            let next = state.retried.isEmpty ? \State.pending : \State.retried
            guard !state[keyPath: next].isEmpty else { return nil }
            let batch = Array(state[keyPath: next].prefix(Self.batchMax))
            state[keyPath: next].removeFirst(batch.count)
            state.writing = batch
            return batch
        }
    }

    private func write(_ batch: [FinishedRun]) async {
        var backoff = Backoff.untilDatabaseAnswers
        var isRepeated = false
        var isDoubtful = false
        while true {
            do {
                let verdicts = try await queue.finishRuns(batch, failedWait: failedWait)
                report(verdicts, isDoubtful)
                postpone(batch, verdicts)
                return markWritten()
            } catch {
                markStuck(error)
                isDoubtful = isDoubtful || !isAnswered(error)
                // A deadlock or a lock may be gone at once: one more try for all.
                if isRefused(error) || isRepeated && mayConcernOne(error) {
                    return await writeSingly(batch.map { UnwrittenOutcome($0, isDoubtful) })
                }
                isRepeated = true
                guard await backoff.pause() else {
                    state.withLock { $0.pending.insert(contentsOf: batch, at: 0) }
                    return
                }
            }
        }
    }

    /// Keeps the outcomes of busy jobs for a later try; the others are written.
    private func postpone(_ batch: [FinishedRun], _ verdicts: [Verdict]) {
        let fences = Set(verdicts.lazy.filter { $0.kind == .busy }.map(\.fence))
        guard !fences.isEmpty else { return }
        state.withLock { state in
            if state.busy.isEmpty { state.busyUntil = .now + Self.busyRetryDelay }
            state.busy += batch.filter { fences.contains($0.claim.fence) }
        }
    }

    /// Tells people what the server said.
    ///
    /// After a lost reply `lost` may also mean that the first try was written, so it is not told then.
    private func report(_ verdicts: [Verdict], _ isDoubtful: Bool) {
        for verdict in verdicts {
            let subject = Subject(job: verdict.name, run: verdict.fence)
            switch verdict.kind {
            case .lost where isDoubtful: break
            case .lost: log.emit(.runLost(subject, at: "finish"))
            case .busy: break
            case .quarantined:
                log.emit(.jobQuarantined(subject, reason: "no progress in five runs"))
            case .endless: log.emit(.passEndless(subject))
            }
        }
    }

    private func markStuck(_ error: any Error) {
        state.withLock { $0.stuck = ($0.stuck?.since ?? .now, "\(error)") }
    }

    private func markWritten() {
        state.withLock { if $0.unwritten.isEmpty { $0.stuck = nil } }
    }
}

// What can't be written with others.
extension Completer {
    /// After so many failures in a row that are not the outcomes' own fault the rest would fail, too.
    private static let failuresMax = 3

    private enum Attempt { case written, refused, failed }

    private var nextTry: ContinuousClock.Instant? {
        state.withLock { state in
            (state.unwritten.map(\.due) + (state.busy.isEmpty ? [] : [state.busyUntil])).min()
        }
    }

    /// Tries again what could not be written and whose time has come.
    func retryUnwritten() async {
        let due = state.withLock { state in
            let due = state.unwritten.filter { $0.due <= .now }
            state.unwritten.removeAll { $0.due <= .now }
            state.writing = due.map(\.run)
            return due
        }
        guard !due.isEmpty else { return }
        await writeSingly(due)
        state.withLock { $0.writing = [] }
        markWritten()
        wrote(due.map(\.run))
    }

    /// The server refuses a batch: one bad outcome must not hold up the others.
    private func writeSingly(_ outcomes: [UnwrittenOutcome]) async {
        var failures = 0
        for outcome in outcomes {
            if failures >= Self.failuresMax || Task.isCancelled {
                retryLater(outcome)
            } else {
                failures = await write(outcome) == .failed ? failures + 1 : 0
            }
        }
    }

    private func write(_ outcome: UnwrittenOutcome) async -> Attempt {
        do {
            try await finish(outcome.run, outcome.isDoubtful)
            return .written
        } catch {
            markStuck(error)
            if isRefused(error) { return await writeReduced(outcome, error) }
            retryLater(outcome, after: error)
            return .failed
        }
    }

    /// An outcome that is refused even alone is a bug: the run counts as failed then, so that the
    /// job backs off and says why.
    private func writeReduced(_ outcome: UnwrittenOutcome, _ refusal: any Error) async -> Attempt {
        if outcome.refusals == 0 { tell(outcome.run, "outcome refused: \(refusal)") }
        do {
            try await finish(outcome.run.reduced(by: refusal), outcome.isDoubtful)
            return .written
        } catch {
            var outcome = outcome
            if isRefused(error) { outcome.refusals += 1 }
            guard outcome.refusals < UnwrittenOutcome.refusalsMax else {
                // Nobody holds the claim any more here, so the worker gives it back as an orphaned claim.
                tell(outcome.run, "outcome given up, its job runs again: \(error)")
                return .written
            }
            retryLater(outcome, after: error)
            return isRefused(error) ? .refused : .failed
        }
    }

    private func finish(_ run: FinishedRun, _ isDoubtful: Bool) async throws {
        let verdicts = try await queue.finishRuns([run], failedWait: failedWait)
        report(verdicts, isDoubtful)
        postpone([run], verdicts)
    }

    private func retryLater(_ outcome: UnwrittenOutcome, after error: (any Error)? = nil) {
        var outcome = outcome
        if let error, !isAnswered(error) { outcome.isDoubtful = true }
        outcome.due = .now + outcome.wait(pause)
        state.withLock { $0.unwritten.append(outcome) }
    }

    private func tell(_ run: FinishedRun, _ message: String) {
        log.emit(
            .internalError(
                Subject(job: run.claim.name, run: run.claim.fence), message: message,
                location: "Completer"))
    }
}
