import Postgres

/// `jobrunner roles`: what only a database administrator may do, as statements for psql.
///
/// It asks no database, so that it can be read before anything is made. What is there already is left as it is.
func printRoles(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let named = try context.settings.databaseConfiguration().named
    let database = arguments.text("database") ?? named.database ?? "jobrunner"
    let owner = arguments.text("owner") ?? named.role ?? "jobrunner"
    let prefix = arguments.text("roles") ?? database
    guard (prefix + "_application").utf8.count <= 63 else {
        throw Failure(
            .usage,
            "'\(prefix)_application' is longer than the 63 bytes that a role's name may have: give a shorter --roles"
                + " PREFIX, here and to migrate")
    }
    try context.output.print(
        RoleScript(
            database: database, owner: owner, prefix: prefix,
            applications: arguments.texts("application")
        ).text)
    return .ok
}

/// The roles of an installation, and who may connect to its database.
private struct RoleScript {
    let database: String
    let owner: String
    let prefix: String
    let applications: [String]

    /// The kinds of group, with the login that the program uses as a member of it.
    private static let kinds: [(kind: String, login: String?)] = [
        ("worker", "work"), ("operator", "operate"), ("reader", "serve"), ("application", nil),
    ]

    var text: String {
        ([
            "-- For psql, as a superuser, in any database of the server. Whatever is there already is left as it is.",
            "-- The logins get their passwords from you: \\password NAME asks for one, and sends no statement with it.",
        ] + roles + databases + applicationLogins).map { $0 + "\n" }.joined()
    }

    private var roles: [String] {
        role(owner, "login") + Self.kinds.flatMap { role(group($0.kind), "nologin") }
            + Self.kinds.flatMap { kind, login in
                login.map { role("\(prefix)_\($0)", "login in role \(identifier(group(kind)))") }
                    ?? []
            }
    }

    private var databases: [String] {
        let groups = Self.kinds.map { identifier(group($0.kind)) }.joined(separator: ", ")
        return [database, database + "_scratch"].flatMap { name in
            [
                "select \(literal("create database \(identifier(name)) owner \(identifier(owner))"))"
                    + " where not exists (select from pg_database where datname = \(literal(name))) \\gexec",
                "revoke connect, temporary on database \(identifier(name)) from public;",
            ]
        } + ["grant connect on database \(identifier(database)) to \(groups);"]
    }

    /// An application is of no tenant before an operator says of which.
    private var applicationLogins: [String] {
        applications.flatMap { login in
            role(login, "login in role \(identifier(group("application")))")
                + ["-- Then, as an operator: jobrunner application add \(login) --tenant T"]
        }
    }

    private func group(_ kind: String) -> String { "\(prefix)_\(kind)" }

    private func role(_ name: String, _ rest: String) -> [String] {
        [
            "select \(literal("create role \(identifier(name)) \(rest)"))"
                + " where not exists (select from pg_roles where rolname = \(literal(name))) \\gexec"
        ]
    }
}

private func identifier(_ name: String) -> String {
    "\"\(name.replacing("\"", with: "\"\""))\""
}

private func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
