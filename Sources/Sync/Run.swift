import HTTP
import JobFile
import JSON
import Postgres
import Queue
import Secrets
import Telemetry

/// One execution of a claimed job, from its requirements to its outcome.
///
/// Lives in one task. It says what happened; what follows is decided by `finish_runs`.
final class Run {
    let inputs: RunInputs
    let services: Services
    let control: RunControl
    let deadline: ContinuousClock.Instant
    let subject: Subject
    /// Collects what a dry run would write; nil: a real run.
    let rehearsal: Rehearsal?

    var values: Values
    var redactor = Redactor(secrets: [])
    /// What the source speaks besides plain REST; nil: nothing.
    let dialect: (any SourceDialect)?
    /// The sealed secrets by name, as this run last knew them.
    var sealed: [String: SealedSecret] = [:]
    /// A credential that the source replaced and that no transaction has stored yet (MS27).
    var rotation: Rotation?
    /// Checkpoints that this run itself has moved beyond what it was given.
    var checkpoints: [String: Checkpoint] = [:]
    /// Record types that were reported as ignored, once a run each (PO7).
    var toldTypes: Set<String> = []
    /// Entities whose incompatible records were told.
    var toldIncompatible: Set<String> = []
    /// By entity, the first field that did not fit a record.
    var misfits: [String: String] = [:]
    /// The ids of each chunk, by the name of its pass.
    var chunks: [String: [String]] = [:]
    /// Duplicates were merged, so that rows may have to be pushed.
    var hasMerged = false
    var openedSecrets: [[UInt8]] = []
    var latestSecrets: [[UInt8]] = []
    var requests = 0
    var counts = RunTotals()
    var pace = Pace()
    /// Calls that succeeded and are to be remembered with the next commit.
    var pendingCalls: [PendingCall] = []
    var endedPasses: [EndedPass] = []
    /// Ends of passes that leave their checkpoints as they are.
    var unchangedPasses: [EndedPass] = []
    /// A transaction that counts in a checkpoint was tried.
    var mayHaveCommitted = false
    /// The source has answered a request of this run with more than a failure that may pass.
    var isAnswered = false
    /// Server time of the run's first answer, microseconds since 1970.
    var sourceTime: Int64?
    /// The entity at work, for a failure's place, and the pages of it this run has committed.
    var entity: String?
    var entityPages = 0
    /// Entities that have failed while the run goes on with others.
    var failures: [EntityFailure] = []
    /// What the last committed page of the entity changed; nil: this run has committed none.
    var changedLast: Int?
    /// The entity's first pass, of which every record so far was new.
    var isAllNew = false
    /// Why the last transaction could not be written, if none could; nil: it was, or it was to blame.
    var databaseTrouble: String?
    /// Pages of the pass that changed nothing and wait for a commit.
    var quiet = QuietPages()

    init(
        _ inputs: RunInputs, _ services: Services, _ control: RunControl,
        rehearsal: Rehearsal? = nil
    ) {
        self.rehearsal = rehearsal
        self.inputs = inputs
        self.services = services
        self.control = control
        deadline = inputs.claimedAt + inputs.job.deadline
        subject = Subject(
            tenant: inputs.job.tenantName, user: inputs.job.userKey, job: inputs.job.claim.name,
            run: inputs.job.claim.fence)
        values = Values(attributes: inputs.job.attributes)
        dialect = services.dialect(inputs.file.source)
    }

    /// Runs to an outcome; nil when the claim was lost and nothing may be written.
    func execute() async -> FinishedRun? {
        let end = await end()
        await storeRotation(after: end)
        return finished(end)
    }

    /// Runs to an outcome that is told and not written.
    ///
    /// Throws `DatabaseError` or `QueueError` when what was collected can't be tried.
    func rehearse(_ rehearsal: Rehearsal) async throws -> Preview {
        let end = await end()
        await storeRotation(after: end)
        var preview = try await rehearsal.preview(
            services.queue, for: inputs.job.claim, redactor, deadline: deadline + .seconds(10))
        if let end, let outcome = end.outcome {
            preview.outcome = outcome.rawValue
            preview.errorKind = end.word
            preview.error = end.message.map(redactor.sanitised)
        }
        return preview
    }

    /// Why the run did not come to its end; nil: it did.
    private func end() async -> RunEnd? {
        do {
            try checkInputs()
            try checkBreaker()
            try openSecrets()
            try checkRequirements()
            guard !isFreshEnough else { return nil }
            try await takeSteps()
            try await syncEntities()
            try await takeLastSteps()
            return nil
        } catch {
            return ended(by: error)
        }
    }

