/// A piece of a page.
///
/// What is put into it is escaped unless it is a piece itself, and its own text can only be a literal of the program. So
/// there is no way from a text that was made at run time to a piece of a page but through the escaping. Values of
/// attributes stand in double quotes.
public struct HTML: Sendable, ExpressibleByStringInterpolation {
    /// Nothing but literals of the program and what was escaped.
    fileprivate(set) var bytes: [UInt8] = []

    /// An empty piece.
    public init() {}

    /// A literal of the program, as it is.
    public init(stringLiteral literal: StaticString) { append(literal) }

    /// A literal with values in it.
    public init(stringInterpolation parts: Interpolation) { bytes = parts.piece.bytes }

    /// The page as text, to be sent.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Puts a piece behind another.
    public static func += (left: inout HTML, right: HTML) { left.bytes += right.bytes }

    /// One piece behind the other.
    public static func + (left: HTML, right: HTML) -> HTML {
        var sum = left
        sum += right
        return sum
    }

    fileprivate mutating func append(_ literal: StaticString) {
        literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Escaped for text and for attributes in quotes.
    ///
    /// What is no printable character of XML becomes a sign that says so.
    fileprivate mutating func append(escaping text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": append("&amp;")
            case "<": append("&lt;")
            case ">": append("&gt;")
            case "\"": append("&quot;")
            case "'": append("&#39;")
            case "\n", "\t": bytes.append(UInt8(scalar.value))
            case "\0"..<" ", "\u{7f}"..."\u{9f}", "\u{fffe}", "\u{ffff}": append("\u{fffd}")
            // Signs that turn the direction of what follows would show a text as another one.
            case "\u{202a}"..."\u{202e}", "\u{2066}"..."\u{2069}": append("\u{fffd}")
            default:
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }

    /// The parts of a literal with values in it.
    public struct Interpolation: StringInterpolationProtocol, Sendable {
        fileprivate var piece = HTML()

        /// An empty one.
        public init(literalCapacity: Int, interpolationCount: Int) {
            piece.bytes.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        /// A literal of the program, as it is.
        public mutating func appendLiteral(_ literal: StaticString) { piece.append(literal) }

        /// A text, escaped.
        public mutating func appendInterpolation(_ text: String) { piece.append(escaping: text) }

        /// A text, escaped; nothing for nil.
        public mutating func appendInterpolation(_ text: String?) {
            if let text { piece.append(escaping: text) }
        }

        /// A whole number.
        public mutating func appendInterpolation(_ number: Int) {
            piece.append(escaping: String(number))
        }

        /// Another piece, as it is.
        public mutating func appendInterpolation(_ other: HTML) { piece += other }

        /// Pieces one behind the other.
        public mutating func appendInterpolation(_ others: [HTML]) {
            for other in others { piece += other }
        }

        /// Another piece, as it is; nothing for nil.
        public mutating func appendInterpolation(_ other: HTML?) {
            if let other { piece += other }
        }

        /// Where a link leads.
        public mutating func appendInterpolation(_ place: Place) {
            piece.append(escaping: place.text)
        }
    }
}
