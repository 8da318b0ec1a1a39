public import JobFile
public import Postgres
public import Queue
public import Sync
import Synchronization
public import Telemetry

/// What the outside tells a worker.
public enum WorkerSignal: Sendable {
    /// Stop claiming, tear down what runs, write its outcomes, leave.
    case stop
    /// Leave at once; the lease covers what is left.
    case abort
}

/// How a worker came to its end.
public enum WorkerEnd: Sendable, Equatable {
    /// It was told to stop, or with `drains` found nothing left to do.
    case done
    /// With `drains`: the database was away or refused for longer than it is waited for.
    case databaseLost(error: String, lasting: Duration)
}

/// A worker: claims due jobs, runs them, writes their outcomes, until it is told to stop.
///
/// Everything it does is a loop of its own in one task group: claim, complete, listen, beat, watch,
/// maintain. It never ends because the database is away.
public final class Worker: Sendable {
    let settings: WorkerSettings
    let queue: Queue
    let files: [String: JobFile]
    let sync: Sync
    let budgets: Budgets
    let log: Log
    let presence: Presence
    let slots: Slots
    let completer: Completer
    /// Something may be due that was not before.
    let due = Bell()
    /// A slot is free, or an outcome is written.
    let freed = Bell()
    /// What is remembered between two claims.
    let claimer: Claimer
    let deadlines: Deadlines
    let turns = Turns()
    /// Somebody asked runs to stop.
    let stops = Bell()
    /// The presence session is lost: signs of life must come more often.
    let beats = Bell()
    let trouble = DatabaseTrouble()
    let state = Mutex(State())
    let configuration: DatabaseConfiguration
    /// One lane, nobody else's: a heartbeat must never wait for a page.
    let heart: Queue

    struct State {
        var isStopping = false
        var isAborting = false
        /// The claim that is on its way.
        var claiming: Task<Taken, any Error>?
        /// The opening of the batch that was claimed last, under way or over.
        var opening: Task<Void, any Error>?
        /// Openings that are under way, until what they could not begin is given back.
        var openings = 0
        /// The last opening that has ended failed, so that no run began: a claim that works does not mean that all is well.
        var isOpeningBroken = false
        var strays = StrayWatch()
        /// A look for strays is under way beside the claims.
        var looksForStrays = false
        /// What the last one found that this worker holds.
        var held: [Claim]?
        /// With `drains`: before then it does not ask whether others have work.
        var asksForWorkAt = ContinuousClock.now
        var runs = 0
        var listener: Listener?
        var end = WorkerEnd.done
        /// Tenants' sources whose breaker was open when last looked at.
        var blocked: [String: Bool] = [:]
    }

    /// Makes a worker of given parts; `run` starts it.
    public init(
        _ settings: WorkerSettings, configuration: DatabaseConfiguration, queue: Queue,
        files: [JobFile], sync: Sync, budgets: Budgets, log: Log
    ) {
        self.settings = settings
        self.configuration = configuration
        self.queue = queue
        self.files = Dictionary(files.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        self.sync = sync
        self.budgets = budgets
        self.log = log
        presence = Presence(settings)
        slots = Slots(capacity: settings.concurrency)
        var single = configuration
        single.lanes = 1
        heart = Queue(Database(single))
        let claimer = Claimer(
            queue, files: self.files.mapValues(\.needs), capacity: settings.concurrency,
            reserved: settings.reserved)
        self.claimer = claimer
        completer = Completer(queue, log) { [freed, due] in
            freed.ring()
            if claimer.noteWritten() { due.ring() }
        }
        deadlines = Deadlines(slots, patience: settings.lease) { fence, since in
            log.emit(.runOverdue(Subject(run: fence), since: since))
        }
    }

    /// Works until a signal, or with `drains` until nothing is due or running.
    ///
    /// Whatever the database does, it ends within the grace and three seconds.
    @discardableResult
    public func run(_ signals: AsyncStream<WorkerSignal>) async -> WorkerEnd {
        let started = ContinuousClock.now
        await withTaskGroup(of: Void.self) { loops in
            loops.addTask { await self.completer.run() }
            loops.addTask { await self.deadlines.run() }
            loops.addTask { await self.listen() }
            loops.addTask { await self.beat() }
            loops.addTask { await self.watch() }
            loops.addTask { await self.maintain() }
            let ending = Bell()
            let claiming = Task {
                await self.claim(); ending.ring()
            }
            let heeding = Task { await self.heed(signals, ending) }
            await ending.wait(atMost: .seconds(Int64.max / 4_000_000_000))
            claiming.cancel()
            await settle()
            heeding.cancel()
            loops.cancelAll()
            await leave()
        }
        log.emit(
            .workerStopped(
                subject, runs: state.withLock { $0.runs }, uptime: ContinuousClock.now - started))
        return state.withLock { $0.end }
    }

    var subject: Subject { Subject(worker: presence.worker.map(Int64.init)) }
    var isStopping: Bool { state.withLock { $0.isStopping } }
    private var isAborting: Bool { state.withLock { $0.isAborting } }

    /// First stop: claim no more, tear down what runs.
    ///
    /// Second: leave at once.
    private func heed(_ signals: AsyncStream<WorkerSignal>, _ ending: Bell) async {
        for await signal in signals {
            state.withLock { state in
                state.isStopping = true
                state.isAborting = signal == .abort
            }
            log.emit(.workerDraining(subject, running: slots.count, reason: "\(signal)"))
            slots.close(.shutdown)
            ending.ring()
            due.ring()
            freed.ring()
            if signal == .abort { return }
        }
    }

    /// After the last claim: waits for the runs to end and their outcomes to be written, within the
    /// grace.
    ///
    /// What is left is covered by the lease.
    private func settle() async {
        let end = ContinuousClock.now + settings.grace
        while isBusy, ContinuousClock.now < end, !isAborting, !Task.isCancelled {
            // Not by the bell: the claim loop may wait for it still, and it wakes one.
            try? await Task.sleep(for: .milliseconds(20), clock: .continuous)
        }
        // They are not waited for: their lanes may hang.
        state.withLock { $0.claiming }?.cancel()
        state.withLock { $0.opening }?.cancel()
    }

    private var isBusy: Bool {
        slots.count > 0 || !completer.isEmpty || state.withLock { $0.claiming != nil }
    }

    private func leave() async {
        guard !isAborting, let worker = presence.worker else { return }
        _ = try? await heart.leave(worker: worker, deadline: .now + .seconds(1))
    }
}
