/// Runs that one answer may list.
private let limitMax = 10_000

/// What tells the state of things and changes nothing.
let questionCommands = [
    CommandSpec(
        "status",
        "Show how fresh and how well each tenant's jobs, or one user's jobs and entities, are",
        options: [
            .tenantFilter, .userFilter, .value("job", "JOB", "only this job"),
            .flag("watch", "show it again every second, on a terminal"), .json,
        ],
        rules: [.needs("user", "tenant"), .atMostOne(["watch", "json"])],
        example: "jobrunner status --tenant acme --watch"),
    CommandSpec(
        "explain", "Tell why a job is or isn't running, or print a job file expanded",
        positionals: [
            PositionalSpec(name: "JOB|FILE", count: .one, help: "name of a job, or a job file")
        ],
        options: [
            .value("tenant", "T", "name of the tenant, for a job"),
            .value("user", "KEY", "key of the user, for a job of its own"),
            .flag("sql", "of a job file: print the SQL that is made from it"),
        ],
        rules: [.needs("user", "tenant"), .atMostOne(["sql", "tenant"])],
        example: "jobrunner explain metube.refresh --tenant acme --user ann"),
    CommandSpec(
        "runs", "List ended runs, the latest first, or tell all of one",
        positionals: [
            PositionalSpec(
                name: "JOB|RUN", count: .optional,
                help: "only runs of this job, or the run of this number with its entities")
        ],
        options: [
            .tenantFilter, .userFilter,
            .value(
                "outcome", "WORD",
                as: .word(["complete", "partial", "deferred", "skipped", "needs_reauth", "failed"]),
                "only runs that ended so"),
            .value(
                "since", "SPAN", as: .duration, "only runs of the last SPAN, such as 90s, 2h or 1d"),
            .value("limit", "N", as: .integer(1...limitMax), "most runs to list; 50 if not given"),
            .flag("follow", "tell runs as they end, a line each, until interrupted"), .json,
        ],
        rules: [
            .needs("user", "tenant"), .atMostOne(["since", "follow"]),
            .atMostOne(["limit", "follow"]),
        ],
        example: "jobrunner runs --tenant acme --outcome failed --since 2h"),
    CommandSpec(
        "audit", "List who did what to whom, the latest first",
        options: [
            .tenantFilter, .userFilter,
            .value("login", "L", "only what this login did"),
            .value("verb", "V", "only calls of this verb, such as set_secret"),
            .value(
                "since", "SPAN", as: .duration, "only acts of the last SPAN, such as 90s, 2h or 1d"),
            .value("limit", "N", as: .integer(1...limitMax), "most acts to list; 50 if not given"),
            .json,
        ],
        rules: [.needs("user", "tenant")],
        example: "jobrunner audit --tenant acme --verb set_secret --since 1d"),
]
