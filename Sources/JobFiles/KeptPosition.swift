public import JSON

/// A position that the source gave, as a checkpoint keeps it: what goes back is what came.
///
/// A number is kept by its digits and a text as it is. A text that would be taken for one of them, or that begins
/// with a quote, is kept in quotes as JSON has it.
public enum KeptPosition {
    /// Keeps a text.
    public static func text(_ text: String) -> String {
        text.hasPrefix("\"") || isNumber(text) ? JSONValue.string(text).text : text
    }

    /// What was kept.
    public static func value(_ kept: String) -> JSONValue {
        if kept.hasPrefix("\""), let text = root(kept)?.string { return .string(text) }
        return number(kept)
    }

    /// A number where the text is one in JSON, else the text: `+5` and `007` are texts.
    public static func number(_ text: String) -> JSONValue {
        isNumber(text) ? .number(text) : .string(text)
    }

    private static func isNumber(_ text: String) -> Bool {
        guard let first = text.utf8.first, first == UInt8(ascii: "-") || isDigit(first) else {
            return false
        }
        return root(text)?.numberText == text
    }

    private static func root(_ text: String) -> JSONNode? {
        (try? JSONDocument(parsing: Array(text.utf8)))?.root
    }
}
