private let name = PositionalSpec(name: "NAME", count: .one, help: "name of the tenant")

/// As the table's constraint says.
private let weightMax = 1000
private let runningMax = 10_000

private let settings: [OptionSpec] = [
    .repeated("job", "JOB", "job that the tenant's users get"),
    .value("weight", "N", as: .integer(1...weightMax), "share of the slots against other tenants"),
    .value("max-running", "N", as: .integer(1...runningMax), "most runs at once"),
    .repeated(
        "source", "ID=URL", as: .assignment(.url), "base address of a source for this tenant"),
    .secret, .origin,
]

private let changes =
    settings + [
        .value(
            "within", "SPAN", as: .duration,
            "spread the first runs of --job over it, behind everything else of the tenant"),
        .flag("unlimited", "take the limit of --max-running away"),
        .repeated("take-job", "JOB", "job to take from the tenant and its users"),
        .flag("with-rows", "delete what the taken jobs have synced, too"),
    ]

/// What an operator does to tenants.
let tenantCommands = [
    CommandSpec(
        "tenant add", "Add a tenant", positionals: [name], options: settings,
        example:
            "jobrunner tenant add acme --job metube.refresh --source hub=https://hub.acme.example"
    ),
    CommandSpec(
        "tenant list", "List the tenants", options: [.json], example: "jobrunner tenant list"),
    CommandSpec(
        "tenant set", "Change a tenant; what isn't named stays", positionals: [name],
        options: changes,
        rules: [
            .atMostOne(["max-running", "unlimited"]), .needs("with-rows", "take-job"),
            .needs("within", "job"),
            .some(changes.map(\.name)),
        ],
        loss: .with("with-rows", "tenant", "without what the taken jobs have synced"),
        example: "jobrunner tenant set acme --weight 5 --max-running 20"),
    CommandSpec(
        "tenant remove", "Remove a tenant with its users, secrets and synced data",
        positionals: [name], options: [.json],
        loss: .always("tenant", "with its users, secrets and synced data"),
        example: "jobrunner tenant remove acme"),
]
