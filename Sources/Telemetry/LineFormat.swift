/// How a line looks.
public enum LineFormat: String, Sendable, CaseIterable {
    /// For people: `2026-11-21T08:00:00.123Z info run finished tenant=acme outcome=failed`.
    case text
    /// For machines: one JSON object a line.
    case json
}

/// Most bytes of an escaped free text; two of them and all ids fit in a line.
private let textBytesMax = 1024
/// Most bytes of an escaped id or word; no event has more than five.
private let idBytesMax = 200

extension LineFormat {
    /// The line of an event with its newline: at most 4096 bytes, which Linux writes to a pipe in one
    /// piece (PIPE_BUF).
    func line(_ line: EventLine, at time: WallTime) -> String {
        switch self {
        case .text: textLine(line, at: time)
        case .json: jsonLine(line, at: time)
        }
    }

    private func textLine(_ line: EventLine, at time: WallTime) -> String {
        var output = "\(time.text) \(line.level.rawValue) "
        output += String(line.name.map { $0 == "_" ? " " : $0 })
        for field in line.fields {
            output += " \(field.name)="
            let (value, isText) = escapedValue(field.value)
            output += isText && needsQuotes(value) ? "\"\(value)\"" : value
        }
        return output + "\n"
    }

    private func jsonLine(_ line: EventLine, at time: WallTime) -> String {
        var output = "{\"time\":\"\(time.text)\",\"level\":\"\(line.level.rawValue)\""
        output += ",\"event\":\"\(line.name)\""
        for field in line.fields {
            let (value, isText) = escapedValue(field.value)
            output += ",\"\(field.name)\":" + (isText ? "\"\(value)\"" : value)
        }
        return output + "}\n"
    }

    private func escapedValue(_ value: LogValue) -> (String, isText: Bool) {
        switch value {
        case .id(let id): (Escaping.escaped(id, limit: idBytesMax), true)
        case .text(let text): (Escaping.escaped(text, limit: textBytesMax), true)
        case .integer(let number): (String(number), false)
        case .milliseconds(let duration): (decimalMilliseconds(duration), false)
        }
    }

    /// Whether a reader who splits at spaces and `=` would misread the value.
    private func needsQuotes(_ value: String) -> Bool {
        value.isEmpty || value.utf8.contains { " =\"\\".utf8.contains($0) }
    }
}

/// A duration in milliseconds with as many as three decimals: `12`, `0.25`, `-3.001`.
private func decimalMilliseconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let micros =
        overflow ? (seconds < 0 ? Int64.min : .max) : scaled + attoseconds / 1_000_000_000_000
    let whole = micros.magnitude / 1000
    let rest = micros.magnitude % 1000
    let sign = micros < 0 ? "-" : ""
    guard rest > 0 else { return "\(sign)\(whole)" }
    var decimals = String(String(1000 + rest).dropFirst())
    while decimals.hasSuffix("0") { decimals.removeLast() }
    return "\(sign)\(whole).\(decimals)"
}
