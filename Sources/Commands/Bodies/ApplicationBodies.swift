import JobQueue

/// `jobrunner application add`.
func addApplication(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let (login, tenant) = (arguments.subject, arguments.required("tenant"))
    let isNew = try await context.withQueue {
        try await $0.addApplication(login, tenant: tenant)
    }
    try context.say(
        isNew
            ? "login \(login) is an application of tenant \(tenant) now"
            : "login \(login) is an application of tenant \(tenant) already")
    return .ok
}

/// `jobrunner application list`.
func listApplications(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let tenant = arguments.text("tenant")
    let rows = try await context.withQueue { try await $0.applications(tenant: tenant) }
    let columns: [Table.Column] = [.name("tenant"), .name("login"), .time("added_at", "added")]
    try context.show(Table(columns, of: rows), asJSON: arguments.has("json"))
    return .ok
}

/// `jobrunner application remove`.
func removeApplication(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let login = arguments.subject
    try await context.withQueue { try await $0.removeApplication(login) }
    try context.say("login \(login) is no application any more")
    return .ok
}

/// `jobrunner user export`.
func exportUser(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let (tenant, key) = (arguments.required("tenant"), arguments.subject)
    let output = context.output
    try await context.withQueue { queue in
        try await queue.exportUser(tenant: tenant, key: key) { lines in
            try output.print(lines.map { $0 + "\n" }.joined())
        }
    }
    return .ok
}
