import JSON
import JobQueue

/// `jobrunner trigger`: a line for each job the event concerns.
func trigger(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let event = arguments.subject
    let tenant = arguments.required("tenant")
    let user = arguments.text("user")
    let (jobs, now) = try await context.withQueue { queue in
        let known = try await queue.events(ofTenant: tenant, itsOwn: user == nil)
        guard known.contains(event) else {
            throw unknown(event, among: known, tenant: tenant, isTenants: user == nil)
        }
        let jobs = try await queue.triggerEvent(event, tenant: tenant, user: user)
        return (jobs, try await queue.now())
    }
    if arguments.has("json") {
        let rows = jobs.map { job in
            JSONValue.object([
                JSONMember("job", .string(job.job)), JSONMember("answer", .string(job.answer)),
                JSONMember("due_in_seconds", .number("\(seconds(until: job.dueAt, now))")),
            ])
        }
        try context.output.print(JSONValue.array(rows).text + "\n")
    } else {
        for job in jobs {
            try context.say(
                triggeredWords(
                    job, event: event, whose: whose(user ?? tenantsOwnKey, of: tenant),
                    seconds: seconds(until: job.dueAt, now)))
        }
    }
    return .ok
}

private func seconds(until dueAt: Int64, _ now: Int64) -> Double {
    Double(max(0, dueAt - now) / 1000) / 1000
}

/// What an event did to one job, in a line.
func triggeredWords(
    _ job: TriggeredJob, event: String, whose: String, seconds: Double
) -> String {
    let whole = "\(job.job) of \(whose)"
    let inTime = seconds > 0 ? "due in \(spanWords(seconds: seconds))" : "due"
    return switch job.answer {
    case "due": "\(inTime): \(whole)"
    case "armed": "armed: \(whole); the event that follows \(event) makes it due"
    case "called_off": "called off: \(whole) is \(inTime) again, as its schedule says"
    case "not_armed": "not armed: \(whole); \(event) counts only after the event that undoes it"
    default: "\(answerWords[job.answer] ?? job.answer): \(whole)" + (answerAdvice[job.answer] ?? "")
    }
}

private func unknown(
    _ event: String, among known: [String], tenant: String, isTenants: Bool
) -> Failure {
    let whose = isTenants ? "tenant \(tenant)'s own jobs" : "jobs of tenant \(tenant)'s users"
    guard !known.isEmpty else {
        return Failure(
            .data,
            "no event makes \(whose) due"
                + (isTenants ? "; a user's need --user KEY" : "; the tenant's own need no --user"))
    }
    return Failure(
        .data,
        "no event of \(whose) is named \(quoted(event)); expected \(choices(known))"
            + hint(for: event, among: known))
}
