/// A JSON Web Token that a client is to have signed (RFC 7515, 7519), checked for real.
struct SignedAssertion {
    let claims: JSONValue

    /// Nil unless it is signed with this key, by RS256 or ES256, and says so.
    init?(_ text: String, publicKey: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let header = Self.read(parts[0]), let claims = Self.read(parts[1]),
            let signature = Base64.bytes(of: Self.padded(parts[2]))
        else { return nil }
        let form: [UInt8]? =
            switch header["alg"]?.text {
            case "RS256": signature
            case "ES256": Self.sequence(of: signature)
            default: nil
            }
        guard let form,
            CloudSignature.isValid(
                Base64.encode(form), of: parts[0] + "." + parts[1], publicKey: publicKey)
        else { return nil }
        self.claims = claims
    }

    /// It is of this issuer for this endpoint, and for no longer than an hour.
    func states(issuer: String, audience: String, now: Int64) -> Bool {
        guard claims["iss"]?.text == issuer, claims["aud"]?.text?.hasSuffix(audience) == true,
            let made = claims["iat"]?.whole, let end = claims["exp"]?.whole,
            claims["jti"]?.text?.isEmpty == false
        else { return false }
        return abs(made - now) < 600 && made < end && end <= made + 3600
    }

    private static func read(_ part: String) -> JSONValue? {
        Base64.bytes(of: padded(part)).flatMap { try? JSONValue.parse($0) }
    }

    /// Base64 in the standard alphabet.
    private static func padded(_ digits: String) -> String {
        let text = digits.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(text) + String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
    }

    /// Two numbers of 32 bytes as DER has them.
    private static func sequence(of pair: [UInt8]) -> [UInt8]? {
        guard pair.count == 64 else { return nil }
        let numbers = [pair.prefix(32), pair.suffix(32)].flatMap { half -> [UInt8] in
            var number = Array(half.drop { $0 == 0 })
            if number.first.map({ $0 >= 0x80 }) ?? true { number.insert(0, at: 0) }
            return [0x02, UInt8(number.count)] + number
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }
}
