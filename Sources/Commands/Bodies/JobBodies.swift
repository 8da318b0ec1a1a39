import Queue

private func scope(_ arguments: ParsedArguments) -> JobScope {
    JobScope(
        tenant: arguments.required("tenant"), user: arguments.text("user"), job: arguments.subject)
}

/// `metube.refresh of user ann`, or `metube.refresh of every user of tenant acme`.
private func words(_ scope: JobScope) -> String {
    "\(scope.job ?? "every job") of \(whose(scope.user, of: scope.tenant))"
}

/// `jobrunner cancel`.
func cancelJobs(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let scope = scope(arguments)
    let count = try await context.withQueue { try await $0.cancelJobs(scope) }
    try context.say(
        count == 0
            ? "no run of \(words(scope)) is under way"
            : "asked \(counted(count, "run")) of \(words(scope)) to stop; what is committed stays")
    return .ok
}

/// `jobrunner retry`.
func retryJobs(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let scope = scope(arguments)
    let count = try await context.withQueue { try await $0.retryJobs(scope) }
    try context.say(
        count == 0
            ? "nothing to retry: \(words(scope)) is not in trouble, or is running"
            : "due now: \(counted(count, "job")), \(words(scope))")
    return .ok
}

/// `jobrunner pause`.
func pauseJobs(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let scope = scope(arguments)
    let count = try await context.withQueue { try await $0.pauseJobs(scope) }
    try context.say(
        count == 0
            ? "paused already: \(words(scope))"
            : "paused \(counted(count, "job")), \(words(scope))")
    return .ok
}

/// `jobrunner resume`.
func resumeJobs(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let scope = scope(arguments)
    let count = try await context.withQueue { try await $0.resumeJobs(scope) }
    try context.say(
        count == 0
            ? "not paused: \(words(scope))" : "resumed \(counted(count, "job")), \(words(scope))")
    return .ok
}

/// `jobrunner reset`.
func resetJobs(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let scope = scope(arguments)
    let entity = arguments.text("entity")
    let cleared = try await context.withQueue { queue in
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

/// The verb itself takes any name; a wrong one would look like nothing to clear.
private func check(_ entity: String, of job: String, _ queue: Queue) async throws {
    let entities = try await queue.entities(ofJob: job)
    guard entities.isEmpty || entities.contains(entity) else {
        throw Failure(
            .data,
            "job \(job) has no entity \(quoted(entity)); expected \(choices(entities))"
                + hint(for: entity, among: entities))
    }
}
