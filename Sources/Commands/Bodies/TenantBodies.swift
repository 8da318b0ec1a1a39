import JSON
import JobQueue
import Secrets

/// `jobrunner tenant add`.
func addTenant(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    var change = try tenantChange(arguments, context)
    if change.seal == nil { change.seal = try keyMaking(context) }
    let tenant = change
    _ = try await context.withQueue { try await $0.addTenant(tenant) }
    let jobs = change.jobs.isEmpty ? "" : " with \(choices(change.jobs, "and"))"
    try context.say("added tenant \(change.name)\(jobs)")
    return .ok
}

/// `jobrunner tenant set`.
func setTenant(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let change = try tenantChange(arguments, context)
    let changed = try await showing("changing tenant \(change.name)") { _ in
        try await context.withQueue { try await $0.setTenant(change) }
    }
    var notes: [String] = []
    if !change.takenJobs.isEmpty {
        notes.append(
            "took \(choices(change.takenJobs, "and")), \(counted(changed.taken, "job")) of its users"
        )
    }
    if changed.jobs > 0 { notes.append("its users got \(counted(changed.jobs, "job"))") }
    if changed.woken > 0 { notes.append("\(counted(changed.woken, "job")) woken") }
    try context.say((["changed tenant \(change.name)"] + notes).joined(separator: "; "))
    return .ok
}

private func tenantChange(
    _ arguments: ParsedArguments, _ context: Context
) throws -> TenantChange {
    var change = TenantChange(name: arguments.subject)
    change.weight = arguments.integer("weight")
    change.maxRunning = arguments.integer("max-running")
    change.isUnlimited = arguments.command.option("unlimited") != nil && arguments.has("unlimited")
    change.jobs = arguments.texts("job")
    if arguments.command.option("take-job") != nil {
        change.takenJobs = arguments.texts("take-job")
        change.deletesRows = arguments.has("with-rows")
        change.within = arguments.duration("within")
    }
    change.sources = arguments.assignments("source").compactMap { pair in
        if case .text(let base) = pair.value { (id: pair.name, base: base) } else { nil }
    }
    change.seal = try sealing(arguments, of: nil, context)
    return change
}

/// `jobrunner tenant list`.
func listTenants(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let rows = try await context.withQueue { try await $0.tenants() }
    let columns: [Table.Column] = [
        .name("tenant"), .number("weight"), .number("max_running"), .number("user_count", "users"),
        .time("paused_at"), .name("jobs"), .prose("sources"), .name("secrets"),
    ]
    try context.show(Table(columns, of: rows), asJSON: arguments.has("json"))
    return .ok
}

/// `jobrunner tenant remove`.
func removeTenant(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let name = arguments.subject
    let receipt = try await showing("removing tenant \(name)") { _ in
        try await context.withQueue { try await $0.removeTenant(name) }
    }
    try tell(receipt, "removed tenant \(name)", asJSON: arguments.has("json"), context)
    return .ok
}

/// Prints what a removal took, in words or as the receipt itself.
func tell(
    _ receipt: RemovalReceipt, _ words: String, asJSON: Bool, _ context: Context
) throws {
    if asJSON {
        try context.output.print(receipt.json.text + "\n")
    } else {
        try context.say(words + removalWords(receipt.rows))
    }
}

/// What went with a tenant or a user: `: 2 jobs, 1 secret`.
func removalWords(_ removed: [RemovedRows]) -> String {
    let words = removed.map { rows in
        rows.count == 1 && rows.what.hasPrefix("rows ")
            ? "1 row\(rows.what.dropFirst(4))"
            : rows.count == 1 && rows.what.hasSuffix("s")
                ? "1 \(rows.what.dropLast())" : "\(rows.count) \(rows.what)"
    }
    return words.isEmpty ? "; it had nothing" : ": " + words.joined(separator: ", ")
}
