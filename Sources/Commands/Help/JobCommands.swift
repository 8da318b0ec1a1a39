private let whose: [OptionSpec] = [
    .tenant, .user, .flag("all", "every user of the tenant that has the job"),
]

private func jobCommand(
    _ name: String, _ summary: String, extra: [OptionSpec] = []
) -> CommandSpec {
    CommandSpec(
        name, summary, positionals: [.job], options: whose + extra,
        rules: [.atMostOne(["user", "all"])],
        example: "jobrunner \(name) metube.refresh --tenant acme --user ann")
}

private func pauseCommand(_ name: String, _ summary: String) -> CommandSpec {
    CommandSpec(
        name, summary,
        positionals: [
            PositionalSpec(
                name: "JOB", count: .optional, help: "name of the job; every job if not given")
        ],
        options: [
            .tenant, .user,
            .flag("all", "every user of the tenant; without JOB also those added later"),
        ],
        rules: [.atMostOne(["user", "all"])],
        example: "jobrunner \(name) metube.refresh --tenant acme --user ann")
}

/// What an operator does to jobs.
let jobCommands = [
    jobCommand("cancel", "Ask the run that is under way to stop, keeping what it committed"),
    jobCommand("retry", "Forget failures, backoff and quarantine, and make the job due now"),
    CommandSpec(
        "close-breaker",
        "Ask a source now that was found away: close its breaker and make due what that put off",
        positionals: [PositionalSpec(name: "SOURCE", count: .one, help: "id of the source")],
        options: [.tenant], example: "jobrunner close-breaker metube-hub --tenant acme"),
    pauseCommand("pause", "Start no run of a job, a user or a tenant until it is resumed"),
    pauseCommand("resume", "Let what was paused run again"),
    CommandSpec(
        "period", "Set how often a job is due for a user, or for every user of a tenant",
        positionals: [.job],
        options: [
            .tenant,
            .value("user", "KEY", "key of the user; every user of the tenant if not given"),
            .value("every", "SPAN", as: .duration, "from 1s to 366d"),
            .flag("usual", "as often as the tenant's other users have it, or as its file says"),
        ],
        rules: [.exactlyOne(["every", "usual"])],
        example: "jobrunner period metube.refresh --tenant acme --user ann --every 1d"),
    jobCommand(
        "reset", "Forget the checkpoints, so that the next run reads everything from the start",
        extra: [.value("entity", "E", "only this entity")]),
    jobCommand(
        "repair",
        "Read everything, send anew what the source lacks, and read it again; unsent edits stay"),
]
