import JSON
import JobFiles

/// What a flag of a source says: sources write true and false in more ways than JSON has.
enum Truth {
    /// Reads true and false, 1 and 0, and those words as texts; nothing there is false.
    ///
    /// Nil: it is neither, and whoever asks must not guess.
    static func value(of node: JSONNode?) -> Bool? {
        guard let node, node.kind != .null else { return false }
        if let flag = node.bool { return flag }
        switch node.string?.lowercased() ?? node.numberText {
        case "true", "1": return true
        case "false", "0": return false
        default: return nil
        }
    }

    /// Reads the time since when something is so: a time is true, nothing and an empty text are false.
    static func value(ofTime node: JSONNode?) -> Bool? {
        guard let node, node.kind != .null, node.string != "" else { return false }
        if let number = node.numberText.flatMap({ Double($0) }) { return number > 0 }
        return node.string.flatMap { Timestamp.microseconds($0) }.map { _ in true }
    }
}

extension JSONNode {
    /// The value as a message may show it: the beginning of its text.
    var excerpt: String { excerpt(of: Array(rawBytes.prefix(61))) }

    private func excerpt(of bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(60), as: UTF8.self) + (bytes.count > 60 ? "…" : "")
    }
}
