/// Runs of one worker at once, which wait for sources most of their time.
private let concurrencyMax = 10_000

/// A dry run's pages are all in memory at once.
private let dryPagesMax = 1000

/// Pages of an entity that a dry run fetches unless more are asked for.
let dryPagesUsual = 10

/// What makes jobs run.
let runCommands = [
    CommandSpec(
        "worker", "Claim due jobs and run them until told to stop",
        options: [
            .value(
                "concurrency", "N", as: .integer(1...concurrencyMax), setting: .concurrency,
                "most runs at once"),
            .value(
                "reserve", "N", as: .integer(0...concurrencyMax), setting: .reserve,
                "of them for tenants whose runs take a second at most, so that slow sources do not hold"
                    + " all (an eighth)"),
            .value(
                "connections", "N", as: .integer(2...9), setting: .connections,
                "to the database: one to listen, the others for the work"),
            .flag("drain", "exit when nothing is due or running"),
            .value(
                "lease", "SPAN", as: .duration, setting: .lease,
                "silence after which others take this worker's jobs, and after which it takes"
                    + " theirs; the same for all workers"),
            .value(
                "metrics", "ADDRESS", as: .address(mayBeNone: true), setting: .metrics,
                "answer /metrics, /livez and /readyz there, such as 127.0.0.1:9464; none: nowhere"),
        ],
        example: "jobrunner worker --concurrency 50"),
    CommandSpec(
        "serve",
        "Answer with pages, /metrics, /livez, /readyz and /views over HTTP until told to stop",
        options: [
            .value(
                "listen", "ADDRESS", as: .address(mayBeNone: false), setting: .listen,
                "where to listen"),
            .flag(
                "actions",
                "let those act on the pages who have signed in and whom jobrunner person add has given a role that may"
            ),
        ],
        example: "jobrunner serve --listen 127.0.0.1:9465"),
    CommandSpec(
        "enqueue", "Make a job due now", positionals: [.job],
        options: [
            .tenant, .user,
            .flag("all", "every user of the tenant that has the job"),
            .flag("full", "read everything again instead of what changed"),
            .value("entity", "E", "only this entity"),
            .flag(
                "force", "whatever backoff, open breaker, minimum gap or freshness holds it back"),
            .flag(
                "wait",
                "until the runs ended, and those that follow a partial one; exit 1 unless complete;"
                    + " Ctrl-C ends the waiting, not the run; with freshness, waits only if the"
                    + " rows are too old to use"),
        ],
        rules: [.atMostOne(["user", "all"])],
        example: "jobrunner enqueue metube.refresh --tenant acme --user ann --wait"),
    CommandSpec(
        "dry-run",
        "Fetch as a run of a job would, and show what it would write instead of writing it",
        positionals: [.job],
        options: [
            .tenant, .user,
            .value(
                "pages", "N", as: .integer(1...dryPagesMax),
                "most pages to fetch of each entity; \(dryPagesUsual) if not given"),
            .flag("full", "as a full pass, with the rows that its end would delete"),
            .value("entity", "E", "only this entity"), .json,
        ],
        example: "jobrunner dry-run metube.refresh --tenant acme --user ann --pages 2"),
    CommandSpec(
        "test",
        "Run a job in a scratch database and tell which guarantees it holds; exit 1 if one is not held",
        positionals: [.job],
        options: [
            .repeated(
                "set", "NAME=VALUE", as: .assignment(.text), "attribute of the user it runs for"),
            .secret,
            .repeated(
                "list", "NAME=@FILE", as: .assignment(.file), "list of ids, one a line"),
            .value("base", "URL", "address of the source in place of the job file's"),
            .value(
                "record", "DIR", "write each exchange into a file there, without any secret"),
            .value("replay", "DIR", "answer from such files instead of asking the source"),
            .json,
        ],
        rules: [.atMostOne(["record", "replay"])],
        example: "jobrunner test demo.items --set demo_id=user-000001 --record fixtures"),
    CommandSpec(
        "fresh",
        "Tell whether a job's rows may be used, and have old ones read again; exit 1 if to wait",
        positionals: [.job], options: [.tenant, .user, .json],
        example: "jobrunner fresh snapchef.refresh --tenant acme --user ann"),
    CommandSpec(
        "trigger", "Tell the jobs that wait for it that something happened",
        positionals: [
            PositionalSpec(name: "EVENT", count: .one, help: "word of the job files' triggers")
        ],
        options: [.tenant, .user, .json],
        example: "jobrunner trigger network_restored --tenant acme"),
]
