import JSON
import JobQueue

/// `jobrunner user add`.
func addUser(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    try await change(arguments, context, verb: "added") { try await $0.addUser($1) }
}

/// `jobrunner user set`.
func setUser(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    try await change(arguments, context, verb: "changed") { try await $0.setUser($1) }
}

private func change(
    _ arguments: ParsedArguments, _ context: Context, verb: String,
    _ apply: (Queue, UserChange) async throws -> UserChanged
) async throws -> ExitCode {
    var user = UserChange(tenant: arguments.required("tenant"), key: arguments.subject)
    user.attributes = attributesJSON(arguments)
    user.seal = try sealing(arguments, of: user.key, context)
    let lists = try readLists(arguments, context)
    let change = user
    let changed = try await context.withQueue { queue in
        var change = change
        if !lists.isEmpty {
            let jobs = try await queue.jobs(ofTenant: change.tenant)
            change.lists = try lists.flatMap { try $0.replacements(jobs: jobs) }
        }
        return try await apply(queue, change)
    }
    let jobs = changed.jobs.isEmpty ? "no job" : choices(changed.jobs, "and")
    var words = "\(verb) user \(change.key) of tenant \(change.tenant) with \(jobs)"
    if !lists.isEmpty {
        words +=
            "; lists: \(counted(changed.added, "id")) added, \(counted(changed.removed, "id"))"
            + " removed"
    }
    if changed.woken > 0 { words += "; \(counted(changed.woken, "job")) woken" }
    try context.say(words)
    return .ok
}

/// Users that are listed unless more are asked for.
private let usersUsual = 100

/// `jobrunner user list`.
func listUsers(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let limit = arguments.integer("limit") ?? usersUsual
    let rows = try await context.withQueue {
        // One more tells whether there are more.
        try await $0.users(tenant: arguments.text("tenant"), limit: limit + 1)
    }
    let columns: [Table.Column] = [
        .name("tenant"), .name("user"), .number("job_count", "jobs"),
        .number("failing_count", "failing"), .time("last_success_at", "last success"),
        .time("paused_at"), .prose("attributes"), .name("secrets"),
    ]
    let table = Table(columns, of: Array(rows.prefix(limit)))
    try context.show(table, asJSON: arguments.has("json"))
    if rows.count > limit {
        context.output.complain("note: there are more; --limit \(limit) is reached")
    }
    return .ok
}

/// `jobrunner user remove`.
func removeUser(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let (tenant, key) = (arguments.required("tenant"), arguments.subject)
    let receipt = try await showing("removing user \(key) of tenant \(tenant)") { _ in
        try await context.withQueue { try await $0.removeUser(tenant: tenant, key: key) }
    }
    try tell(
        receipt, "removed user \(key) of tenant \(tenant)", asJSON: arguments.has("json"), context)
    return .ok
}
