private let login = PositionalSpec(
    name: "LOGIN", count: .one, help: "role by which the application logs in to the database")

/// What an operator does to applications.
let applicationCommands = [
    CommandSpec(
        "application add", "Make a login of the database an application of one tenant",
        positionals: [login], options: [.tenant],
        example: "jobrunner application add acme_app --tenant acme"),
    CommandSpec(
        "application list", "List the logins that are applications",
        options: [.tenantFilter, .json], example: "jobrunner application list --tenant acme"),
    CommandSpec(
        "application remove", "Take a login from the tenant whose application it is",
        positionals: [login], example: "jobrunner application remove acme_app"),
]
