import Basics

/// Makes any text safe for one line of a terminal, a log or a JSON string.
public enum Escaping {
    /// Escapes `text` as the inside of a JSON string, so that nothing in it ends a line or moves a cursor.
    ///
    /// Quotes, backslashes, C0 and C1 controls, line and paragraph separators, the marks that turn the
    /// reading direction and what has no width are written as escapes. The result has at most `limit` bytes of
    /// UTF-8 and ends in `…` if it was cut; a cut never splits a character or an escape.
    public static func escaped(_ text: String, limit: Int = .max) -> String {
        escaped(text, limit: limit, quotes: true)
    }

    /// Like `escaped`, but leaves quotes and backslashes as they are: for text that people read.
    public static func readable(_ text: String, limit: Int = .max) -> String {
        escaped(text, limit: limit, quotes: false)
    }

    static let mark = "…"

    private static func escaped(_ text: String, limit: Int, quotes: Bool) -> String {
        var output = ""
        // Where to cut if the rest doesn't fit: the last place that leaves room for the mark.
        var cut = output.endIndex
        for scalar in text.unicodeScalars {
            append(scalar, to: &output, quotes: quotes)
            if output.utf8.count > limit {
                let kept = String(output.unicodeScalars[..<cut])
                return limit < mark.utf8.count ? "" : kept + mark
            }
            if output.utf8.count <= limit - mark.utf8.count { cut = output.endIndex }
        }
        return output
    }

    private static func append(_ scalar: Unicode.Scalar, to output: inout String, quotes: Bool) {
        switch scalar {
        case "\n": output += "\\n"
        case "\r": output += "\\r"
        case "\t": output += "\\t"
        case "\"" where quotes: output += "\\\""
        case "\\" where quotes: output += "\\\\"
        case _ where isUnsafe(scalar):
            output += "\\u" + zeroPadded(scalar.value, 4, radix: 16)
        default: output.unicodeScalars.append(scalar)
        }
    }

    /// Controls, separators that some readers take for a line's end, bidirectional marks, and what nobody sees.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0xad, 0x61c, 0x180e, 0x200b...0x200f, 0x2028...0x202e,
            0x2060...0x206f, 0xfeff, 0xfff9...0xfffb:
            true
        default: false
        }
    }
}
