import JobQueue

/// Calls a verb with the jobs that the command line means.
private func apply<R>(
    _ arguments: ParsedArguments, _ context: Context,
    _ verb: (Queue, JobScope) async throws -> R
) async throws -> (scope: JobScope, result: R) {
    try await context.withQueue { queue in
        let scope = try await chosenJobs(arguments, queue)
        let what = "\(arguments.command.name) of \(words(scope))"
        return (scope, try await showing(what) { _ in try await verb(queue, scope) })
    }
}

/// `metube.refresh of user ann`, or `metube.refresh of every user of tenant acme`.
private func words(_ scope: JobScope) -> String {
    "\(scope.job ?? "every job") of \(whose(scope.user, of: scope.tenant))"
}

/// `jobrunner cancel`.
func cancelJobs(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let (scope, count) = try await apply(arguments, context) { try await $0.cancelJobs($1) }
    try context.say(
        count == 0
            ? "no run of \(words(scope)) is under way"
            : "asked \(counted(count, "run")) of \(words(scope)) to stop; what is committed stays")
    return .ok
}

/// `jobrunner retry`.
func retryJobs(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let (scope, count) = try await apply(arguments, context) { try await $0.retryJobs($1) }
    try context.say(
        count == 0
            ? "nothing to retry: \(words(scope)) is not in trouble, or is running"
            : "due now: \(counted(count, "job")), \(words(scope))")
    return .ok
}

/// `jobrunner close-breaker`.
func closeBreaker(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let (source, tenant) = (arguments.subject, arguments.text("tenant") ?? "")
    let count = try await context.withQueue { queue in
        try await queue.closeBreaker(of: source, tenant: tenant)
    }
    try context.say(
        "the breaker of source \(source) of tenant \(tenant) is closed;"
            + (count == 0 ? " it had put nothing off" : " due now: \(counted(count, "job"))"))
    return .ok
}

/// `jobrunner pause`.
func pauseJobs(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let (scope, count) = try await apply(arguments, context) { try await $0.pauseJobs($1) }
    // A pause of a whole tenant or user holds whatever jobs it has.
    try context.say(
        count == 0 && scope.job != nil
            ? "paused already: \(words(scope))"
            : "paused \(counted(count, "job")), \(words(scope))")
    return .ok
}

/// `jobrunner resume`.
func resumeJobs(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let (scope, count) = try await apply(arguments, context) { try await $0.resumeJobs($1) }
    try context.say(
        count == 0 && scope.job != nil
            ? "not paused: \(words(scope))" : "resumed \(counted(count, "job")), \(words(scope))")
    return .ok
}

/// `jobrunner reset`.
func resetJobs(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let entity = arguments.text("entity")
    let (scope, cleared) = try await apply(arguments, context) { queue, scope in
        if let entity { try await check(entity, of: arguments.subject, queue) }
        return try await queue.resetJobs(scope, entity: entity)
    }
    guard !cleared.isEmpty else {
        try context.say("nothing to clear: \(words(scope)) has no checkpoint")
        return .ok
    }
    let entities = cleared.map {
        scope.user == nil ? "\($0.entity) (\(counted($0.users, "user")))" : $0.entity
    }
    try context.say(
        "cleared the checkpoints of \(words(scope)): \(entities.joined(separator: ", "));"
            + " synced rows stay, and the next run reads everything")
    return .ok
}

/// `jobrunner repair`.
func repairJobs(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let (scope, count) = try await apply(arguments, context) { try await $0.repairJobs($1) }
    try context.say(
        count == 0
            ? "nothing to repair: \(words(scope)) has no job"
            : "a repair is due: \(counted(count, "job")), \(words(scope)); it reads everything, sends"
                + " anew what the source lacks, and keeps unsent edits")
    return .ok
}

/// The verb itself takes any name; a wrong one would look like nothing to clear.
private func check(_ entity: String, of job: String, _ queue: Queue) async throws {
    let entities = try await queue.entities(ofJob: job)
    if !entities.isEmpty { try checkEntity(entity, ofJob: job, among: entities) }
}