    /// Rows younger than `soft` are not asked for again, whoever wants it but by force (SC5, SC16).
    private var isFreshEnough: Bool {
        guard let freshness = inputs.file.freshness, !inputs.job.isForced else { return false }
        return wantedEntities.allSatisfy { entity in
            let checkpoint = inputs.job.checkpoint(of: entity.name)
            guard let age = checkpoint.syncedAge, !checkpoint.isFullRequested,
                checkpoint.passKind == nil
            else { return false }
            return age < freshness.soft && !inputs.emptyTables.contains(entity.write.table)
                && !inputs.dirtyTables.contains(entity.write.table)
        }
    }

    /// The run that was interrupted has read it, and nothing may be left to push (ST7).
    func isDone(_ entity: Entity) -> Bool {
        entity.push == nil && inputs.job.checkpoint(of: entity.name).isDone
    }

    var wantedEntities: [Entity] {
        let enabled = inputs.file.entities.filter(\.isEnabled)
        guard let only = inputs.job.entity else { return enabled }
        return enabled.filter { $0.name == only }
    }

    /// A stop from outside explains a cancellation; a passed deadline explains any tear-down.
    func ended(by error: any Error) -> RunEnd {
        if let error = error as? DatabaseError { note(error) }
        let end = explained(classified(error))
        // Whoever waited for the database until the deadline was not stopped by its own slowness.
        return end == .interrupted(.deadline) && databaseTrouble != nil
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

    private func finished(_ end: RunEnd?) -> FinishedRun? {
        guard let end else {
            return FinishedRun(
                claim: inputs.job.claim, outcome: .complete, requests: requests,
                endedPasses: isUnchanged ? [] : endedPasses + unchangedPasses,
                calls: pendingCalls, hasCommitted: mayHaveCommitted, isUnchanged: isUnchanged)
        }
        guard let outcome = end.outcome else { return nil }
        var wait: Duration?
        if case .deferred(_, _, let asked) = end { wait = asked }
        let trouble = end == .interrupted(.database) ? databaseTrouble : nil
        let error = (end.message ?? trouble).map(redactor.sanitised)
        var failures = self.failures
        if outcome == .failed, let entity {
            failures.append(EntityFailure(entity: entity, kind: end.word, error: error))
        }
        return FinishedRun(
            claim: inputs.job.claim, outcome: outcome, errorKind: end.word,
            error: error, failures: failures, wait: wait,
            requests: requests, endedPasses: endedPasses + unchangedPasses, calls: pendingCalls,
            hasCommitted: mayHaveCommitted, secretVersions: inputs.job.secrets.map(\.version))
    }

    /// Every entity was read to its end, and no checkpoint has to note it: the job's row says it for
    /// all of them, which is one row version less for each.
    private var isUnchanged: Bool {
        !mayHaveCommitted && endedPasses.isEmpty && inputs.job.entity == nil
            && Set(unchangedPasses.map(\.entity)) == Set(wantedEntities.map(\.name))
            && !unchangedPasses.isEmpty
    }

    /// Nothing is asked of the source for a job whose own rows, or whose file's tables, can't be read.
    private func checkInputs() throws {
        if let words = inputs.job.unreadable { throw RunEnd.failed(.malformed, words) }
        if let refusal = inputs.refusal { throw refusal }
    }

    private func checkBreaker() throws {
        guard let blocked = inputs.blocked else { return }
        let message = "source \(inputs.file.source.id) is blocked"
        throw RunEnd.deferred(.blocked, message: message, wait: blocked)
    }

    /// Opens what the job file names; a secret that does not open parks this job and no other.
    private func openSecrets() throws {
        var opened: [[UInt8]] = []
        for sealed in inputs.job.secrets.sorted(by: { $0.userID < $1.userID }) {
            guard let sealer = services.sealer else {
                throw RunEnd.needsReauth(message: "secrets exist, but there is no key file")
            }
            let place = SecretPlace(
                tenantID: inputs.job.tenantID, userID: sealed.userID, name: sealed.name)
            do {
                let secret = try sealer.open(sealed.sealed, for: place)
                values.secrets[sealed.name] = secret
                self.sealed[sealed.name] = sealed
                opened.append(secret.withBytes { Array($0) })
            } catch {
                throw RunEnd.needsReauth(message: "secret '\(sealed.name)': \(error)")
            }
        }
        redactor = Redactor(secrets: opened)
        openedSecrets = opened
    }

    private func checkRequirements() throws {
        for requirement in inputs.file.schedule.requires {
            switch requirement {
            case .secret(let name) where values.secrets[name] == nil:
                throw RunEnd.needsReauth(message: "secret '\(name)' is not set")
            case .user(let name) where isMissing(inputs.job.attributes[name]):
                throw RunEnd.skipped(message: "user attribute '\(name)' is not set")
            default: continue
            }
        }
    }

    private func isMissing(_ value: JSONValue?) -> Bool {
        switch value {
        case nil, .null, .string(""): true
        default: false
        }
    }
}

/// What a run did so far, for its log line; the truth is in the checkpoints.
struct RunTotals {
    var pages = 0
    var fetched = 0
    var changed = 0
}
