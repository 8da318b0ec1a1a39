import JobQueue

/// `jobrunner period`: how often a user's job, or that of all users of a tenant, is due.
func setPeriod(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let scope = JobScope(
        tenant: arguments.required("tenant"), user: arguments.text("user"), job: arguments.subject)
    let every = arguments.duration("every")
    let count = try await context.withQueue { try await $0.setPeriod(scope, every: every) }
    let whose = "\(arguments.subject) of \(whose(scope.user, of: scope.tenant))"
    let period =
        every.map { "is due every \(spanWords(seconds: $0 / .seconds(1)))" }
        ?? "is due as often as before it had a period of its own"
    try context.say("\(whose) \(period); \(counted(count, "job")) changed")
    return .ok
}
