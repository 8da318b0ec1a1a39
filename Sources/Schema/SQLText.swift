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
    "\"\(doubled(UInt8(ascii: "\""), in: name))\""
}

/// The text in single quotes, whatever `standard_conforming_strings` says.
func quotedText(_ text: String) -> String {
    let backslash = UInt8(ascii: "\\")
    let quoted = doubled(UInt8(ascii: "'"), in: text)
    guard quoted.utf8.contains(backslash) else { return "'\(quoted)'" }
    return " E'\(doubled(backslash, in: quoted))'"
}

/// The text with a mark twice wherever it stands.
///
/// Byte by byte: for a search among Characters a quote beside a combining mark is another Character,
/// while for the server it is a quote.
private func doubled(_ mark: UInt8, in text: String) -> String {
    String(decoding: text.utf8.flatMap { $0 == mark ? [mark, mark] : [$0] }, as: UTF8.self)
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
