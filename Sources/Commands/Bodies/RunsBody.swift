import JSON
import JobQueue

/// Runs that are listed unless more are asked for.
private let runsUsual = 50

/// `jobrunner runs`.
func runs(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    var filter = RunFilter(limit: arguments.integer("limit") ?? runsUsual)
    filter.tenant = arguments.text("tenant")
    filter.user = arguments.text("user")
    filter.job = arguments.positionals.first
    filter.outcome = arguments.text("outcome")
    filter.since = arguments.duration("since")
    if let number = try runNumber(arguments) { return try await show(number, arguments, context) }
    if arguments.has("follow") { return try await follow(filter, arguments, context) }
    let asked = filter
    let rows = try await context.withQueue { try await $0.runs(asked) }
    try context.show(Table(runColumns, of: rows), asJSON: arguments.has("json"))
    return .ok
}

private let runColumns: [Table.Column] = [
    .number("run"), .name("tenant"), .name("user"), .name("job"), .name("outcome"),
    .time("ended_at", "ended"), .span("took_seconds", "took"), .span("waited_seconds", "waited"),
    .number("pages", "pages"), .number("fetched", "fetched"), .number("inserted", "inserted"),
    .number("updated", "updated"), .number("deleted", "deleted"), .number("swept", "swept"),
    .name("error_kind"), .prose("error"), .detail("requests"), .detail("entities"),
]

/// The number of the one run that is meant: no job is named by digits alone.
private func runNumber(_ arguments: ParsedArguments) throws(UsageError) -> Int? {
    guard let word = arguments.positionals.first, word.allSatisfy({ ("0"..."9").contains($0) })
    else { return nil }
    func mistake(_ message: String) -> UsageError { UsageError(command: "runs", message: message) }
    for option in ["tenant", "user", "outcome", "since", "limit", "follow"]
    where arguments.has(option) {
        throw mistake("run \(word) is one run; --\(option) chooses among many")
    }
    guard let number = Int(word) else {
        throw mistake("RUN is \(quoted(word)); expected a number up to \(Int.max)")
    }
    return number
}

private func show(
    _ number: Int, _ arguments: ParsedArguments, _ context: Context
) async throws -> ExitCode {
    guard let run = try await context.withQueue({ try await $0.run(number) }) else {
        throw Failure(
            .data,
            "the history has no run \(number): it goes on, or found nothing new, or is too old; the log tells"
                + " of each run")
    }
    if arguments.has("json") {
        try context.output.print(run.text + "\n")
        return .ok
    }
    try context.say(runLine(run))
    for line in runDetails(run) { try context.say(line) }
    let counters = counterTable(run)
    if !counters.rows.isEmpty {
        try context.output.print("\n" + counters.text(width: context.output.screen.width))
    }
    return .ok
}

/// When it was due and begun, where it ran, and what went wrong.
func runDetails(_ run: JSONValue) -> [String] {
    let host = run.text("host").isEmpty ? "" : " on \(run.text("host"))"
    let worker = run.text("worker_id").isEmpty ? "" : " by worker \(run.text("worker_id"))\(host)"
    var lines = [
        "due at \(timeWords(run.text("scheduled_at"))), begun \(span(run, "waited_seconds")) later\(worker);"
            + " \(counted(run["requests"]?.int ?? 0, "request"))"
    ]
    if !run.text("error_kind").isEmpty {
        lines.append("error: \(run.text("error_kind")): \(run.text("error"))")
    }
    return lines
}

/// What the run counted, all together and for each entity; of counters only those that counted something.
func counterTable(_ run: JSONValue) -> Table {
    guard case .object(let all) = run["counters"] ?? .null else { return Table([]) }
    let names = all.filter { ($0.value.int ?? 0) > 0 }.map(\.name)
    guard !names.isEmpty else { return Table([]) }
    var table = Table([.name("entity")] + names.map { .number($0) })
    if case .object(let entities) = run["entities"] ?? .null {
        for entity in entities {
            table.add([.string(entity.name)] + names.map { entity.value[$0] ?? .null })
        }
    }
    table.add([.string("all")] + names.map { run["counters"]?[$0] ?? .null })
    return table
}

/// `2026-11-24 20:11:00 UTC run 8001: demo.items of user ann of tenant acme ended complete after 2.3 s: 60 fetched`.
func runLine(_ run: JSONValue) -> String {
    let user = run.text("user")
    let owner =
        user == tenantsOwnKey
        ? "tenant \(run.text("tenant"))" : "user \(user) of tenant \(run.text("tenant"))"
    let numbers = ["pages", "fetched", "inserted", "updated", "deleted", "swept"].compactMap {
        name in
        let count = run[name]?.int ?? 0
        if count == 0 { return nil as String? }
        return name == "pages" ? counted(count, "page") : "\(count) \(name)"
    }
    return
        "\(timeWords(run.text("ended_at"))) run \(run.text("run")): \(run.text("job")) of \(owner) ended"
        + " \(run.text("outcome")) after \(span(run, "took_seconds")): "
        + (numbers.isEmpty ? "nothing new" : numbers.joined(separator: ", "))
}

private func span(_ run: JSONValue, _ name: String) -> String {
    spanWords(seconds: run[name]?.numberText.flatMap { Double($0) } ?? 0)
}

/// Between two polls; a run that has ended is told that much later.
private let followPause = Duration.seconds(1)

/// Tells runs as they end, each once; only a signal or an error ends it.
private func follow(
    _ filter: RunFilter, _ arguments: ParsedArguments, _ context: Context
) async throws -> ExitCode {
    let isJSON = arguments.has("json")
    let progress = ProgressLine()
    return try await context.withQueue { queue in
        var reader = try await queue.runReader(filter)
        while true {
            progress.show("waiting for runs that end; Ctrl-C ends it")
            try await reader.read(filter) { runs in
                progress.clear()
                for run in runs {
                    if isJSON {
                        try context.output.print(run.text + "\n")
                    } else {
                        let error = run.text("error")
                        try context.say(runLine(run) + (error.isEmpty ? "" : "; \(error)"))
                    }
                }
            }
            try await Task.sleep(for: followPause)
        }
    }
}
