import Basics
import JSON

extension NodeReading {
    /// A value that the file gives in place of a record's, of the field's own type.
    func literal(_ node: Node, for kind: Field.Kind) -> JSONValue? {
        switch kind {
        case .text: return text(node).map { .string($0) }
        case .url:
            guard let text = text(node) else { return nil }
            let host = text.drop { $0 != ":" }.dropFirst("://".count).prefix { $0 != "/" }
            let isURL =
                (text.hasPrefix("https://") || text.hasPrefix("http://")) && !host.isEmpty
            if !isURL { add(node, "expected an http or https URL, found \(node.words)") }
            return .string(text)
        case .timestamp:
            guard let text = text(node) else { return nil }
            if !isTimestamp(text) {
                add(node, "expected a time such as \"2025-01-31T12:00:00Z\", found \(node.words)")
            }
            return .string(text)
        case .int: return int(node, .min ... .max).map { .integer($0) }
        case .double:
            guard let text = number(node, "a number") else { return nil }
            if Double(text)?.isFinite != true { add(node, "\(text) is too large for a double") }
            return .number(text)
        case .decimal:
            guard let text = number(node, "a number") else { return nil }
            if DecimalText(text) == nil { add(node, "\(text) has too many digits") }
            return .number(text)
        case .duration:
            guard let text = number(node, "a number of seconds") else { return nil }
            if text.hasPrefix("-") { add(node, "a span of time is not negative, found \(text)") }
            return .number(text)
        case .bool: return bool(node).map { .bool($0) }
        case .json: return json(node)
        }
    }
}

/// True for `2025-01-31T12:00:00[.123](Z|+01:00)`, all within their ranges.
func isTimestamp(_ text: String) -> Bool {
    let shape = Array("dddd-dd-ddTdd:dd:dd".utf8)
    let bytes = Array(text.utf8)
    guard bytes.count > shape.count,
        zip(bytes, shape).allSatisfy({ $1 == UInt8(ascii: "d") ? isDigit($0) : $0 == $1 })
    else { return false }
    func pair(_ index: Int) -> Int { Int(bytes[index] - 48) * 10 + Int(bytes[index + 1] - 48) }
    guard (1...12).contains(pair(5)), (1...31).contains(pair(8)), pair(11) < 24, pair(14) < 60,
        pair(17) < 60
    else { return false }
    let day = CivilDate(
        year: Int64(pair(0) * 100 + pair(2)), month: Int64(pair(5)), day: Int64(pair(8)))
    guard CivilDate(daysSince1970: day.daysSince1970) == day else { return false }
    var zone = bytes[shape.count...]
    if zone.first == UInt8(ascii: ".") {
        let digits = zone.dropFirst().prefix(while: isDigit)
        guard (1...9).contains(digits.count) else { return false }
        zone = zone.dropFirst(digits.count + 1)
    }
    if zone.elementsEqual("Z".utf8) { return true }
    let offset = Array(zone)
    return offset.count == 6 && "+-".utf8.contains(offset[0]) && offset[3] == UInt8(ascii: ":")
        && [1, 2, 4, 5].allSatisfy { isDigit(offset[$0]) }
}
