import Glibc

/// Finds the forms of many secrets in one walk over a text.
///
/// Each place of a text is asked for with its first four bytes, so that a hundred secrets cost no more than one.
struct SecretIndex: Sendable {
    /// Where a form stands in a text, or the beginning of one that the end of the text cuts off.
    struct Match {
        var range: Range<Int>
        var isCut: Bool
    }

    private static let keyBits = 16

    private let forms: [SecretForm]
    private let byKey: [UInt32: [Int]]
    /// Whether a form may begin with a key of that hash: most places of most texts end here.
    private let mayBegin: [Bool]

    init(_ forms: [SecretForm]) {
        self.forms = forms
        var byKey: [UInt32: [Int]] = [:]
        var mayBegin = forms.isEmpty ? [] : Array(repeating: false, count: 1 << Self.keyBits)
        for (number, form) in forms.enumerated() {
            let key = form.bytes.prefix(SecretForm.bytesMin).reduce(0) { $0 << 8 | UInt32($1) }
            byKey[key, default: []].append(number)
            mayBegin[Self.hash(key)] = true
        }
        self.byKey = byKey
        self.mayBegin = mayBegin
    }

    var isEmpty: Bool { forms.isEmpty }

    /// The longest match at each place where there is one.
    func matches(in bytes: [UInt8]) -> [Match] {
        guard bytes.count >= SecretForm.bytesMin, !isEmpty else { return [] }
        let text = bytes.map(smallLetter)
        var matches: [Match] = []
        var key: UInt32 = 0
        text.withUnsafeBufferPointer { text in
            for next in text.indices {
                key = key << 8 | UInt32(text[next])
                let start = next + 1 - SecretForm.bytesMin
                guard start >= 0, mayBegin[Self.hash(key)], let numbers = byKey[key],
                    let match = longest(of: numbers, in: text, at: start)
                else { continue }
                matches.append(match)
            }
        }
        return matches
    }

    private func longest(
        of numbers: [Int], in text: UnsafeBufferPointer<UInt8>, at start: Int
    ) -> Match? {
        var best: Match?
        for form in numbers.lazy.map({ forms[$0] }) {
            let length = min(form.bytes.count, text.count - start)
            guard length > (best?.range.count ?? 0), isSame(form.bytes, text, start, length) else {
                continue
            }
            best = Match(
                range: widened(start..<start + length, by: form, in: text),
                isCut: length < form.bytes.count)
        }
        return best
    }

    private func isSame(
        _ form: [UInt8], _ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ length: Int
    ) -> Bool {
        guard let base = text.baseAddress else { return false }
        return form.withUnsafeBufferPointer { form in
            form.baseAddress.map { memcmp(base + start, $0, length) == 0 } ?? false
        }
    }

    /// With the digits around it that tell bits of the secret.
    private func widened(
        _ range: Range<Int>, by form: SecretForm, in text: UnsafeBufferPointer<UInt8>
    ) -> Range<Int> {
        var (first, end) = (range.lowerBound, range.upperBound)
        for _ in 0..<form.digitsBefore where first > 0 && isBase64Digit(text[first - 1]) {
            first -= 1
        }
        for _ in 0..<form.digitsAfter where end < text.count && isBase64Digit(text[end]) {
            end += 1
        }
        return first..<end
    }

    private static func hash(_ key: UInt32) -> Int {
        Int((key &* 0x9e37_79b1) >> UInt32(32 - keyBits))
    }
}
