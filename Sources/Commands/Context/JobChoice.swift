import JobQueue

/// Which jobs a command line means by `[JOB] --tenant T [--user KEY | --all]`.
///
/// A job of scope tenant has no user to name. A command that can do without JOB means every job then. Throws `UsageError` when the job is each user's and
/// none is named, `Failure` when a user is named for the tenant's own.
func chosenJobs(_ arguments: ParsedArguments, _ queue: Queue) async throws -> JobScope {
    let name = arguments.positionals.first
    let isAll = arguments.command.option("all") != nil && arguments.has("all")
    var scope = JobScope(
        tenant: arguments.required("tenant"), user: arguments.text("user"), job: name)
    // Whoever means all users need not know whose job it is.
    guard !isAll else { return scope }
    var isTenants = false
    if let name { isTenants = try await queue.storedJob(name)?.isTenants ?? false }
    if isTenants {
        guard scope.user == nil || scope.user == tenantsOwnKey else {
            throw Failure(
                .data, "job \(name ?? "") is the tenant's own, not a user's; leave --user out")
        }
        scope.user = tenantsOwnKey
    } else if scope.user == nil {
        let ways =
            arguments.command.option("all") == nil ? ["--user KEY"] : ["--user KEY", "--all"]
        throw UsageError(
            command: arguments.command.name, message: "\(choices(ways)) is missing")
    }
    return scope
}

/// Refuses a name that none of the job's entities has.
func checkEntity(_ name: String, ofJob job: String, among names: [String]) throws(Failure) {
    guard !names.contains(name) else { return }
    throw Failure(
        .data,
        "job \(job) has no entity \(quoted(name)); expected \(choices(names))"
            + hint(for: name, among: names))
}
