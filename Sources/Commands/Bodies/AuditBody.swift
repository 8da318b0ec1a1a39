import JobQueue

/// Acts that are listed unless more are asked for.
private let actsUsual = 50

/// `jobrunner audit`.
func audit(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    var filter = AuditFilter(limit: arguments.integer("limit") ?? actsUsual)
    filter.tenant = arguments.text("tenant")
    filter.user = arguments.text("user")
    filter.login = arguments.text("login")
    filter.verb = arguments.text("verb")
    filter.since = arguments.duration("since")
    let asked = filter
    let rows = try await context.withQueue { try await $0.audit(asked) }
    let columns: [Table.Column] = [
        .time("at"), .name("login"), .name("role"), .name("verb"), .name("tenant"), .name("user"),
        .name("object"), .prose("detail"), .detail("id"), .detail("tenant_id"), .detail("user_id"),
    ]
    try context.show(Table(columns, of: rows), asJSON: arguments.has("json"))
    return .ok
}
