import Asking
import CloudKit
import HTTP
import JobFiles
import JSON
import JobQueue
import Secrets
import Sync
import Telemetry
import Writing

/// `jobrunner dry-run`: exit 1 when the run would end otherwise than complete, or than asked.
func dryRun(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let name = arguments.subject
    let keeper = context.settings.hasKeyFile ? try context.settings.keyKeeper() : nil
    let networks = try context.settings.privateNetworks()
    let (scope, report) = try await context.withQueue { queue in
        let scope = try await chosenJobs(arguments, queue)
        var job = try await queue.readJob(name, tenant: scope.tenant, user: scope.user)
        let file = try context.settings.jobFile(named: name)
        try await refuseWhileItRuns(file, scope, queue)
        try apply(arguments, to: &job, file)
        let inputs = try await inputs(job, file, queue)
        let budgets = Budgets(queue)
        let client = HTTPClient(
            userAgent: "jobrunner/\(programVersion)", privateNetworks: networks, transfersMax: 4)
        defer { client.close() }
        let sync = Syncer(
            Services(
                queue: queue, client: client, budgets: budgets,
                keys: keeper.map { TenantKeys($0, queue) },
                log: Log(context.settings.log), dialect: cloudKitDialect))
        do {
            let report = try await sync.dryRun(
                inputs, RunControl(), pagesMax: arguments.integer("pages") ?? dryPagesUsual)
            return (scope, report)
        } catch QueueError.superseded {
            throw Failure(.temporary, "a run of the job went on meanwhile; try again")
        }
    }
    if arguments.has("json") {
        try context.output.print(report.json.text + "\n")
    } else {
        let words = "\(name) of \(whose(scope.user, of: scope.tenant))"
        for line in reportLines(report, whose: words) { try context.say(line) }
    }
    return report.outcome == Outcome.complete.rawValue ? .ok : .failure
}

/// A dry run is always asked for: freshness, minimum gaps and probes hold nothing back.
private func apply(
    _ arguments: ParsedArguments, to job: inout ClaimedJob, _ file: JobFile
) throws(Failure) {
    job.isForced = true
    if let entity = arguments.text("entity") {
        try checkEntity(entity, ofJob: file.name, among: file.entities.map(\.name))
        job.entity = entity
    }
    guard arguments.has("full") else { return }
    for entity in file.entities.map(\.name)
    where !job.checkpoints.contains(where: { $0.entity == entity }) {
        job.checkpoints.append(Checkpoint(entity: entity))
    }
    for index in job.checkpoints.indices { job.checkpoints[index].isFullRequested = true }
}

/// What a worker reads for a run before its first request.
private func inputs(
    _ job: ClaimedJob, _ file: JobFile, _ queue: Queue
) async throws -> RunInputs {
    let sources = file.budgetNames(for: job.attributes).prefix(1).map {
        BudgetRequest(tenantID: job.tenantID, source: $0, requests: 0)
    }
    let opened = try await queue.preloadRuns(
        users: [job.claim.userID], lists: file.listColumns, tables: file.emptinessTables,
        sources: sources, dirtyTables: file.pushedTables)
    return RunInputs(job: job, file: file, opened: opened, claimedAt: .now)
}

/// Two that use up one single-use credential at the same time would both lose it.
private func refuseWhileItRuns(
    _ file: JobFile, _ scope: JobScope, _ queue: Queue
) async throws {
    switch file.source.auth {
    case .cloudkitUser(_, _, rotates: true), .oauth2Refresh: break
    default: return
    }
    let user = scope.user ?? tenantsOwnKey
    let rows = try await queue.userStatus(tenant: scope.tenant, user: user, job: file.name)
    guard rows.contains(where: { $0.text("state") == "running" }) else { return }
    throw Failure(
        .temporary,
        "the job is running, and its source replaces the credential with each answer; try again"
            + " when the run has ended")
}

/// The answer for people, line by line.
func reportLines(_ report: DryRunReport, whose: String) -> [String] {
    var lines = ["dry run of \(whose): no row, checkpoint or outcome is stored"]
    for entity in report.entities {
        let counts = entity.counts.filter { $0.count > 0 }.map {
            "\($0.count) \($0.name.replacing("skipped_", with: ""))"
        }
        let numbers = counts.isEmpty ? "nothing" : counts.joined(separator: ", ")
        lines.append(
            "\(entity.name): \(entity.pass) pass, \(counted(entity.pages, "page")): \(numbers)")
        for change in entity.changes { lines.append("  " + changeWords(change)) }
        if entity.isSweepRefused {
            lines.append("  its end would delete more rows than max_fraction allows, so none")
        }
        if let page = entity.goesOnAfterPage {
            lines.append("  it would go on after page \(page)")
        }
    }
    for (entity, reason) in report.skipped { lines.append("\(entity): skipped: \(reason)") }
    for (table, rows) in report.cleanedUp where rows > 0 {
        lines.append("synced.\(table): \(counted(rows, "row")) would be cleaned up")
    }
    for what in report.unsent { lines.append("not sent: \(what)") }
    if report.hasStoredCredential {
        lines.append(
            "stored after all: the credential that the source replaced, for the old one is used up")
    }
    let why = report.error ?? report.errorKind
    lines.append("it would end \(report.outcome)" + (why.map { ": \($0)" } ?? ""))
    return lines
}

/// `+ {…}` for a new row, `- {…}` for one that goes, `~ {key} column: before → after` else.
private func changeWords(_ change: DryRunReport.Change) -> String {
    guard case .object(let before) = change.before else { return "+ " + change.after.text }
    guard case .object(let after) = change.after else { return "- " + change.before.text }
    let old = Dictionary(before.map { ($0.name, $0.value) }) { first, _ in first }
    let differing = after.filter { old[$0.name] != $0.value }.map { member in
        "\(member.name): \((old[member.name] ?? .null).text) → \(member.value.text)"
    }
    let key = after.filter { change.key.contains($0.name) }
    return "~ \(JSONValue.object(key).text) " + differing.joined(separator: ", ")
}

extension DryRunReport {
    fileprivate var json: JSONValue {
        .object([
            JSONMember("entities", .array(entities.map(\.json))),
            JSONMember(
                "skipped",
                .array(
                    skipped.map {
                        .object([
                            JSONMember("entity", .string($0.entity)),
                            JSONMember("reason", .string($0.reason)),
                        ])
                    })),
            JSONMember(
                "cleaned_up",
                .array(
                    cleanedUp.map {
                        .object([
                            JSONMember("table", .string($0.table)),
                            JSONMember("rows", .integer($0.rows)),
                        ])
                    })),
            JSONMember("not_sent", .array(unsent.map { .string($0) })),
            JSONMember("credential_stored", .bool(hasStoredCredential)),
            JSONMember("outcome", .string(outcome)),
            JSONMember("error_kind", errorKind.map { .string($0) } ?? .null),
            JSONMember("error", error.map { .string($0) } ?? .null),
        ])
    }
}

extension DryRunReport.Entity {
    fileprivate var json: JSONValue {
        .object(
            [
                JSONMember("entity", .string(name)), JSONMember("pass", .string(pass)),
                JSONMember("pages", .integer(pages)),
            ] + counts.map { JSONMember($0.name, .integer($0.count)) } + [
                JSONMember(
                    "changes",
                    .array(
                        changes.map {
                            .object([
                                JSONMember("before", $0.before), JSONMember("after", $0.after),
                            ])
                        })),
                JSONMember("sweep_refused", .bool(isSweepRefused)),
                JSONMember("goes_on_after_page", goesOnAfterPage.map { .integer($0) } ?? .null),
            ])
    }
}
