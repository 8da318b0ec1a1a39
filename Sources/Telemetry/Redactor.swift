/// Knows the secrets of one attempt, and takes them out of texts that leave it.
///
/// Found as they are, percent-encoded (any set of characters, `+` for space), escaped as in JSON
/// (short, `\u` and surrogate forms), in hex of either case, and in base64 of either alphabet. Base64
/// is also found inside a longer base64 text such as a Basic credential, and where it is itself
/// percent-encoded or escaped. Lives as long as the attempt whose secrets it copies.
public struct Redactor: Sendable {
    /// What stands where a secret was.
    public static let mark = "•••"
    /// Secrets shorter than this aren't sought: they'd garble every text and protect nothing.
    public static let secretBytesMin = 4
    /// Most bytes of a sanitised text.
    public static let sanitisedBytesMax = 1024

    private let forms: [SecretForm]

    /// Prepares for the secrets given, in bytes.
    public init(secrets: [[UInt8]]) {
        forms = secrets.filter { $0.count >= Self.secretBytesMin }.flatMap(SecretForm.all)
    }

    /// The text with a mark in place of every secret.
    public func redacted(_ text: String) -> String {
        String(decoding: redacted(Array(text.utf8), bytesMax: .max), as: UTF8.self)
    }

    /// A text fit for `last_error` and logs: no secret, no control character, valid UTF-8, ≤ 1 KiB.
    ///
    /// A secret that the end of the text cuts off is taken out as well.
    public func sanitised(_ text: String) -> String {
        sanitised(bytes: Array(text.utf8))
    }

    /// `sanitised` for bytes of unknown encoding; what isn't UTF-8 becomes U+FFFD.
    public func sanitised(bytes: [UInt8]) -> String {
        // Neither repair nor escaping shortens a text, so reading on would change nothing.
        let enough = Self.sanitisedBytesMax + 1
        let text = String(decoding: redacted(bytes, bytesMax: enough), as: UTF8.self)
        return Escaping.readable(text, limit: Self.sanitisedBytesMax)
    }

    /// Copies until the output has `bytesMax` bytes or more, with marks for secrets.
    private func redacted(_ bytes: [UInt8], bytesMax: Int) -> [UInt8] {
        var output: [UInt8] = []
        var position = 0
        while position < bytes.count && output.count < bytesMax {
            guard let (form, length) = longestMatch(in: bytes, at: position) else {
                output.append(bytes[position])
                position += 1
                continue
            }
            position += length
            if form.sharesCharacterBefore, let last = output.last, isBase64Digit(last) {
                output.removeLast()
            }
            if form.sharesCharacterAfter, position < bytes.count, isBase64Digit(bytes[position]) {
                position += 1
            }
            output += Self.mark.utf8
        }
        return output
    }

    private func longestMatch(in bytes: [UInt8], at position: Int) -> (SecretForm, Int)? {
        var best: (SecretForm, Int)?
        for form in forms {
            let length = form.matchLength(in: bytes, at: position)
            if length > best?.1 ?? 0 { best = (form, length) }
        }
        return best
    }
}

extension Redactor: CustomStringConvertible, CustomReflectable {
    /// Tells nothing of the secrets.
    public var description: String { "Redactor" }
    /// Tells nothing of the secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
