/// Knows the secrets of one attempt, and takes them out of texts that leave it.
///
/// Found as they are, in hex, in base64 of either alphabet, also inside a longer base64 text such as a Basic
/// credential, and in base64 of that. Each of these is found by each `Escape` of a text, and where two of them were done
/// one after the other. The case of letters does not matter. What else somebody may make of a secret is not found:
/// reversed, spaced, compressed. Lives as long as the attempt whose secrets it copies.
public struct Redactor: Sendable {
    /// What stands where a secret was.
    public static let mark = "•••"
    /// Secrets shorter than this aren't sought: they'd garble every text and protect nothing.
    public static let secretBytesMin = SecretForm.bytesMin
    /// Most bytes of a sanitised text.
    public static let sanitisedBytesMax = 1024
    /// Of a longer text only so much is read for a sanitised one.
    private static let readBytesMax = 32 << 10

    private let index: SecretIndex

    /// Prepares for the secrets given, in bytes.
    public init(secrets: [[UInt8]]) {
        let sought = secrets.filter { $0.count >= Self.secretBytesMin }
        index = SecretIndex(sought.flatMap(SecretForm.all))
    }

    /// The text with a mark in place of every secret.
    public func redacted(_ text: String) -> String {
        String(decoding: redacted(Array(text.utf8)), as: UTF8.self)
    }

    /// A text fit for `last_error` and logs: no secret, no control character, valid UTF-8, ≤ 1 KiB.
    ///
    /// A secret that the end of the text cuts off is taken out as well.
    public func sanitised(_ text: String) -> String {
        sanitised(bytes: Array(text.utf8))
    }

    /// `sanitised` for bytes of unknown encoding; what isn't UTF-8 becomes U+FFFD.
    public func sanitised(bytes: [UInt8]) -> String {
        let isLonger = bytes.count > Self.readBytesMax
        let text = redacted(isLonger ? Array(bytes.prefix(Self.readBytesMax)) : bytes)
        // More would change nothing: neither repair nor escaping shortens a text.
        let head = String(decoding: text.prefix(Self.sanitisedBytesMax + 1), as: UTF8.self)
        return Escaping.readable(
            isLonger ? head + Escaping.mark : head, limit: Self.sanitisedBytesMax)
    }

    /// Whether a whole secret stands in the text in any of its forms.
    public func finds(in text: String) -> Bool {
        var isFound = false
        forEachView(of: Array(text.utf8)) { view in
            isFound = isFound || index.matches(in: view.bytes).contains { !$0.isCut }
        }
        return isFound
    }

    private func redacted(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var position = 0
        for range in ranges(in: bytes) {
            output += bytes[position..<range.lowerBound]
            output += Self.mark.utf8
            position = range.upperBound
        }
        return output + bytes[position...]
    }

    /// Where secrets stand, in order, those that overlap as one.
    ///
    /// A text may also be cut off where it says so, within a longer one.
    private func ranges(in bytes: [UInt8]) -> [Range<Int>] {
        var found = matches(in: bytes[...])
        let cuts = bytes.split(of: Array(Escaping.mark.utf8))
        if cuts.count > 1 { found += cuts.flatMap(matches) }
        return found.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { joined, range in
            guard let last = joined.last, range.lowerBound < last.upperBound else {
                return joined.append(range)
            }
            joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
        }
    }

    private func matches(in text: ArraySlice<UInt8>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        forEachView(of: Array(text)) { view in
            found += index.matches(in: view.bytes).map { match in
                let end = match.isCut ? text.count : view.source(of: match.range.upperBound)
                return text.startIndex + view.source(of: match.range.lowerBound)..<text.startIndex
                    + end
            }
        }
        return found
    }

    /// Reads the text as it is and by each escape that it holds, and by each escape of that.
    private func forEachView(of bytes: [UInt8], _ body: (TextView) -> Void) {
        guard !index.isEmpty else { return }
        let text = TextView(bytes)
        body(text)
        for once in Escape.allCases.lazy.compactMap({ text.read(by: $0) }) {
            body(once)
            for twice in Escape.allCases.lazy.compactMap({ once.read(by: $0) }) { body(twice) }
        }
    }
}

extension [UInt8] {
    /// What stands between one mark and the next.
    fileprivate func split(of mark: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        for place in indices where self[place] == mark[0] && place >= start {
            guard self[place...].starts(with: mark) else { continue }
            pieces.append(self[start..<place])
            start = place + mark.count
        }
        return pieces + [self[start...]]
    }
}

extension Redactor: CustomStringConvertible, CustomReflectable {
    /// Tells nothing of the secrets.
    public var description: String { "Redactor" }
    /// Tells nothing of the secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
