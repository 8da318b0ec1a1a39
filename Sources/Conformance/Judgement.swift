public import JSON

/// What the battery found of one guarantee.
public struct Judgement: Sendable, Equatable {
    /// What was found.
    public enum Finding: Sendable, Equatable {
        case holds
        case fails(String)
        case unjudged(String)
    }
    /// One of the guarantees of `Battery`.
    public var guarantee: Guarantee
    /// What was found.
    public var finding: Finding

    /// `holds: …`, `does not hold: … (why)` or `can't be judged: … (why)`.
    public var line: String {
        switch finding {
        case .holds: "holds: \(guarantee.words)"
        case .fails(let why): "does not hold: \(guarantee.words): \(why)"
        case .unjudged(let why): "can't be judged: \(guarantee.words): \(why)"
        }
    }

    /// For scripts: `guarantee`, `verdict` and `why`.
    public var json: JSONValue {
        let (word, why): (String, String?) =
            switch finding {
            case .holds: ("holds", nil)
            case .fails(let why): ("does_not_hold", why)
            case .unjudged(let why): ("cannot_be_judged", why)
            }
        return .object([
            JSONMember("guarantee", .string(guarantee.rawValue)),
            JSONMember("verdict", .string(word)),
            JSONMember("why", why.map { .string($0) } ?? .null),
        ])
    }
}

/// What a job should hold, in the order it is tried.
public enum Guarantee: String, Sendable, CaseIterable {
    case counters
    case unchangedWritesNothing = "unchanged_writes_nothing"
    case resumes
    case watermarkWaits = "watermark_waits"
    case orderIndependence = "order_independence"
    case emptyPageGoesOn = "empty_page_goes_on"
    case repeatedPositionFails = "repeated_position_fails"

    /// In words for people.
    public var words: String {
        switch self {
        case .counters: "the counters add up to the records that came"
        case .unchangedWritesNothing: "a second run on unchanged data writes no row version"
        case .resumes:
            "a run that was cut off goes on with the same rows, and reads one page twice at most"
        case .watermarkWaits: "watermark and sync token stay while a pass is unfinished"
        case .orderIndependence: "the order of a page's records does not matter"
        case .emptyPageGoesOn: "an empty page does not end a pass"
        case .repeatedPositionFails: "a repeated position is an error, and what came before stays"
        }
    }
}

/// Why the battery could not be run at all.
public struct BatteryError: Error {
    /// Whose fault it is.
    public enum Cause: Sendable {
        /// The source does not answer, or wants patience.
        case sourceIsAway
        /// The job can't be run as it was asked for: an attribute, a secret or the file is wrong.
        case jobDoesNotRun
        /// Recordings can't be read, or lack a request.
        case recordings
    }
    /// Whose fault it is.
    public var cause: Cause
    /// For people; holds no secret.
    public var message: String
}
