/// How a source writes a time: one of the forms with a name, or a pattern.
public enum TimeFormat: Sendable, Equatable, Hashable {
    case iso8601
    case epochSeconds
    case epochMilliseconds
    case pattern(TimePattern)

    /// A day, as most sources write it.
    static let day = (try? TimePattern("yyyy-MM-dd")).map { TimeFormat.pattern($0) } ?? .iso8601

    /// The forms with a name.
    static let names = ["iso8601", "epoch_s", "epoch_ms"]

    init?(named name: String) {
        switch name {
        case "iso8601": self = .iso8601
        case "epoch_s": self = .epochSeconds
        case "epoch_ms": self = .epochMilliseconds
        default: return nil
        }
    }

    /// The least that lies between two times which it writes differently.
    var step: Duration {
        guard case .pattern(let pattern) = self else { return .seconds(1) }
        let pieces = pattern.pieces
        if pieces.contains(.second) { return .seconds(1) }
        if pieces.contains(.minute) { return .minutes(1) }
        let hasHour = pieces.contains {
            switch $0 {
            case .hour, .hourOfHalf: true
            default: false
            }
        }
        return hasHour ? .minutes(60) : .days(1)
    }

    /// As a job file writes it.
    public var text: String {
        switch self {
        case .iso8601: "iso8601"
        case .epochSeconds: "epoch_s"
        case .epochMilliseconds: "epoch_ms"
        case .pattern(let pattern): pattern.text
        }
    }
}

/// A time as a source writes it, such as `dd/MM/yyyy HH:mm`.
public struct TimePattern: Sendable, Equatable, Hashable {
    /// What stands at one place.
    public enum Piece: Sendable, Equatable, Hashable {
        case year
        /// Of one digit or two where it may be short.
        case month(mayBeShort: Bool)
        case monthName
        case weekdayName
        case day(mayBeShort: Bool)
        case hour(mayBeShort: Bool)
        /// From 1 to 12, beside `half`.
        case hourOfHalf(mayBeShort: Bool)
        case half
        case minute, second
        /// With so many digits where it is written.
        case fraction(digits: Int)
        case offset
        case literal(String)
    }

    /// As the file has it.
    public let text: String
    /// In their order.
    public let pieces: [Piece]

    /// The time names its distance to UTC.
    public var hasOffset: Bool { pieces.contains(.offset) }

    /// Reads a pattern; throws `Problem`.
    init(_ text: String) throws(Problem) {
        self.text = text
        var pieces: [Piece] = []
        var rest = Substring(text)
        while let first = rest.first {
            let run = rest.prefix { $0 == first }
            if first == "'" {
                rest.removeFirst()
                guard let end = rest.firstIndex(of: "'") else {
                    throw Problem("a text in ' has no end")
                }
                pieces.append(.literal(String(rest[..<end])))
                rest = rest[rest.index(after: end)...]
            } else if first.isASCII, first.isLetter {
                pieces.append(try Self.piece(String(run)))
                rest = rest[run.endIndex...]
            } else {
                pieces.append(.literal(String(first)))
                rest.removeFirst()
            }
        }
        self.pieces = pieces
        try check()
    }

    /// What makes a text no pattern.
    struct Problem: Error {
        let words: String
        init(_ words: String) { self.words = words }
    }

    private static func piece(_ letters: String) throws(Problem) -> Piece {
        switch letters {
        case "yyyy": return .year
        case "MM", "M": return .month(mayBeShort: letters == "M")
        case "MMM": return .monthName
        case "EEE": return .weekdayName
        case "dd", "d": return .day(mayBeShort: letters == "d")
        case "HH", "H": return .hour(mayBeShort: letters == "H")
        case "hh", "h": return .hourOfHalf(mayBeShort: letters == "h")
        case "a": return .half
        case "mm": return .minute
        case "ss": return .second
        case "XXX": return .offset
        default:
            if letters.allSatisfy({ $0 == "S" }) { return .fraction(digits: letters.count) }
            throw Problem(
                "\"\(letters)\" stands for nothing; expected yyyy, MM, M, MMM, dd, d, EEE, HH, H, hh, h, a, mm, ss, S or "
                    + "XXX, and other letters in '")
        }
    }

    private func check() throws(Problem) {
        let kinds = pieces.compactMap(\.kind)
        if let twice = kinds.first(where: { kind in kinds.count { $0 == kind } > 1 }) {
            throw Problem("the \(twice) stands there twice")
        }
        for needed in ["year", "month", "day"] where !kinds.contains(needed) {
            throw Problem("there is no \(needed), so that it is no point in time")
        }
        for (kind, needed) in [("minute", "hour"), ("second", "minute"), ("fraction", "second")]
        where kinds.contains(kind) && !kinds.contains(needed) {
            throw Problem("there is a \(kind) without \(needed)")
        }
        let isOfHalf = pieces.contains { if case .hourOfHalf = $0 { true } else { false } }
        if isOfHalf != pieces.contains(.half) {
            throw Problem("hh and a, for AM or PM, go together")
        }
    }
}

extension TimePattern.Piece {
    /// What it tells; nil means nothing of the time.
    fileprivate var kind: String? {
        switch self {
        case .year: "year"
        case .month, .monthName: "month"
        case .weekdayName: "weekday"
        case .day: "day"
        case .hour, .hourOfHalf: "hour"
        case .half: "half of the day"
        case .minute: "minute"
        case .second: "second"
        case .fraction: "fraction"
        case .offset: "offset"
        case .literal: nil
        }
    }
}
