private let key = PositionalSpec(name: "KEY", count: .one, help: "key of the user in its tenant")

/// Users that one answer may list.
private let usersMax = 100_000

private let settings: [OptionSpec] = [
    .tenant,
    .repeated(
        "set", "NAME=VALUE", as: .assignment(.text),
        "attribute that job files refer to, always a text"),
    .secret, .origin,
    .repeated(
        "list", "NAME=@FILE", as: .assignment(.file),
        "list of ids from a file, one a line; replaces it"
    ),
]

/// What an operator does to users.
let userCommands = [
    CommandSpec(
        "user add", "Add a user to a tenant, with the tenant's jobs", positionals: [key],
        options: settings,
        example: "jobrunner user add ann --tenant acme --set region=eu --secret token=@ann.token"),
    CommandSpec(
        "user import",
        "Add as many users as a file has lines, each a key or a JSON object with key, attributes and secrets",
        positionals: [
            PositionalSpec(name: "FILE", count: .one, help: "the file; - for standard input")
        ],
        options: [
            .tenant, .origin,
            .value(
                "within", "SPAN", as: .duration,
                "spread their first runs over it, behind everything else of the tenant"),
        ],
        example: "jobrunner user import users.txt --tenant acme --within 6h"),
    CommandSpec(
        "user set", "Change a user; what isn't named stays", positionals: [key],
        options: settings, rules: [.some(["set", "secret", "list"])],
        example: "jobrunner user set ann --tenant acme --list channel_ids=@channels.txt"),
    CommandSpec(
        "user list", "List the users",
        options: [
            .tenantFilter,
            .value(
                "limit", "N", as: .integer(1...usersMax), "most users to list; 100 if not given"),
            .json,
        ],
        example: "jobrunner user list --tenant acme"),
    CommandSpec(
        "user export", "Print everything of a user that a person may have, a line of JSON each",
        positionals: [key], options: [.tenant],
        example: "jobrunner user export ann --tenant acme"),
    CommandSpec(
        "user remove", "Remove a user with its secrets and synced data", positionals: [key],
        options: [.tenant, .json], loss: .always("user", "with its secrets and synced data"),
        example: "jobrunner user remove ann --tenant acme"),
]
