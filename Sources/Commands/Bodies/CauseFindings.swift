import JSON
import JobQueue

/// What keeps the users of one tenant from being synced from one source.
struct Cause: Equatable {
    /// Causes that are told beside those of whole tenants, which are told up to `wholeMax`.
    private static let toldMax = 20
    private static let wholeMax = 100

    let source: String
    let tenant: String
    let isUrgent: Bool
    let isWhole: Bool
    let words: String
    let hint: String

    /// Reads a row of view `causes`.
    init(_ row: JSONValue) {
        source = row.text("source")
        tenant = row.text("tenant")
        isUrgent = row["is_urgent"]?.bool ?? true
        isWhole = row["is_whole"]?.bool ?? false
        hint = row.text("hint")
        let count = row["users"]?.int ?? 0
        let more = row["may_be_more"]?.bool == true ? " or more" : ""
        let meaning = row.text("words").isEmpty ? row.text("error_kind") : row.text("words")
        let error = row.text("error")
        let lasting = row["lasting_seconds"]?.numberText.flatMap { Double($0) }
        words =
            "\(row.text("source")) of tenant \(row.text("tenant")) \(meaning): "
            + (count == 1 && more.isEmpty ? "1 user" : "\(count)\(more) users")
            + (isWhole ? ", nobody is well" : "")
            + (lasting.map { ", the first since \(spanWords(seconds: $0))" } ?? "")
            + "; such as \(row.text("user")) with \(row.text("job"))"
            + (error.isEmpty ? "" : ": \(error)")
    }

    var finding: Finding {
        Finding(isUrgent ? .error : .warning, "cause", words, hint: hint.isEmpty ? nil : hint)
    }

    /// The worst, and every one that a whole tenant has; the last line counts the rest.
    static func findings(_ rows: [JSONValue]) -> [Finding] {
        let causes = rows.map(Cause.init)
        let whole = causes.filter(\.isWhole).prefix(wholeMax)
        let others = causes.filter { !$0.isWhole }.prefix(toldMax)
        let rest = causes.count - whole.count - others.count
        let told = (whole + others).map(\.finding)
        guard rest > 0 else { return told }
        return told + [
            Finding(
                .warning, "cause", "\(counted(rest, "cause")) more",
                hint: "all are in view jobrunner.causes")
        ]
    }
}

/// What keeps users from being synced; of a count that nobody has renewed, when that was.
func causeFindings(_ answers: HealthAnswers) -> [Finding] {
    let findings = Cause.findings(answers[.causes] ?? [])
    guard let ago = staleCountWords(answers) else { return findings }
    return findings.map { Finding(.info, $0.about, "\(ago): \($0.what)", hint: $0.hint) }
}

/// The same for whoever asks often: one cause is nothing that wakes anybody.
func causesOfHealth(_ answers: HealthAnswers) -> [Finding] {
    causeFindings(answers).map { cause in
        Finding(max(cause.severity, .warning), cause.about, cause.what, hint: cause.hint)
    }
}
