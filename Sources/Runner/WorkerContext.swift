import Asking
import Claiming
import JobFiles
import JobQueue
import Postgres
import Sync
import Synchronization
import Telemetry

/// What the loops of a worker share: its parts, its wake-ups, and what they tell people.
final class WorkerContext: Sendable {
    let settings: WorkerSettings
    /// For sessions of their own, beside those of the queue; never through a pooler.
    let configuration: DatabaseConfiguration
    let queue: Queue
    /// One lane, nobody else's, which connects when it is needed: for a heartbeat without the listener's session, and for
    /// the last words.
    let spare: Queue
    let files: [String: JobFile]
    let syncer: Syncer
    let budgets: Budgets
    let log: Log
    let registration: Registration
    let slots: Slots
    let completer: Completer
    /// What is remembered between two claims.
    let claimer: Claimer
    let deadlines: Deadlines
    let rotation = Rotation()
    let outage = DatabaseOutage()
    let liveness = Liveness()
    let history = HistoryTeller()

    /// Something may be due that was not before.
    let dueWakeUp = WakeUp()
    /// A slot is free, or an outcome is written.
    let slotWakeUp = WakeUp()
    /// Somebody asked runs to stop.
    let stopWakeUp = WakeUp()
    let claimNotes = ClaimNotes()
    /// The presence session is lost or made anew: it decides how often a heartbeat must come.
    let heartbeatWakeUp = WakeUp()

    private struct State {
        var isStopping = false
        var isAborting = false
        var listener: Listener?
    }

    private let state = Mutex(State())

    init(
        _ settings: WorkerSettings, configuration: DatabaseConfiguration, queue: Queue,
        files: [JobFile], syncer: Syncer, budgets: Budgets, log: Log
    ) {
        self.settings = settings
        self.configuration = configuration
        self.queue = queue
        self.files = Dictionary(files.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        self.syncer = syncer
        self.budgets = budgets
        self.log = log
        registration = Registration(
            settings, files: self.files.values.sorted { $0.name < $1.name })
        slots = Slots(capacity: settings.concurrency)
        var single = configuration
        single.lanes = 1
        spare = Queue(Database(single))
        let claimer = Claimer(
            queue, files: self.files.mapValues(\.needs), capacity: settings.concurrency,
            reserved: settings.reserved)
        self.claimer = claimer
        completer = Completer(
            queue, log, failedWait: settings.failedWait,
            isAwaited: { settings.drains || claimer.awaitsOutcomes }
        ) {
            [slotWakeUp, dueWakeUp] written in
            slotWakeUp.wake()
            if claimer.written(written) { dueWakeUp.wake() }
        } ended: { [claimNotes, stopWakeUp] claims in
            if claimNotes.ended(claims) { stopWakeUp.wake() }
        }
        deadlines = Deadlines(slots, patience: settings.lease) { fence, since in
            log.emit(.runOverdue(Subject(run: fence), since: since))
        }
    }

    /// The worker claims no more.
    var isStopping: Bool { state.withLock { $0.isStopping } }
    /// The worker leaves at once.
    var isAborting: Bool { state.withLock { $0.isAborting } }

    func requestStop(isAbort: Bool) {
        state.withLock { state in
            state.isStopping = true
            state.isAborting = isAbort
        }
        completer.hurry()
    }

    /// The listener whose session is the worker's presence session.
    var listener: Listener? {
        get { state.withLock { $0.listener } }
        set { state.withLock { $0.listener = newValue } }
    }

    /// Whom the worker's own lines are about.
    var subject: Subject { Subject(worker: registration.worker.map(Int64.init)) }

    /// The worker was given up: what it runs is not its own any more, and it registers anew.
    func workerGivenUp(_ worker: Int) {
        guard registration.drop(worker) else { return }
        slots.stopAll(.database)
        listener?.close()
    }

    func databaseFailed(_ error: any Error) {
        guard !Task.isCancelled, let report = outage.observe(error) else { return }
        log.emit(.databaseLost(subject, error: report.error, failures: report.failures))
    }

    func databaseWorks() {
        if let lasting = outage.end() { log.emit(.databaseBack(subject, after: lasting)) }
    }

    /// Frees a run's slot.
    func leaveSlot(of job: ClaimedJob) {
        slots.leave(job.claim)
        claimer.ended(job)
    }
}
