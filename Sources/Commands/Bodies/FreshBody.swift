import JSON
import JobQueue

/// `jobrunner fresh`: exit 1 when a reader has to wait.
func fresh(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let (scope, freshness) = try await context.withQueue { queue in
        let scope = try await chosenJobs(arguments, queue)
        let answer = try await queue.wantFresh(
            tenant: scope.tenant, user: scope.user, job: arguments.subject)
        return (scope, answer)
    }
    if arguments.has("json") {
        let age = freshness.ageSeconds.map { JSONValue.number("\($0)") }
        try context.output.print(
            JSONValue.object([
                JSONMember("answer", .string(freshness.answer)),
                JSONMember("age_seconds", age ?? .null),
                JSONMember("usable", .bool(freshness.isUsable)),
            ]).text + "\n")
    } else {
        try context.say(freshnessWords(freshness, scope))
    }
    return freshness.isUsable ? .ok : .failure
}

/// What a reader learns, in a line: `fresh: snapchef.refresh of user ann, read 3 min ago`.
func freshnessWords(_ freshness: FreshAnswer, _ scope: JobScope) -> String {
    let whole = "\(scope.job ?? "") of \(whose(scope.user, of: scope.tenant))"
    let age =
        freshness.ageSeconds.map { "read \(spanWords(seconds: $0)) ago" } ?? "never read, or empty"
    let end =
        switch freshness.answer {
        case "fresh": ""
        case "refreshing": "; the rows may be used while they are read again"
        case "wait": "; a run is due, and its rows are to be waited for"
        default:
            (freshness.isUsable ? "; the rows may be used" : "")
                + (answerAdvice[freshness.answer] ?? "")
        }
    return "\(answerWords[freshness.answer] ?? freshness.answer): \(whole), \(age)\(end)"
}
