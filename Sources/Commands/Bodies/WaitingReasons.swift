import JSON
import JobQueue

/// Why some jobs do not run, as it was last counted.
struct WaitingReason: Equatable {
    /// The word of `jobrunner.waiting_reasons`.
    var reason: String
    var jobs: Int
    /// There were more than are looked at at once.
    var mayBeMore: Bool
    /// How long the one that waits longest does.
    var waitingSeconds: Double
    /// The tenant that has most of them, and how many.
    var worst: (tenant: String, jobs: Int)?

    static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    /// The reasons of all tenants together, those of most jobs first.
    static func all(_ rows: [JSONValue]) -> [WaitingReason] {
        let tenants = rows.filter { !$0.text("tenant").isEmpty }
        return rows.filter { $0.text("tenant").isEmpty }.map { row in
            let reason = row.text("reason")
            let worst = tenants.first { $0.text("reason") == reason }
            return WaitingReason(
                reason: reason, jobs: row["jobs"]?.int ?? 0,
                mayBeMore: row["may_be_more"]?.bool ?? false,
                waitingSeconds: row["waiting_seconds"]?.numberText.flatMap { Double($0) } ?? 0,
                worst: worst.map { ($0.text("tenant"), $0["jobs"]?.int ?? 0) })
        }
    }

    /// How much of a person's attention it needs.
    var severity: Finding.Severity {
        switch reason {
        case "job_file_missing": .error
        // Whoever asks for a run and starts no worker knows so for a while.
        case "no_worker": waitingSeconds > Self.lateSeconds ? .error : .warning
        case "breaker", "suspect", "credential", "quarantined", "backoff", "database", "key":
            .warning
        case "slots" where waitingSeconds > Self.lateSeconds: .warning
        default: .info
        }
    }

    /// A job that has been due for so long is late, whatever its period.
    private static let lateSeconds = 600.0

    /// `1,204 jobs wait for a credential (acme 1,000), the first since 3 h`.
    var words: String {
        let count =
            "\(jobs)\(mayBeMore ? " or more" : "") \(jobs == 1 && !mayBeMore ? "job" : "jobs")"
        let most = worst.map { " (\($0.tenant) \($0.jobs))" } ?? ""
        let verb = jobs == 1 && !mayBeMore ? singular : plural
        return "\(count) \(verb)\(most), the first since \(spanWords(seconds: waitingSeconds))"
    }

    private var plural: String { Self.phrases[reason]?.plural ?? "wait: \(reason)" }
    private var singular: String { Self.phrases[reason]?.singular ?? "waits: \(reason)" }

    /// What helps.
    var hint: String? { Self.phrases[reason]?.hint }

    private struct Phrase {
        let singular: String
        let plural: String
        let hint: String
    }

    private static func waits(_ rest: String, _ hint: String) -> Phrase {
        Phrase(singular: "waits \(rest)", plural: "wait \(rest)", hint: hint)
    }

    private static let phrases: [String: Phrase] = [
        "no_worker": waits("for a worker", "start one: jobrunner worker"),
        "job_file_missing": waits(
            "for a worker that has its job file", "is JOBRUNNER_JOBS of every worker the same?"),
        "breaker": waits(
            "for the breaker of a source that is away",
            "doctor names it; one request probes it now and then, jobrunner close-breaker at once"),
        "tenant_limit": waits("for its tenant's limit", "jobrunner tenant set --max-running"),
        "budget": waits("for its source's budget", "source.rate is what the source allows"),
        "suspect": waits(
            "for a turn alone, since it may have killed two workers",
            "each worker runs one such job at a time; look at what its runs have in common"),
        "slots": waits("for a slot", "more workers or a higher --concurrency"),
        "deferred": waits("as its source asked for", "the source's owner may raise its limit"),
        "backoff": waits("after a failure", "jobrunner doctor says what failed"),
        "database": waits("for our own database", "look at its log and at its load"),
        "key": waits(
            "for a key that workers lack",
            "doctor names it; give the workers the key file that has it"),
        "turn": waits(
            "for a turn with a credential, or for memory of workers",
            "they go on by themselves; more workers have more memory"),
        "paused": Phrase(
            singular: "is paused", plural: "are paused", hint: "jobrunner resume lets them go on"),
        "credential": waits(
            "for a credential", "jobrunner user set --secret or jobrunner retry wakes them"),
        "quarantined": Phrase(
            singular: "is set aside", plural: "are set aside",
            hint: "mend the cause, then jobrunner retry"),
    ]
}

/// What waits, each reason with what helps; of a count that nobody has renewed only that, and its age.
func reasonFindings(_ answers: HealthAnswers) -> [Finding] {
    let reasons = WaitingReason.all(answers[.waiting] ?? [])
    guard let ago = staleCountWords(answers) else {
        return reasons.map { Finding($0.severity, "waiting", $0.words, hint: $0.hint) }
    }
    return [
        Finding(
            .warning, "waiting", "what waits was last counted \(ago)",
            hint: "a worker counts it once a minute, and doctor at once")
    ] + reasons.map { Finding(.info, "waiting", "\(ago): \($0.words)", hint: $0.hint) }
}

/// `3 min ago`, of a count that may not be told as now; nil for a fresh one.
///
/// Counted while a worker lived it tells of jobs that waited for that worker, and nobody counts them again.
func staleCountWords(_ answers: HealthAnswers) -> String? {
    let counting = answers[.counting]?.first
    let age = counting?["counted_seconds"]?.numberText.flatMap { Double($0) }
    let isOfTheDead = counting?["is_of_the_dead"]?.bool ?? false
    guard let age, age > countSecondsMax || isOfTheDead else { return nil }
    return "\(spanWords(seconds: age)) ago"
}

/// A count that is older than this is not believed: it is made each minute.
private let countSecondsMax = 150.0
