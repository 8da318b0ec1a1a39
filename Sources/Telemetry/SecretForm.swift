import Basics

/// One way a secret may be written, and how texts may escape it in turn.
struct SecretForm: Sendable {
    private enum Alphabet: Sendable { case exact, hex, base64 }

    /// Shortest end of a text that counts as a secret cut off.
    private static let cutBytesMin = 4

    private let bytes: [UInt8]
    private let alphabet: Alphabet
    private let escape: Escape
    /// Whether the base64 digit before the match holds bits of the secret.
    let sharesCharacterBefore: Bool
    /// Whether the base64 digit after the match holds bits of the secret.
    let sharesCharacterAfter: Bool

    /// Every form of a secret.
    static func all(of secret: [UInt8]) -> [SecretForm] {
        let hex = SecretForm(Hex.digits(of: secret), .hex, .none)
        return Escape.allCases.flatMap { escape in
            [SecretForm(secret, .exact, escape)]
                + (0..<3).map { SecretForm(secret, base64At: $0, escape) }
        } + [hex]
    }

    private init(_ bytes: [UInt8], _ alphabet: Alphabet, _ escape: Escape) {
        self.bytes = bytes
        self.alphabet = alphabet
        self.escape = escape
        sharesCharacterBefore = false
        sharesCharacterAfter = false
    }

    /// The digits that the secret alone decides when `offset` other bytes precede it.
    private init(_ secret: [UInt8], base64At offset: Int, _ escape: Escape) {
        let digits = Base64.digits(of: Array(repeating: 0, count: offset) + secret)
        let first = (offset * 8 + 5) / 6
        let end = (offset + secret.count) * 8 / 6
        bytes = Array(digits[first..<end])
        alphabet = .base64
        self.escape = escape
        sharesCharacterBefore = offset > 0
        sharesCharacterAfter = (offset + secret.count) % 3 != 0
    }

    /// How many bytes of `text` from `position` on are this form; 0 if they aren't.
    ///
    /// A beginning of the form that the end of the text cuts off counts as the form.
    func matchLength(in text: [UInt8], at position: Int) -> Int {
        // Most places of most texts end here, before anything is allocated.
        let first = text[position]
        guard Unescaped.opens(first, escape) || same(first, bytes[0]) else { return 0 }
        var next = position
        var matched = 0
        while matched < bytes.count {
            let isCut = matched >= Self.cutBytesMin
            guard next < text.count else { return isCut ? next - position : 0 }
            let unit = Unescaped(text, at: next, escape)
            for byte in unit.bytes {
                guard matched < bytes.count, same(byte, bytes[matched]) else {
                    return isCut && unit.isCut ? text.count - position : 0
                }
                matched += 1
            }
            next += unit.length
        }
        return next - position
    }

    private func same(_ found: UInt8, _ sought: UInt8) -> Bool {
        switch alphabet {
        case .exact: found == sought
        case .hex: found | 0x20 == sought
        case .base64: standardDigit(found) == sought
        }
    }
}
