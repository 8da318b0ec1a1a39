import Basics
import JobQueue
import Synchronization
import Telemetry

/// Collects the ends of runs and writes them in batches, however long the database is away.
///
/// An outcome that can't be written now is kept apart and tried again by itself, so that it holds up
/// no other.
final class Completer: Sendable {
    /// Ends that arrive this close together share a statement: a statement of one costs nearly what one of twenty does.
    private static let batchWindow = Duration.milliseconds(20)
    /// The same where a claim waits for their being written.
    private static let awaitedBatchWindow = Duration.milliseconds(3)
    /// Ends in one statement.
    private static let batchMax = 500
    /// Ends that wait for their first try, before no more runs are to begin.
    private static let pendingMax = 2_000
    /// How long to wait before trying again to end a job that somebody else's transaction holds.
    private static let busyRetryDelay = Duration.milliseconds(250)

    private struct State {
        /// In the order in which they came.
        var held: [HeldOutcome] = []
        /// Since when something could not be written, and why.
        var stuck: (since: ContinuousClock.Instant, error: String)?

        /// Begins to write those that are meant, so many at most; nil when there are none.
        mutating func take(
            atMost limit: Int = .max, _ isMeant: (HeldOutcome) -> Bool
        ) -> [HeldOutcome]? {
            var taken: [HeldOutcome] = []
            for place in held.indices where taken.count < limit && isMeant(held[place]) {
                taken.append(held[place])
                held[place].state = .writing
            }
            return taken.isEmpty ? nil : taken
        }

        /// Puts back those that were not written, each with its new state.
        mutating func putBack(_ outcomes: [HeldOutcome]) {
            let byClaim = Dictionary(outcomes.map { ($0.run.claim, $0) }) { $1 }
            for place in held.indices {
                if let outcome = byClaim[held[place].run.claim] { held[place] = outcome }
            }
        }
    }

    private let queue: Queue
    private let log: Log
    private let failedWait: Double?
    private let wakeUp = WakeUp()
    private let state = Mutex(State())
    private let isHurried = Atomic(false)
    /// Called after each batch: slots' jobs may be due again, and tenants may have more run.
    private let wrote: @Sendable ([FinishedRun]) -> Void
    /// Asked when the first end of a batch has come.
    private let isAwaited: @Sendable () -> Bool
    /// Called with claims that the database does not hold any more.
    private let ended: @Sendable ([Claim]) -> Void
    /// Until the second try of what was refused in every form; each later wait is twice as long.
    private let pause: Duration

    init(
        _ queue: Queue, _ log: Log, failedWait: Double? = nil, pause: Duration = .seconds(1),
        isAwaited: @escaping @Sendable () -> Bool = { false },
        wrote: @escaping @Sendable ([FinishedRun]) -> Void,
        ended: @escaping @Sendable ([Claim]) -> Void = { _ in }
    ) {
        self.queue = queue
        self.log = log
        self.failedWait = failedWait
        self.pause = pause
        self.isAwaited = isAwaited
        self.wrote = wrote
        self.ended = ended
    }

    func add(_ run: FinishedRun) {
        state.withLock { $0.held.append(HeldOutcome(run: run)) }
        wakeUp.wake()
    }

    /// Writes until it is cancelled.
    func run() async {
        while !Task.isCancelled {
            await wakeUp.wait(atMost: nextTry.map { $0 - .now } ?? .seconds(60))
            let isShort = isHurried.load(ordering: .relaxed) || isAwaited()
            let window = isShort ? Self.awaitedBatchWindow : Self.batchWindow
            try? await Task.sleep(for: window, clock: .continuous)
            await writeAll()
        }
    }

    /// The worker stops: ends gather for a short time only from now on.
    func hurry() { isHurried.store(true, ordering: .relaxed) }

    private var nextTry: ContinuousClock.Instant? {
        state.withLock { $0.held.compactMap(\.state.retryTime).min() }
    }

    /// Writes what waits and whose time has come; while the database is away it tries until it is cancelled.
    ///
    /// One caller at a time: what is under way is written, unless it was put back.
    func writeAll() async {
        while !Task.isCancelled {
            if let batch = takeBatch() {
                await write(batch)
                settle()
            } else if let due = takeAlone() {
                await writeSingly(due)
                settle()
            } else {
                return
            }
        }
    }

    /// Busy ones have batches of their own, so that they take no place from a first try, and so have idle ones, which a
    /// statement of their own ends: the one that has waited longest says which of both comes.
    private func takeBatch() -> [HeldOutcome]? {
        state.withLock { state in
            let busy = state.take(atMost: Self.batchMax) {
                if case .busy(let time) = $0.state { time <= .now } else { false }
            }
            guard busy == nil, let first = state.held.first(where: { $0.state == .pending })
            else { return busy }
            return state.take(atMost: Self.batchMax) {
                $0.state == .pending && $0.run.isIdle == first.run.isIdle
            }
        }
    }

    private func takeAlone() -> [HeldOutcome]? {
        state.withLock { state in
            state.take { if case .alone(let due) = $0.state { due <= .now } else { false } }
        }
    }

    private func settle() {
        let written = state.withLock { state in
            let written = state.held.filter { $0.state == .writing }
            state.held.removeAll { $0.state == .writing }
            return written
        }
        wrote(written.map(\.run))
    }

    /// Nothing waits and nothing is being written.
    var isEmpty: Bool { state.withLock { $0.held.isEmpty } }

