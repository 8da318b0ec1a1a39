/// Runs of one worker at once, which wait for sources most of their time.
private let concurrencyMax = 10_000

/// What makes jobs run.
let runCommands = [
    CommandSpec(
        "worker", "Claim due jobs and run them until told to stop",
        options: [
            .value(
                "concurrency", "N", as: .integer(1...concurrencyMax), "most runs at once"),
            .flag("drain", "exit when nothing is due or running"),
            .value(
                "lease", "SPAN", as: .duration,
                "silence after which others take this worker's jobs, and after which it takes"
                    + " theirs; the same for all workers (15s)"),
        ],
        example: "jobrunner worker --concurrency 50"),
    CommandSpec(
        "enqueue", "Make a job due now", positionals: [.job],
        options: [
            .tenant, .user,
            .flag("all", "every user of the tenant that has the job"),
            .flag("full", "read everything again instead of what changed"),
            .value("entity", "E", "only this entity"),
            .flag("force", "whatever backoff, block or minimum gap holds it back"),
            .flag(
                "wait",
                "until the runs ended, and those that follow a partial one; exit 1 unless complete;"
                    + " Ctrl-C ends the waiting, not the run"),
        ],
        rules: [.exactlyOne(["user", "all"])],
        example: "jobrunner enqueue metube.refresh --tenant acme --user ann --wait"),
]
