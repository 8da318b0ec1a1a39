import JSON
import JobFiles

/// What a flag of a source says: sources write true and false in more ways than JSON has.
enum Truth {
    /// The beginning of 1971, in microseconds: sources write "never" as year 1, as 1900 or as the beginning of 1970.
    static let firstTime: Int64 = 31_536_000_000_000
    /// The beginning of year 9999: sources write "never" as its last day.
    private static let lastTime: Int64 = 253_370_764_800_000_000

    /// Reads true and false, 1 and 0, and those words as texts; nothing there is false.
    ///
    /// Nil when it is neither, and whoever asks must not guess.
    static func value(of node: JSONNode?) -> Bool? {
        guard let node, node.kind != .null else { return false }
        if let flag = node.bool { return flag }
        let number = node.numberText.flatMap { DecimalText($0)?.text }
        switch node.string?.lowercased() ?? number {
        case "true", "1": return true
        case "false", "0": return false
        default: return nil
        }
    }

    /// Reads the time since when something is so: a time is true; nothing, a time by which sources write that there is
    /// none, and one that lies ahead of `now`, microseconds since 1970, are false.
    static func value(ofTime node: JSONNode?, now: Int64 = .max) -> Bool? {
        guard let node, node.kind != .null, node.string != "", node.bool != false else {
            return false
        }
        if let number = node.numberText.flatMap({ Double($0) }) {
            return number > 0 && time(number).map { isOver($0, now) } ?? true
        }
        guard let text = node.string else { return nil }
        if text.hasPrefix("0000-00-00") { return false }
        return Timestamp.microseconds(text).map { isOver($0, now) }
    }

    /// A time that was, in microseconds since 1970.
    private static func isOver(_ time: Int64, _ now: Int64) -> Bool {
        time >= firstTime && time < lastTime && time <= now
    }

    /// Microseconds since 1970 of a number of seconds, milliseconds or microseconds; nil means of something else.
    ///
    /// A small number is no time and says only that something is there.
    private static func time(_ number: Double) -> Int64? {
        switch number {
        // The last day of the year 9999 in seconds, which as milliseconds would be a day of 1978.
        case 253_370_764_800..<253_402_300_800: lastTime
        case 1e8..<1e11: Int64(number * 1_000_000)
        case 1e11..<1e14: Int64(number * 1000)
        case 1e14..<1e17: Int64(number)
        default: nil
        }
    }

    /// Reads whether one of some words stands there, in whatever case; nothing there is false.
    static func value(of node: JSONNode?, among words: [String]) -> Bool? {
        guard let node, node.kind != .null else { return false }
        guard node.kind != .object, node.kind != .array else { return nil }
        let word = (node.string ?? node.rawText).lowercased()
        return words.contains { $0.lowercased() == word }
    }

    /// Reads whether anything stands there, such as an object with a reason; null and false are nothing.
    static func value(ofPresence node: JSONNode?) -> Bool {
        node.map { $0.kind != .null && $0.bool != false } ?? false
    }
}

extension Deletes {
    /// Whether a record is deleted by what stands at `flag_at`; nil when it says neither.
    ///
    /// `now`: microseconds since 1970, behind which a time is none of a deletion that was.
    func isDeleted(_ node: JSONNode?, now: Int64) -> Bool? {
        switch flagIs {
        case .truth: Truth.value(of: node)
        case .time: Truth.value(ofTime: node, now: now)
        case .present: Truth.value(ofPresence: node)
        case .words(let words): Truth.value(of: node, among: words)
        }
    }
}

extension JSONNode {
    /// The value as a message may show it: the beginning of its text.
    var excerpt: String { excerpt(of: Array(rawBytes.prefix(61))) }

    private func excerpt(of bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(60), as: UTF8.self) + (bytes.count > 60 ? "…" : "")
    }
}