    /// Why outcomes could not be written for so long; nil when they could.
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
    var isFull: Bool {
        state.withLock { state in
            state.held.count(where: { $0.state == .pending }) >= Self.pendingMax
        }
    }

    /// The claims whose outcomes are still to be written.
    var claims: Set<Claim> { state.withLock { Set($0.held.map(\.run.claim)) } }

    private func write(_ batch: [HeldOutcome]) async {
        var batch = batch
        var backoff = Backoff.untilDatabaseAnswers
        var isRepeated = false
        while true {
            do {
                try await finish(batch)
                return markWritten()
            } catch {
                markStuck(error)
                if !isAnswered(error) {
                    for place in batch.indices { batch[place].isDoubtful = true }
                }
                // A deadlock or a lock may be gone at once: one more try for all.
                if isRefused(error) || isRepeated && mayConcernOne(error) {
                    return await writeSingly(batch)
                }
                isRepeated = true
                guard await backoff.pause() else { return putBack(batch) { _ in .pending } }
            }
        }
    }

    /// Writes ends in one statement; those of busy jobs are put back for a later try.
    private func finish(_ batch: [HeldOutcome]) async throws {
        if batch.allSatisfy(\.run.isIdle) { return try await finishIdle(batch) }
        let verdicts = try await queue.finishRuns(batch.map(\.run), failedWait: failedWait)
        let doubtful = Set(batch.lazy.filter(\.isDoubtful).map(\.run.claim.fence))
        for verdict in verdicts { report(verdict, isDoubtful: doubtful.contains(verdict.fence)) }
        let busy = Set(verdicts.lazy.filter { $0.kind == .busy }.map(\.fence))
        putBack(batch.filter { busy.contains($0.run.claim.fence) }) { _ in
            .busy(until: .now + Self.busyRetryDelay)
        }
        ended(batch.map(\.run.claim).filter { !busy.contains($0.fence) })
    }

    /// Ends idle runs by their places; what is not ended so is put back, to be ended as any other.
    private func finishIdle(_ batch: [HeldOutcome]) async throws {
        let done = try await queue.finishIdleRuns(batch.map(\.run))
        let left = batch.filter { !done.contains($0.run.claim.fence) }.map { outcome in
            var outcome = outcome
            outcome.run.place = nil
            return outcome
        }
        putBack(left) { _ in .pending }
        ended(batch.map(\.run.claim).filter { done.contains($0.fence) })
    }

    private func putBack(_ outcomes: [HeldOutcome], as newState: (HeldOutcome) -> HeldOutcome.State)
    {
        guard !outcomes.isEmpty else { return }
        let changed = outcomes.map { outcome in
            var outcome = outcome
            outcome.state = newState(outcome)
            return outcome
        }
        state.withLock { $0.putBack(changed) }
    }

    /// Tells people what the server said.
    ///
    /// After a lost reply `lost` may also mean that the first try was written, so it is not told then.
    private func report(_ verdict: Verdict, isDoubtful: Bool) {
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

    private func markStuck(_ error: any Error) {
        state.withLock { $0.stuck = ($0.stuck?.since ?? .now, "\(error)") }
    }

    private func markWritten() {
        state.withLock { state in
            let waitsAlone = state.held.contains {
                if case .alone = $0.state { true } else { false }
            }
            if !waitsAlone { state.stuck = nil }
        }
    }
}

// What can't be written with others.
extension Completer {
    /// After so many failures in a row that are not the outcomes' own fault the rest would fail, too.
    private static let failuresMax = 3

    private enum Attempt { case written, refused, failed }

    /// The server refuses a batch: one bad outcome must not hold up the others.
    private func writeSingly(_ outcomes: [HeldOutcome]) async {
        var failures = 0
        for outcome in outcomes {
            if failures >= Self.failuresMax || Task.isCancelled {
                retryLater(outcome)
            } else {
                failures = await write(outcome) == .failed ? failures + 1 : 0
            }
        }
        markWritten()
    }

    private func write(_ outcome: HeldOutcome) async -> Attempt {
        do {
            try await finish([outcome])
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
    private func writeReduced(_ outcome: HeldOutcome, _ refusal: any Error) async -> Attempt {
        if outcome.refusals == 0 { tell(outcome.run, "outcome refused: \(refusal)") }
        var reduced = outcome
        reduced.run = outcome.run.reduced(by: refusal)
        do {
            try await finish([reduced])
            return .written
        } catch {
            var outcome = outcome
            if isRefused(error) { outcome.refusals += 1 }
            guard outcome.refusals < HeldOutcome.refusalsMax else {
                // Nobody holds the claim any more here, so the worker gives it back as an orphaned claim.
                tell(outcome.run, "outcome given up, its job runs again: \(error)")
                return .written
            }
            retryLater(outcome, after: error)
            return isRefused(error) ? .refused : .failed
        }
    }

    private func retryLater(_ outcome: HeldOutcome, after error: (any Error)? = nil) {
        var outcome = outcome
        if let error, !isAnswered(error) { outcome.isDoubtful = true }
        putBack([outcome]) { .alone(due: .now + $0.wait(pause)) }
    }

    private func tell(_ run: FinishedRun, _ message: String) {
        log.emit(
            .internalError(
                Subject(job: run.claim.name, run: run.claim.fence), message: message,
                location: "Completer"))
    }
}
