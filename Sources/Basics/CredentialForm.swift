/// What may be stored as a secret: the one rule for people, for applications and for what a source writes.
public enum CredentialForm: Sendable {
    /// A token of OAuth 2.0, which goes into a header: RFC 6749 A.12 without the blank, which would end it there.
    ///
    /// RFC 6750's b64token is narrower than what servers issue; some have `!` or `|` in theirs.
    case accessToken
    /// A token that goes into a form or query and nowhere else (RFC 6749 A.17).
    case token
    /// What a record brings: a line of text, perhaps a password.
    case line
    /// What a person stores: text, perhaps a key of many lines.
    case text

    /// A credential is some kilobytes at most, even as a PEM file; a run is given several, and room is bounded.
    public static let bytesMax = 16 << 10

    /// What is wrong with a value, to follow its name; nil means nothing.
    ///
    /// It holds nothing of the value.
    public func fault(of bytes: some Collection<UInt8>) -> String? {
        if bytes.isEmpty { return "is empty" }
        if bytes.count > Self.bytesMax { return "is longer than \(Self.bytesMax) bytes" }
        switch self {
        case .accessToken:
            return bytes.allSatisfy { 0x21...0x7e ~= $0 }
                ? nil : "holds a byte that no access token may"
        case .token:
            return bytes.allSatisfy { 0x20...0x7e ~= $0 } ? nil : "holds a byte that no token may"
        case .line:
            guard bytes.allSatisfy({ !isControl($0) }) else { return "holds a control character" }
        case .text:
            guard bytes.allSatisfy({ !isControl($0) || [0x09, 0x0a, 0x0d].contains($0) }) else {
                return "holds a control character"
            }
        }
        return String(validating: bytes, as: UTF8.self) == nil ? "is no text in UTF-8" : nil
    }
}

private func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7f }
