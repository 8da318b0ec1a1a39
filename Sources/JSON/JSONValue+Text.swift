import Basics

extension JSONValue {
    /// The value as compact JSON in UTF-8.
    public var bytes: [UInt8] {
        var output: [UInt8] = []
        append(to: &output)
        return output
    }

    /// The value as compact JSON.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The value as JSON for people: a line for each member and element, two spaces for each level.
    public var indentedText: String {
        var output: [UInt8] = []
        appendIndented(to: &output, level: 0)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends the value as compact JSON in UTF-8.
    public func append(to output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let text): output.append(contentsOf: text.utf8)
        case .string(let text): Self.append(quoted: text, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                element.append(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.append(quoted: member.name, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.append(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private func appendIndented(to output: inout [UInt8], level: Int) {
        let newline = "\n" + String(repeating: "  ", count: level)
        switch self {
        case .array(let elements) where !elements.isEmpty:
            for (index, element) in elements.enumerated() {
                output.append(contentsOf: ((index == 0 ? "[" : ",") + newline + "  ").utf8)
                element.appendIndented(to: &output, level: level + 1)
            }
            output.append(contentsOf: (newline + "]").utf8)
        case .object(let members) where !members.isEmpty:
            for (index, member) in members.enumerated() {
                output.append(contentsOf: ((index == 0 ? "{" : ",") + newline + "  ").utf8)
                Self.append(quoted: member.name, to: &output)
                output.append(contentsOf: ": ".utf8)
                member.value.appendIndented(to: &output, level: level + 1)
            }
            output.append(contentsOf: (newline + "}").utf8)
        default: append(to: &output)
        }
    }

    private static func append(quoted text: String, to output: inout [UInt8]) {
        append(quotedUTF8: text.utf8, to: &output)
    }

    /// Escapes what must be and nothing else, as PostgreSQL does.
    static func append(quotedUTF8 text: some Sequence<UInt8>, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case 0x08: output.append(contentsOf: [0x5C, UInt8(ascii: "b")])
            case 0x0C: output.append(contentsOf: [0x5C, UInt8(ascii: "f")])
            case UInt8(ascii: "\""): output.append(contentsOf: [0x5C, 0x22])
            case UInt8(ascii: "\\"): output.append(contentsOf: [0x5C, 0x5C])
            case 0x0A: output.append(contentsOf: [0x5C, UInt8(ascii: "n")])
            case 0x0D: output.append(contentsOf: [0x5C, UInt8(ascii: "r")])
            case 0x09: output.append(contentsOf: [0x5C, UInt8(ascii: "t")])
            case 0..<0x20:
                output.append(contentsOf: "\\u00".utf8)
                output.append(Hex.digit(byte >> 4))
                output.append(Hex.digit(byte & 0x0F))
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
