import JobQueue

/// `jobrunner enqueue`.
func enqueue(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    var request = RunRequest()
    request.isFull = arguments.has("full")
    request.entity = arguments.text("entity")
    request.isForced = arguments.has("force")
    let asked = request
    return try await context.withQueue { queue in
        let scope = try await chosenJobs(arguments, queue)
        if arguments.has("wait"), asked == RunRequest(), let user = scope.user,
            try await queue.storedJob(arguments.subject)?.hasFreshness == true
        {
            return try await waitUnlessFresh(scope, user, queue, context)
        }
        let jobs = try await showing("asking for runs of \(arguments.subject)") { _ in
            try await queue.enqueue(scope, asked)
        }
        try context.say(enqueuedWords(jobs, scope))
        guard arguments.has("wait") else { return .ok }
        return try await wait(for: jobs, of: scope, queue, context)
    }
}

/// Waits only where a reader of the job's rows has to.
private func waitUnlessFresh(
    _ scope: JobScope, _ user: String, _ queue: Queue, _ context: Context
) async throws -> ExitCode {
    let name = scope.job ?? ""
    let freshness = try await queue.wantFresh(tenant: scope.tenant, user: user, job: name)
    guard freshness.answer == "wait" else {
        let isUsable = ["fresh", "refreshing"].contains(freshness.answer)
        try context.say(freshnessWords(freshness, scope))
        return isUsable ? .ok : .failure
    }
    try context.say(enqueuedWords([freshness.job], scope))
    return try await wait(for: [freshness.job], of: scope, queue, context)
}

private func wait(
    for jobs: [EnqueuedJob], of scope: JobScope, _ queue: Queue, _ context: Context
) async throws -> ExitCode {
    var waiter = RunWaiter(queue: queue, name: scope.job ?? "", tenant: scope.tenant, jobs: jobs)
    let ended = try await waiter.wait()
    for line in ended.lines { try context.say(line) }
    return ended.isComplete ? .ok : .failure
}

/// What becomes of what was asked, in a line.
func enqueuedWords(_ jobs: [EnqueuedJob], _ scope: JobScope) -> String {
    let job = scope.job ?? ""
    if let user = scope.user {
        let word = jobs.first?.word ?? "due"
        return "\(answerWords[word] ?? word): \(job) of \(whose(user, of: scope.tenant))"
            + (answerAdvice[word] ?? "")
    }
    guard !jobs.isEmpty else { return "nobody: tenant \(scope.tenant) has no user" }
    let order = ["due", "follows_running", "deferred", "paused", "quarantined", "needs_reauth"]
    let groups = order.compactMap { word in
        let count = jobs.count { $0.word == word }
        return count == 0 ? nil : "\(count) \(answerWords[word] ?? word)"
    }
    return "\(job) of \(counted(jobs.count, "user")) of tenant \(scope.tenant): "
        + groups.joined(separator: ", ")
}
