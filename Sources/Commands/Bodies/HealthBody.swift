import JSON
import JobQueue
import Postgres
import Schema

/// `jobrunner health`: one line, and an exit code for whoever asks often.
///
/// It reads what was counted, and counts nothing itself.
func health(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let findings: [Finding]
    do {
        findings = try await context.withDatabase { database in
            do { try await Migrator(database: database).check() } catch let error as SchemaError {
                return [Finding(.error, "schema", error.description)]
            }
            let questions: [HealthQuestion] = [.server, .workers, .causes, .waiting, .counting]
            let answers = try await Queue(database).examine(questions)
            return serverFindings(answers) + healthOfJobs(answers)
        }
    } catch {
        findings = Failure(error).lines.map { Finding(.error, "database", $0) }
    }
    let verdict = HealthVerdict(findings)
    if arguments.has("json") {
        try context.output.print(verdict.json.text + "\n")
    } else {
        try context.say(verdict.line)
    }
    return verdict.exitCode
}

/// Workers and what waits; doctor looks at more, and is content without a worker.
func healthOfJobs(_ answers: HealthAnswers) -> [Finding] {
    let workers = workerFindings(answers[.workers] ?? [])
    let isAnyAlive = workers.contains { $0.severity == .info }
    return (isAnyAlive ? workers : [Finding(.error, "workers", "none is alive")])
        + causesOfHealth(answers) + reasonFindings(answers)
}

/// How it is with everything, in a word and the three worst reasons.
struct HealthVerdict: Equatable {
    private static let reasonsMax = 3

    let severity: Finding.Severity
    let reasons: [String]

    /// What doctor found, the worst first; of one severity in their order.
    init(_ findings: [Finding]) {
        severity = findings.map(\.severity).min() ?? .info
        let worst = findings.enumerated().sorted {
            ($0.element.severity, $0.offset) < ($1.element.severity, $1.offset)
        }
        reasons = worst.prefix(Self.reasonsMax).map {
            "\($0.element.about): \($0.element.what)"
        }
    }

    var word: String {
        switch severity {
        case .error: "urgent"
        case .warning: "degraded"
        case .info: "healthy"
        }
    }

    var line: String { ([word + ":"] + [reasons.joined(separator: "; ")]).joined(separator: " ") }

    var json: JSONValue {
        .object([
            JSONMember("verdict", .string(word)),
            JSONMember("reasons", .array(reasons.map { .string($0) })),
        ])
    }

    var exitCode: ExitCode {
        switch severity {
        case .error: .urgent
        case .warning: .failure
        case .info: .ok
        }
    }
}
