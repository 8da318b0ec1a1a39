import JSON

/// A time in the viewer's zone, with UTC beneath the pointer: the script turns it into his, without it it is UTC.
func time(_ value: JSONValue?) -> HTML {
    guard let text = value?.string else { return none }
    let short = String(text.prefix(19)).replacing("T", with: " ")
    return "<time datetime=\"\(text)\" title=\"\(short) UTC\">\(short) UTC</time>"
}

/// What is not there, for the eye and for who listens.
let none: HTML = "<span class=\"none\" title=\"none\">–</span>"

/// A number with its thousands apart; the script writes it as the viewer's language does.
func number(_ value: JSONValue?) -> HTML {
    guard let text = value?.numberText else { return none }
    return "<data value=\"\(text)\">\(grouped(text))</data>"
}

/// A whole number.
func number(_ value: Int) -> HTML { number(.integer(value)) }

/// A number that was counted up to a bound.
func number(_ value: JSONValue?, orMore isMore: Bool) -> HTML {
    isMore ? "more than \(number(value))" : number(value)
}

private func grouped(_ text: String) -> String {
    let parts = text.split(separator: ".", maxSplits: 1)
    var digits = String(parts.first ?? "")
    var groups: [String] = []
    while digits.count > 3, digits.allSatisfy(\.isNumber) {
        groups.insert(String(digits.suffix(3)), at: 0)
        digits.removeLast(3)
    }
    let whole = ([digits] + groups).joined(separator: "\u{202f}")
    return parts.count > 1 ? "\(whole).\(parts[1])" : whole
}

/// A span of seconds in a few words.
func span(_ value: JSONValue?) -> HTML {
    guard let seconds = value?.numberText.flatMap({ Double($0) }) else { return none }
    return "<span title=\"\(value?.numberText) s\">\(spanWords(seconds))</span>"
}

/// A span in a few words, as the commands have it.
func spanWords(_ seconds: Double) -> String {
    switch seconds {
    case ..<0: "0 s"
    case ..<1: "\(Int((seconds * 1000).rounded())) ms"
    case ..<10: "\((seconds * 10).rounded() / 10) s"
    case ..<120: "\(Int(seconds.rounded())) s"
    case ..<7200: "\(Int((seconds / 60).rounded())) min"
    case ..<172_800: "\(Int((seconds / 3600).rounded())) h"
    case ..<1e15: "\(Int((seconds / 86_400).rounded())) days"
    default: "ages"
    }
}

/// A word that says how something is, with a colour that says it again: never by the colour alone.
func state(_ word: String?) -> HTML {
    guard let word else { return none }
    return "<span class=\"state \(tone(of: word))\">\(word.replacing("_", with: " "))</span>"
}

private func tone(of word: String) -> String {
    switch word {
    case "complete", "alive", "synced", "healthy", "closed", "running": "good"
    case "failed", "quarantined", "needs_reauth", "urgent", "silent", "session gone",
        "session_gone",
        "open", "page":
        "bad"
    case "partial", "deferred", "paused", "degraded", "draining", "warning", "restoring", "due",
        "ticket":
        "fair"
    default: "plain"
    }
}

extension JSONValue {
    /// The text of a member; a number as it is written; nil for others and for none.
    func text(_ name: String) -> String? {
        self[name].flatMap { $0.string ?? $0.numberText }
    }
}
