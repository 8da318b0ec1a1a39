import Basics
import JSON
import JobFiles
import JobQueue
import Secrets

extension Assertion {
    /// It is sent at once, and proves nothing for longer than this.
    private static let validSeconds = 300

    /// The assertion as a JSON Web Token (RFC 7519), signed for one request to the token endpoint.
    ///
    /// Throws `RunEnd.needsReauth` when a secret is missing or is no key.
    func signed(
        for tokenURL: String, _ secrets: SourceSecrets, nowUnixSeconds now: Int
    ) throws -> String {
        guard let key = SigningKey(pem: try secrets.text(key), kinds: [.rsa, .p256]) else {
            throw RunEnd.needsReauth(
                message: "\(label) is no unencrypted private key in PEM form, RSA or on curve P-256"
            )
        }
        var header = [
            JSONMember("alg", .string(key.kind == .rsa ? "RS256" : "ES256")),
            JSONMember("typ", .string("JWT")),
        ]
        if let keyID { header.append(JSONMember("kid", .string(try secrets.text(keyID)))) }
        var stated = try claims.map { JSONMember($0.name, .string(try secrets.text($0.value))) }
        if !claims.contains(where: { $0.name == "aud" }) {
            stated.append(JSONMember("aud", .string(tokenURL)))
        }
        stated += [
            JSONMember("iat", .integer(Int64(now))),
            JSONMember("exp", .integer(Int64(now + Self.validSeconds))),
            JSONMember("jti", .string(String(UInt64.random(in: .min ... .max), radix: 16))),
        ]
        let message = [header, stated].map { webDigits(Array(JSONValue.object($0).text.utf8)) }
            .joined(separator: ".")
        guard let signature = key.joseSignature(of: Array(message.utf8)) else {
            throw RunEnd.needsReauth(message: "OpenSSL can't sign with \(label)")
        }
        return message + "." + webDigits(signature)
    }

    private var label: String {
        if case .secret(let name)? = key.lonePlaceholder { return "secret '\(name)'" }
        return "the source's key"
    }

    /// Base64 as an address may hold it (RFC 4648, 5), without padding.
    private func webDigits(_ bytes: [UInt8]) -> String {
        let digits = Base64.digits(of: bytes).map { digit in
            switch digit {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: digit
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
