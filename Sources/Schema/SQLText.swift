import JSON

/// Whether the name may stand in SQL unquoted: the only names that are ever put there.
func isIdentifier(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard let first = bytes.first, bytes.count <= 63 else { return false }
    let isLetter = { (byte: UInt8) in byte == UInt8(ascii: "_") || (0x61...0x7A).contains(byte) }
    return isLetter(first) && bytes.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
}

/// The name in double quotes.
func quoted(_ name: String) -> String {
    "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
}

/// The text in single quotes, whatever `standard_conforming_strings` says.
func quotedText(_ text: String) -> String {
    let doubled = text.split(separator: "'", omittingEmptySubsequences: false).joined(
        separator: "''")
    guard doubled.contains("\\") else { return "'\(doubled)'" }
    let escaped = doubled.split(separator: "\\", omittingEmptySubsequences: false)
    return " E'\(escaped.joined(separator: "\\\\"))'"
}

/// A declared default as a constant of the column's type; nil for null.
func sqlLiteral(_ value: JSONValue, type: String) -> String? {
    let text =
        switch value {
        case _ where type == "jsonb": value.text
        case .null: nil as String?
        case .string(let text): text
        case .bool, .number, .array, .object: value.text
        }
    return text.map { "\(quotedText($0))::\(type)" }
}

func words(_ names: [String]) -> String { "(\(names.joined(separator: ", ")))" }
