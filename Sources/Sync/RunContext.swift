import Asking
import JSON
import JobFiles
import Postgres
import JobQueue
import Telemetry
import Writing

/// What the parts of one run share: what it was given, whom it talks to, and how far it has come.
final class RunContext {
    /// Pages of one entity in one run, where the file names no other number.
    private static let pagesMax = 10_000

    private(set) var inputs: RunInputs
    let services: Services
    let control: RunControl
    let deadline: ContinuousClock.Instant
    let session: SourceSession
    let sink: any Sink
    let checkpoints: RunCheckpoints
    let warnings: RecordWarnings
    var progress = RunProgress()

    init(_ inputs: RunInputs, _ services: Services, _ control: RunControl, _ dryRun: DryRun?) {
        self.inputs = inputs
        self.services = services
        self.control = control
        deadline = inputs.claimedAt + inputs.job.deadline
        let claim = inputs.job.claim
        sink =
            dryRun
            ?? DatabaseSink(
                services.queue, for: claim, deadline: deadline, services.metrics, control.activity)
        session = SourceSession(
            with: inputs.file.source, at: inputs.base, naming: inputs.file.secretUse,
            for: inputs.job, services.tools, claimedAt: inputs.claimedAt,
            deadline: deadline, signsIn: inputs.file.signsIn,
            quotes: inputs.file.quotesAnswers || sink.isDryRun,
            passesBreaker: inputs.passesBreaker, control.activity)
        checkpoints = RunCheckpoints(of: inputs.job)
        warnings = RecordWarnings(inputs.subject, services.log)
    }

    var subject: Subject { inputs.subject }
    var activity: RunActivity { control.activity }
    var redactor: Redactor { session.credentials.redactor }

    /// The user has an attribute from now on.
    func adopt(_ attribute: String, _ value: JSONValue) {
        inputs = inputs.with(attribute, value)
        session.values.attributes = inputs.job.attributes
    }

    /// Asks the database for something that the run must know.
    func ask<R>(_ question: (Queue) async throws -> R) async throws -> R {
        try await activity.during(.awaitingDatabase) { try await question(services.queue) }
    }

    /// What is to be stored with the next transaction of the run, whatever that is.
    var companions: [Statement] {
        progress.pendingCalls.map { $0.statement(for: inputs.job.claim) }
            + session.credentials.statements
    }

    /// The companions were committed; what a dry run keeps is not.
    func markCompanionsStored() {
        guard !sink.isDryRun else { return }
        progress.pendingCalls = []
        session.credentials.markStored()
    }

    /// Edits and deletions made here that gave way are a line of the log, whenever there are any.
    func tellLostEdits(_ count: Int, of entity: String) {
        guard count > 0 else { return }
        services.log.emit(.editsLost(subject, entity: entity, count: count))
    }

    /// Before every page: the deadline, the pace, the page cap, and whether others wait for a slot.
    ///
    /// A stop cancels the run's task, which ends its requests and waits. A run that yields has come
    /// further than where it began, or it would yield for ever.
    func checkMayBegin(page: Int, of entity: Entity) throws {
        let left = deadline - ContinuousClock.now
        guard left > .zero, progress.pace.allowsPage(within: left) else {
            throw RunEnd.interrupted(.deadline)
        }
        if page >= entity.page.maxPages ?? Self.pagesMax { throw RunEnd.interrupted(.pageCap) }
        if control.isToYield, page + progress.pages > 0 { throw RunEnd.interrupted(.yielded) }
    }

    /// How an error ends the run.
    ///
    /// A stop from outside explains a cancellation; a passed deadline explains any tear-down.
    func end(by error: any Error) -> RunEnd {
        if let error = error as? DatabaseError { sink.observe(error) }
        if case QueueError.keyRetired = error { session.credentials.forgetKey() }
        let end = explained(classified(error))
        // Whoever waited for the database until the deadline was not stopped by its own slowness.
        return end == .interrupted(.deadline) && sink.databaseTrouble != nil
            ? .interrupted(.database) : end
    }

    private func explained(_ end: RunEnd) -> RunEnd {
        if end == .lost { return end }
        if let reason = control.stopReason, Task.isCancelled || end == .interrupted(.cancelled) {
            return .interrupted(reason)
        }
        if ContinuousClock.now >= deadline {
            switch end {
            case .failed(let word, _)
            where word == ErrorKind.timedOut.rawValue || word == ErrorKind.database.rawValue:
                return .interrupted(.deadline)
            default: break
            }
        }
        return end
    }
}

/// What a run did so far; the truth is in the checkpoints.
struct RunProgress {
    var pages = 0
    var fetched = 0
    var changed = 0
    /// Of them those deleted.
    var deleted = 0
    var pace = Pace()
    /// Entities that were read to their ends, also by the run that was interrupted before this one.
    var read: Set<String> = []
    /// The checkpoints whose full passes this run has read to their ends, and of which nothing waits for a person.
    var swept: Set<String> = []
    /// Entities of which the source had nothing for this user, and what it answered.
    var skips: [(entity: String, reason: String)] = []
    /// Duplicates were merged, so that rows may have to be pushed.
    var hasMerged = false
    /// Entities of which the source has lost all, so that every row is sent.
    var sendsAgain: Set<String> = []
    /// The entity at work, for a failure's place.
    var entity: String?
    /// Entities that have failed while the run goes on with others.
    var failures: [EntityFailure] = []
    /// Edits that the source has refused one by one.
    var refused = RefusedEdits()
    /// How many rows the source takes in one request, by entity; none: as many as the file says.
    var pushSizes: [String: Int] = [:]
    /// Calls that succeeded and are to be remembered with the next commit.
    var pendingCalls: [PendingCall] = []

    /// Remembers a call's success with the next commit.
    mutating func remember(_ call: String, listHash: String?) {
        pendingCalls.removeAll { $0.call == call }
        pendingCalls.append(PendingCall(call: call, listHash: listHash))
    }
}
