import Serving

/// A value that passed its option's check.
enum OptionValue: Equatable {
    case text(String)
    case integer(Int)
    case duration(Duration)
    /// Nil means `none`.
    case address(ListenAddress?)
    case assignment(Assignment)
}

/// `name=value`.
struct Assignment: Equatable {
    enum Value: Equatable {
        case text(String)
        /// The path after `@`.
        case file(String)
        case standardInput
    }

    let name: String
    let value: Value
}

/// Why a value is refused: what follows the option's name in the message.
struct ValueError: Error {
    let message: String
}

extension ValueKind {
    /// Checks a value; the error never repeats a value that may be a secret.
    func parse(_ text: String) throws(ValueError) -> OptionValue {
        if case .assignment(let assigned) = self {
            return .assignment(try parseAssignment(text, assigned))
        }
        try checkText(text)
        switch self {
        case .text, .assignment: return .text(text)
        case .integer(let range): return .integer(try parseInteger(text, range))
        case .word(let words):
            guard words.contains(text) else {
                throw ValueError(
                    message: "is \(quoted(text)); expected \(choices(words))"
                        + hint(for: text, among: words))
            }
            return .text(text)
        case .duration:
            guard let duration = parseDuration(text) else {
                throw ValueError(
                    message: "is \(quoted(text)); expected a duration like 90s, 5m, 1h30m or 2d")
            }
            return .duration(duration)
        case .address(mayBeNone: true) where text == "none": return .address(nil)
        case .address:
            guard let address = ListenAddress(text) else {
                throw ValueError(
                    message: "is \(quoted(text)); expected an address such as 127.0.0.1:9464")
            }
            return .address(address)
        }
    }
}

/// A text that can be a name: not empty, and no control character to upset a terminal or a log.
func checkText(_ text: String) throws(ValueError) {
    guard !text.isEmpty else { throw ValueError(message: "is empty") }
    guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f }) else {
        throw ValueError(message: "holds a control character")
    }
}

private func parseInteger(_ text: String, _ range: ClosedRange<Int>) throws(ValueError) -> Int {
    let expected = "; expected a whole number from \(range.lowerBound) to \(range.upperBound)"
    guard !text.hasPrefix("+"), let number = Int(text), range.contains(number) else {
        throw ValueError(message: "is \(quoted(text))" + expected)
    }
    return number
}

private func parseAssignment(
    _ text: String, _ assigned: AssignedValue
) throws(ValueError) -> Assignment {
    let form =
        switch assigned {
        case .text: "name=value"
        case .url: "id=https://host"
        case .file: "name=@FILE"
        case .secret: "name=@FILE or name=-"
        }
    guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
        throw ValueError(message: "expects \(form)")
    }
    let name = String(text[..<equals])
    let value = String(text[text.index(after: equals)...])
    try checkText(name)
    switch assigned {
    case .text: return Assignment(name: name, value: .text(value))
    case .url where value.hasPrefix("https://") || value.hasPrefix("http://"):
        return Assignment(name: name, value: .text(value))
    case .secret where value == "-": return Assignment(name: name, value: .standardInput)
    case .file where value.hasPrefix("@") && value.count > 1,
        .secret where value.hasPrefix("@") && value.count > 1:
        return Assignment(name: name, value: .file(String(value.dropFirst())))
    case .secret:
        throw ValueError(message: "\(quoted(name)) expects \(form), never the secret itself")
    case .url, .file: throw ValueError(message: "\(quoted(name)) expects \(form)")
    }
}

/// Sums `2d`, `1h30m`, `90s`, `500ms`; units from large to small, each once; nil for anything else.
func parseDuration(_ text: String) -> Duration? {
    let units: [(String, Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]
    // Far beyond any use, and safe to add up.
    let digitsMax = 9
    var rest = text[...]
    var next = 0
    var milliseconds: Int64 = 0
    while !rest.isEmpty {
        let digits = rest.prefix { ("0"..."9").contains($0) }
        let unit = rest.dropFirst(digits.count).prefix { !("0"..."9").contains($0) }
        guard digits.count <= digitsMax, let number = Int64(digits),
            let index = units[next...].firstIndex(where: { $0.0 == unit })
        else { return nil }
        milliseconds += number * units[index].1
        next = index + 1
        rest = rest.dropFirst(digits.count + unit.count)
    }
    return milliseconds > 0 ? .milliseconds(milliseconds) : nil
}
