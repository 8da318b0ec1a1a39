/// What a command does.
typealias Body = @Sendable (ParsedArguments, Context) async throws -> ExitCode

/// The body of each command, by its name.
let bodies: [String: Body] = [
    "migrate": migrate,
    "validate": validate,
    "doctor": doctor,
    "tenant add": addTenant,
    "tenant set": setTenant,
    "tenant list": listTenants,
    "tenant pause": pauseTenant,
    "tenant resume": resumeTenant,
    "tenant remove": removeTenant,
    "user add": addUser,
    "user set": setUser,
    "user list": listUsers,
    "user pause": pauseUser,
    "user resume": resumeUser,
    "user remove": removeUser,
    "worker": WorkerCommand.run,
    "enqueue": enqueue,
    "status": status,
    "explain": explain,
    "runs": runs,
    "cancel": cancelJobs,
    "retry": retryJobs,
    "pause": pauseJobs,
    "resume": resumeJobs,
    "reset": resetJobs,
]
