import JSON

/// Times as strftime writes them, as a job file's `format`.
enum TimeForms {
    private static let pieces: [(String, String)] = [
        ("%_ms", "SSS"), ("%Y", "yyyy"), ("%-m", "M"), ("%m", "MM"), ("%-d", "d"), ("%d", "dd"),
        ("%-H", "H"), ("%H", "HH"), ("%-I", "h"), ("%I", "hh"), ("%M", "mm"), ("%S", "ss"),
        ("%f", "SSSSSS"), ("%z", "XXX"), ("%Z", "XXX"), ("%b", "MMM"), ("%a", "EEE"), ("%p", "a"),
    ]

    /// How a time is sent; nil for a form that a job file has no word for.
    static func sent(_ strftime: String) -> String? {
        switch strftime {
        case "%s", "%s_as_float": return "epoch_s"
        case "%ms": return "epoch_ms"
        case "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M:%S.%f%z": return "iso8601"
        default: return pattern(strftime)
        }
    }

    /// How a time of a record is read: ISO 8601 by its name, which takes its other forms as well.
    static func read(_ strftime: String) -> String? {
        let isISO =
            strftime.hasPrefix("%Y-%m-%dT%H:%M:%S")
            && [
                "", "Z", "%z", "%Z", ".%fZ", ".%f%z", ".%f", ".%_msZ", ".%_ms%z", "+00:00", ".000Z",
            ]
            .contains(String(strftime.dropFirst("%Y-%m-%dT%H:%M:%S".count)))
        return isISO ? "iso8601" : sent(strftime)
    }

    private static func pattern(_ strftime: String) -> String? {
        var pattern = ""
        var literal = ""
        var rest = strftime[...]
        func flush() {
            if !literal.isEmpty { pattern += "'\(literal)'" }
            literal = ""
        }
        while let first = rest.first {
            if let (word, letters) = pieces.first(where: { rest.hasPrefix($0.0) }) {
                flush()
                pattern += letters
                rest = rest.dropFirst(word.count)
            } else if first == "%" || first == "'" {
                return nil
            } else if first.isLetter {
                literal.append(first)
                rest = rest.dropFirst()
            } else {
                flush()
                pattern.append(first)
                rest = rest.dropFirst()
            }
        }
        flush()
        // What is no point in time is none to send either.
        return ["yyyy", "MM", "dd"].allSatisfy(pattern.contains) || pattern.contains("MMM")
            ? pattern : nil
    }
}

/// A time by the clock of a run.
struct Clock: Equatable {
    /// Days after now; less than 0: before.
    var milliseconds: Int64 = 0
    /// As strftime has it; nil where nothing is said.
    var format: String?
}

extension Expression {
    /// The time that the expression stands for, if it is of the clock alone.
    var clock: Clock? {
        switch self {
        case .binary(let sign, let left, let right) where sign == "+" || sign == "-":
            guard var found = left.clock, found.format == nil, let span = right.span else {
                return nil
            }
            found.milliseconds += sign == "-" ? -span : span
            return found
        case .call(.member(let inner, "strftime"), let arguments, _):
            guard var found = inner.clock, let format = arguments.first?.literal?.string else {
                return nil
            }
            found.format = format
            return found
        case .call(.member(let inner, "isoformat"), _, _): return inner.clock
        case .call(.name(let name), let arguments, let named):
            return Self.clock(name, arguments, named)
        default: return nil
        }
    }

    private static func clock(
        _ name: String, _ arguments: [Expression], _ named: [Named]
    ) -> Clock? {
        switch name {
        case "now_utc", "today_utc", "now": return arguments.isEmpty ? Clock() : nil
        case "day_delta":
            guard let days = arguments.first?.literal?.int else { return nil }
            let format = arguments.dropFirst().first ?? named.first { $0.name == "format" }?.value
            return Clock(
                milliseconds: Int64(days) * 86_400_000,
                format: format?.literal?.string ?? "%Y-%m-%dT%H:%M:%S.%f%z")
        case "format_datetime":
            guard var found = arguments.first?.clock,
                let format = arguments.dropFirst().first?.literal?.string
            else { return nil }
            found.format = format
            return found
        case "str_to_datetime": return arguments.first?.clock
        default: return nil
        }
    }

    /// The milliseconds of `duration('P1D')` or `timedelta(days=1)`.
    var span: Int64? {
        guard let (name, arguments, named) = calling else { return nil }
        switch name {
        case "duration": return arguments.first?.literal?.string.flatMap(isoSpan)
        case "timedelta":
            let units = [
                "days": 86_400_000, "hours": 3_600_000, "minutes": 60_000, "weeks": 604_800_000,
            ]
            return named.reduce(0 as Int64?) { sum, entry in
                guard let sum, let unit = units[entry.name], let count = entry.value.literal?.int
                else { return nil }
                return sum + Int64(unit * count)
            }
        default: return nil
        }
    }
}

/// Milliseconds of a span by ISO 8601, a month being 30 days and a year 365; nil for none.
func isoSpan(_ text: String) -> Int64? {
    guard text.hasPrefix("P"), text.count > 2 else { return nil }
    let day: Int64 = 86_400_000
    let dates: [Character: Int64] = ["Y": 365 * day, "M": 30 * day, "W": 7 * day, "D": day]
    let times: [Character: Int64] = ["H": 3_600_000, "M": 60_000, "S": 1000]
    var sum: Int64 = 0
    var digits = ""
    var isTime = false
    for character in text.dropFirst() {
        if character == "T" {
            isTime = true
        } else if character.isNumber {
            digits.append(character)
        } else {
            guard let count = Int64(digits), count < 100_000,
                let unit = (isTime ? times : dates)[character]
            else { return nil }
            sum += count * unit
            digits = ""
        }
    }
    return digits.isEmpty ? sum : nil
}

/// As a job file writes a span.
func spanText(_ milliseconds: Int64) -> String {
    for (unit, name) in [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")]
    where milliseconds % Int64(unit) == 0 {
        return "\(milliseconds / Int64(unit))\(name)"
    }
    return "\(milliseconds)ms"
}
