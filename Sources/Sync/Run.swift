import Asking
import JSON
import JobFiles
import Postgres
import JobQueue
import Telemetry
import Writing

/// One execution of a claimed job, from its requirements to its outcome.
///
/// Lives in one task. It says what happened; what follows is decided by `finish_runs`.
final class Run {
    let context: RunContext
    private let calls: Calls

    /// `dryRun` collects what the run would write; nil means a real run.
    init(
        _ inputs: RunInputs, _ services: Services, _ control: RunControl, _ dryRun: DryRun? = nil
    ) {
        context = RunContext(inputs, services, control, dryRun)
        calls = Calls(context)
    }

    /// Runs to an outcome; nil when the claim was lost and nothing may be written.
    func perform() async -> FinishedRun? {
        let end = await syncToEnd()
        await storeCredential(after: end)
        return finished(end)
    }

    /// Runs to an outcome that is told and not written.
    ///
    /// Throws `DatabaseError` or `QueueError` when what was collected can't be tried.
    func perform(telling dryRun: DryRun) async throws -> DryRunReport {
        let end = await syncToEnd()
        await storeCredential(after: end)
        var report = try await dryRun.dryRun(
            for: inputs.job.claim, context.redactor, deadline: context.deadline + .seconds(10))
        report.skipped = context.progress.skips
        report.hasStoredCredential = context.session.credentials.hasStored
        if let end, let outcome = end.outcome {
            report.outcome = outcome.rawValue
            report.errorKind = kind(of: end)
            report.error = end.message.map(context.redactor.sanitised)
        }
        return report
    }

    /// Why the run did not come to its end; nil when it did.
    private func syncToEnd() async -> RunEnd? {
        do {
            try checkInputs()
            try checkBreaker()
            try await context.session.credentials.open(inputs.job.secrets)
            if inputs.file.bringsSecrets { try context.session.credentials.checkKey() }
            try await meetRequirements()
            try checkZone()
            guard !context.isFreshEnough || context.hasUnsent else { return nil }
            try await calls.takeFirstSteps()
            if let end = await EntitySequence(context, calls).sync() { return end }
            try await calls.takeLastSteps()
            return context.progress.refused.end
        } catch {
            return context.end(by: error)
        }
    }

    private var inputs: RunInputs { context.inputs }

    /// Nothing is asked of the source for a job whose own rows, or whose file's tables, can't be read.
    private func checkInputs() throws {
        if let words = inputs.job.unreadable { throw RunEnd.failed(.malformed, words) }
        if let refusal = inputs.refusal { throw refusal }
        if let problem = inputs.problem { throw RunEnd.skipped(message: problem.message) }
        // The file's own addresses were looked at when it was read, and a tenant's are written by others.
        if let base = inputs.base, !inputs.file.source.maySend(to: base) {
            throw RunEnd.failed(
                .rejected,
                "the tenant's address of source \(inputs.file.source.id) is http, which anybody on the way can read;"
                    + " expected https, or insecure: true in the source of the job file")
        }
    }

    private func checkBreaker() throws {
        guard let blocked = inputs.blocked else { return }
        throw RunEnd.breakerOpen(inputs.file.source.budgetName, wait: blocked)
    }

    private func meetRequirements() async throws {
        for requirement in inputs.file.schedule.requires {
            switch requirement {
            case .secret(let name) where !context.session.credentials.has(name):
                throw RunEnd.secretMissing(name)
            case .user(let name) where isMissing(inputs.job.attributes[name]):
                throw RunEnd.skipped(message: "user attribute '\(name)' is not set")
            case .made(let name) where isMissing(inputs.job.attributes[name]):
                try await make(name)
            default: continue
            }
        }
    }

    /// A dry run makes nothing, and with a value of its own it would ask about another user.
    private func make(_ attribute: String) async throws {
        guard !context.sink.isDryRun else {
            throw RunEnd.skipped(
                message: "user attribute '\(attribute)' is not made yet; the first run makes it")
        }
        let value = try await context.ask {
            try await $0.makeAttribute(
                attribute, of: inputs.job.claim.userID, deadline: context.deadline)
        }
        context.adopt(attribute, value)
    }

    /// Read as UTC, times of a zone that nobody knows would be hours off.
    private func checkZone() throws {
        guard case .attribute(let name) = inputs.file.source.zone, inputs.zone == nil else {
            return
        }
        let value = inputs.job.attributes[name]
        guard !isMissing(value) else {
            throw RunEnd.skipped(
                message: "user attribute '\(name)' is not set, which names the time zone")
        }
        throw RunEnd.failed(
            .malformed,
            "user attribute '\(name)' is no time zone, expected one such as Europe/Berlin")
    }

    private func isMissing(_ value: JSONValue?) -> Bool {
        switch value {
        case nil, .null, .string(""): true
        default: false
        }
    }

    /// However the run ended, a credential that the source replaced is stored.
    private func storeCredential(after end: RunEnd?) async {
        guard let error = await context.session.credentials.storeAtEnd() else { return }
        context.services.log.emit(
            .callWarned(
                context.subject, call: "rotate_secret",
                error: context.redactor.sanitised("\(error)")))
    }

    /// Where only the tenant's own secrets sign in, a user who signs in again mends nothing.
    private func kind(of end: RunEnd) -> String {
        guard case .needsReauth = end, context.session.credentials.areTenants else {
            return end.errorKind
        }
        return ErrorKind.clientRefused.rawValue
    }

    private func finished(_ end: RunEnd?) -> FinishedRun? {
        let checkpoints = context.checkpoints
        let progress = context.progress
        let hasCommitted = context.sink.mayHaveCommitted
        guard let end else {
            let isUnchanged = !hasCommitted && checkpoints.areUnchanged(inputs.wantedEntities)
            return FinishedRun(
                claim: inputs.job.claim, tenantID: inputs.job.tenantID, outcome: .complete,
                requests: context.session.requests,
                endedPasses: isUnchanged ? [] : checkpoints.endedToNote,
                calls: progress.pendingCalls, hasCommitted: hasCommitted, isUnchanged: isUnchanged,
                host: inputs.file.source.chosenHost)
        }
        guard let outcome = end.outcome else { return nil }
        var wait: Duration?
        switch end {
        case .deferred(_, _, let asked): wait = asked
        case .unsent(_, _, let asked): wait = asked
        default: break
        }
        let trouble = end == .interrupted(.database) ? context.sink.databaseTrouble : nil
        let error = (end.message ?? trouble).map(context.redactor.sanitised)
        var failures = progress.failures
        if outcome == .failed, let entity = progress.entity {
            failures.append(EntityFailure(entity: entity, kind: kind(of: end), error: error))
        }
        return FinishedRun(
            claim: inputs.job.claim, tenantID: inputs.job.tenantID, outcome: outcome,
            errorKind: kind(of: end), error: error, failures: failures, wait: wait,
            requests: context.session.requests,
            endedPasses: checkpoints.ended, calls: progress.pendingCalls,
            hasCommitted: hasCommitted, secretVersions: context.session.credentials.versions,
            host: inputs.file.source.chosenHost)
    }
}
