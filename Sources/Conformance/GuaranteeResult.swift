public import JSON

/// Whether a job holds one guarantee.
public struct GuaranteeResult: Sendable, Equatable {
    /// What the suite found.
    public enum Verdict: Sendable, Equatable {
        case holds
        case fails(String)
        case cannotBeJudged(String)
    }

    /// One of the guarantees of `GuaranteeSuite`.
    public var guarantee: Guarantee
    /// What the suite found.
    public var verdict: Verdict

    /// `holds: …`, `does not hold: … (why)` or `can't be judged: … (why)`.
    public var line: String {
        switch verdict {
        case .holds: "holds: \(guarantee.words)"
        case .fails(let why): "does not hold: \(guarantee.words): \(why)"
        case .cannotBeJudged(let why): "can't be judged: \(guarantee.words): \(why)"
        }
    }

    /// For scripts: `guarantee`, `verdict` and `why`.
    public var json: JSONValue {
        let (word, why): (String, String?) =
            switch verdict {
            case .holds: ("holds", nil)
            case .fails(let why): ("does_not_hold", why)
            case .cannotBeJudged(let why): ("cannot_be_judged", why)
            }
        return .object([
            JSONMember("guarantee", .string(guarantee.rawValue)),
            JSONMember("verdict", .string(word)),
            JSONMember("why", why.map { .string($0) } ?? .null),
        ])
    }
}
