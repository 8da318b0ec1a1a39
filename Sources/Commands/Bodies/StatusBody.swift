import JSON
import JobQueue

/// `jobrunner status`.
func status(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    guard arguments.has("watch") else {
        try await context.withQueue {
            try context.output.print(try await answer(arguments, $0, context.output.screen.width))
        }
        return .ok
    }
    guard context.output.isTerminal else {
        throw UsageError(command: "status", message: "--watch needs a terminal")
    }
    return try await context.withQueue { queue in
        while true {
            // Cursor to the corner, and what was there is gone.
            let text = try await answer(arguments, queue, context.output.screen.width)
            try context.output.print("\u{1b}[H\u{1b}[2J" + text)
            try await Task.sleep(for: .seconds(1))
        }
    }
}

private func answer(
    _ arguments: ParsedArguments, _ queue: Queue, _ width: Int?
) async throws -> String {
    let isJSON = arguments.has("json")
    let job = arguments.text("job")
    guard let tenant = arguments.text("tenant"),
        let user = try await chosenUser(arguments, job: job, queue)
    else {
        let asked = arguments.text("tenant")
        let rows = try await queue.tenantStatus(tenant: asked, job: job)
        let reasons = try await queue.waitingReasons(tenant: asked)
        let causes = try await queue.causes(tenant: asked)
        let counting = try await queue.examine([.counting])
        let tables = [
            ("causes", Table(causeColumns, of: causes)), ("jobs", Table(tenantColumns, of: rows)),
            ("waiting", Table(waitingColumns, of: reasons)),
        ]
        // Where nothing waits or fails, nobody reads a heading.
        let shown = tables.filter { isJSON || $0.0 == "jobs" || !$0.1.rows.isEmpty }
        return oldCountNote(counting, isJSON ? [] : shown.map(\.0)) + answer(shown, isJSON, width)
    }
    let jobs = Table(
        jobColumns, of: try await queue.userStatus(tenant: tenant, user: user, job: job))
    let entities = Table(
        entityColumns, of: try await queue.userEntities(tenant: tenant, user: user, job: job))
    return answer([("jobs", jobs), ("entities", entities)], isJSON, width)
}

private func answer(
    _ tables: [(name: String, table: Table)], _ isJSON: Bool, _ width: Int?
) -> String {
    guard isJSON else { return tables.map { $0.table.text(width: width) }.joined(separator: "\n") }
    return JSONValue.object(tables.map { JSONMember($0.name, $0.table.jsonValue) }).text + "\n"
}

/// A line above tables whose numbers may not be told as now; empty where none are.
func oldCountNote(_ answers: HealthAnswers, _ tables: [String]) -> String {
    let old = ["causes", "waiting"].filter(tables.contains)
    guard !old.isEmpty, let ago = staleCountWords(answers) else { return "" }
    return "counted \(ago), and not as it is now: \(choices(old, "and"))\n\n"
}

/// The user whose jobs are meant; the tenant itself, where the job named is its own.
private func chosenUser(
    _ arguments: ParsedArguments, job: String?, _ queue: Queue
) async throws -> String? {
    if let user = arguments.text("user") { return user }
    guard let job, try await queue.storedJob(job)?.isTenants == true else { return nil }
    return tenantsOwnKey
}

private let tenantColumns: [Table.Column] = [
    .name("tenant"), .name("job"), .number("user_count", "users"),
    .number("fresh_percent", "fresh %"), .number("due_count", "due"),
    .number("running_count", "running"), .number("failing_count", "failing"),
    .number("trouble_count", "in trouble"),
    .number("quarantined_count", "quarantined"), .number("needs_reauth_count", "needs reauth"),
    .number("paused_count", "paused"), .span("staleness_p50_seconds", "stale p50"),
    .span("staleness_p99_seconds", "stale p99"), .number("asked_percent", "share asked %"),
    .number("had_percent", "share had %"), .time("waiting_since", "waits since"),
]

private let causeColumns: [Table.Column] = [
    .name("source"), .name("tenant"), .name("error_kind", "cause"), .number("users"),
    .prose("may_be_more"), .prose("is_whole", "all"), .span("lasting_seconds", "since"),
    .name("user", "such as"), .name("job"), .prose("error"),
    .span("counted_seconds", "counted"), .detail("hint"),
]

private let waitingColumns: [Table.Column] = [
    .name("reason", "waits for"), .name("tenant"), .number("jobs"), .prose("may_be_more"),
    .span("waiting_seconds", "since"), .span("counted_seconds", "counted"),
]

private let jobColumns: [Table.Column] = [
    .name("job"), .name("state"), .time("due_at", "due"), .name("last_outcome"),
    .time("last_run_at", "last run"), .time("last_success_at", "last success"),
    .number("consecutive_failures", "failures"), .name("error_kind"), .prose("error"),
    .prose("why"), .detail("run"),
]

private let entityColumns: [Table.Column] = [
    .name("job"), .name("entity"), .name("pass_kind", "pass"), .number("page_number", "pages"),
    .prose("watermark"), .time("last_synced_at", "last synced"),
    .number("fetched", "fetched"), .number("inserted", "inserted"),
    .number("updated", "updated"), .number("unchanged", "unchanged"),
    .number("deleted", "deleted"), .number("swept", "swept"),
    .number("skipped_incompatible", "incompatible"), .prose("unread"),
    .number("consecutive_failures", "failures"), .prose("error"),
    .prose("troubles", "waits for you"),
    .prose("skip_reason", "skipped"),
    .detail("error_kind"),
]
