public import JSON

/// A YAML file that is no job file, as plain data.
public enum PlainYAML {
    /// Bounds the recursion of whoever walks it.
    public static let depthMax = 100
    private static let entriesMax = 20_000

    /// The file's value; on failure every mistake in it.
    ///
    /// `file` is only the name that the mistakes carry.
    public static func value(
        of bytes: [UInt8], file: String, bytesMax: Int
    ) -> Result<JSONValue, Mistakes> {
        let reading = NodeReading(file: file)
        let limits = YAMLReader.Limits(
            bytes: bytesMax, depth: depthMax, entries: entriesMax, mayRepeatKeys: true)
        let node = YAMLReader.node(of: bytes, reading: reading, limits: limits)
        guard let node, reading.mistakes.isEmpty else {
            return .failure(Mistakes(all: reading.mistakes))
        }
        return .success(node.plain)
    }
}

extension Node {
    /// What YAML's core schema makes of it: of plain scalars numbers, booleans and null.
    fileprivate var plain: JSONValue {
        switch content {
        case .refused: .null
        case .sequence(let elements): .array(elements.map(\.plain))
        case .mapping(let entries):
            .object(entries.map { JSONMember($0.key, $0.value.plain) })
        case .scalar(let text, isPlain: false): .string(text)
        case .scalar(let text, isPlain: true):
            switch text {
            case "", "~", "null", "Null", "NULL": .null
            case "true", "True", "TRUE": .bool(true)
            case "false", "False", "FALSE": .bool(false)
            default: isJSONNumber(text) ? .number(text) : .string(text)
            }
        }
    }
}
