import Queue

/// `jobrunner enqueue`.
func enqueue(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let scope = JobScope(
        tenant: arguments.required("tenant"), user: arguments.text("user"), job: arguments.subject)
    var wish = RunWish()
    wish.isFull = arguments.has("full")
    wish.entity = arguments.text("entity")
    wish.isForced = arguments.has("force")
    let asked = wish
    return try await context.withQueue { queue in
        let jobs = try await queue.enqueue(scope, asked)
        try context.say(enqueuedWords(jobs, scope))
        guard arguments.has("wait") else { return .ok }
        var waiting = Waiting(queue: queue, name: arguments.subject, jobs: jobs)
        let ended = try await waiting.wait()
        for line in ended.lines { try context.say(line) }
        return ended.isComplete ? .ok : .failure
    }
}

/// What becomes of what was asked, in a line.
func enqueuedWords(_ jobs: [EnqueuedJob], _ scope: JobScope) -> String {
    let job = scope.job ?? ""
    if let user = scope.user {
        let word = jobs.first?.word ?? "due"
        return "\(wordsOf[word] ?? word): \(job) of user \(user)" + (advice[word] ?? "")
    }
    guard !jobs.isEmpty else { return "nobody: tenant \(scope.tenant) has no user" }
    let order = ["due", "follows_running", "deferred", "paused", "quarantined", "needs_reauth"]
    let groups = order.compactMap { word in
        let count = jobs.count { $0.word == word }
        return count == 0 ? nil : "\(count) \(wordsOf[word] ?? word)"
    }
    return "\(job) of \(counted(jobs.count, "user")) of tenant \(scope.tenant): "
        + groups.joined(separator: ", ")
}

private let wordsOf = [
    "due": "due", "follows_running": "follows the run in progress", "deferred": "deferred",
    "paused": "paused", "quarantined": "set aside", "needs_reauth": "needs a new secret",
]

private let advice = [
    "follows_running": "; one more run follows it",
    "deferred": "; the source asked for patience, --force goes now",
    "paused": "; it runs when it is resumed",
    "quarantined": "; it runs after jobrunner retry",
    "needs_reauth": "; it runs when jobrunner user set stores a secret",
]
