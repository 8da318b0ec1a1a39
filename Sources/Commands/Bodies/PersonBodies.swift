import JobQueue

/// `jobrunner person add`.
func addPerson(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let (name, role) = (arguments.subject, arguments.required("role"))
    let person = arguments.text("name") ?? name
    let isNew = try await context.withQueue {
        try await $0.addPerson(name, role: role, person: person)
    }
    try context.say(
        "whoever signs in as \(name) acts by role \(role) \(isNew ? "now" : "already")")
    return .ok
}

/// `jobrunner person list`.
func listPeople(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let rows = try await context.withQueue { try await $0.people() }
    let columns: [Table.Column] = [
        .name("sign_in", "signs in as"), .name("role"), .prose("person"),
        .time("added_at", "added"),
    ]
    try context.show(Table(columns, of: rows), asJSON: arguments.has("json"))
    return .ok
}

/// `jobrunner person remove`.
func removePerson(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let name = arguments.subject
    try await context.withQueue { try await $0.removePerson(name) }
    try context.say("whoever signs in as \(name) acts by no role any more")
    return .ok
}
