import JSON

/// One thing that `doctor` noticed.
struct Finding: Equatable {
    enum Severity: Int, Comparable {
        /// Somebody has to act.
        case error
        /// Somebody should look.
        case warning
        case info

        static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
    }

    let severity: Severity
    let about: String
    let what: String
    let hint: String?

    init(_ severity: Severity, _ about: String, _ what: String, hint: String? = nil) {
        self.severity = severity
        self.about = about
        self.what = what
        self.hint = hint
    }

    var line: String { "\(severity): \(about): \(what)" + (hint.map { "; \($0)" } ?? "") }

    var json: JSONValue {
        .object([
            JSONMember("severity", .string("\(severity)")), JSONMember("about", .string(about)),
            JSONMember("what", .string(what)),
            JSONMember("hint", hint.map { .string($0) } ?? .null),
        ])
    }
}
