private let signIn = PositionalSpec(
    name: "NAME", count: .one, help: "name of a token, or what the proxy calls whoever signs in")

/// Who acts on the pages of `serve`.
let personCommands = [
    CommandSpec(
        "person add", "Let somebody act on the pages of serve by a role of the database",
        positionals: [signIn],
        options: [
            .value(
                "role", "ROLE", required: true,
                "a role that the login of serve may take on, such as the operators'"),
            .value("name", "TEXT", "how the audit calls him; as he signs in if not given"),
        ],
        example: "jobrunner person add ann --role jobrunner_operator --name Ann"),
    CommandSpec(
        "person list", "List who acts on the pages of serve", options: [.json],
        example: "jobrunner person list"),
    CommandSpec(
        "person remove", "Take from somebody what he may do on the pages of serve",
        positionals: [signIn], example: "jobrunner person remove ann"),
]
