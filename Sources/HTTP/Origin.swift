/// Scheme, host and port: what must be equal for a credential to be sent along.
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// Lower case; an IPv6 address keeps its brackets.
    public let host: String
    /// The port, the scheme's own when the URL names none.
    public let port: Int

    init?(scheme: Substring, authority: Substring) {
        let scheme = scheme.lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        guard let (host, portText) = Self.split(authority: authority.lowercased()) else {
            return nil
        }
        var port = scheme == "https" ? 443 : 80
        if !portText.isEmpty {
            guard portText.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(portText),
                (1...65535).contains(number)
            else { return nil }
            port = number
        }
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// The origin as the start of a URL, without a port that goes without saying.
    public var description: String {
        let usual = scheme == "https" ? 443 : 80
        return port == usual ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }

    /// `host`, `host:port`, `[v6]` or `[v6]:port`; nothing else, so that no two readers of one URL
    /// see two hosts in it.
    private static func split(authority: String) -> (host: String, port: Substring)? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let inside = authority[..<end].dropFirst()
            let rest = authority[authority.index(after: end)...]
            let digits = inside.utf8.allSatisfy { isHexDigit($0) || $0 == 58 || $0 == 46 }
            guard !inside.isEmpty, digits, rest.isEmpty || rest.hasPrefix(":") else { return nil }
            return (String(authority[...end]), rest.dropFirst())
        }
        let colon = authority.firstIndex(of: ":") ?? authority.endIndex
        let host = authority[..<colon]
        guard !host.isEmpty, host.utf8.allSatisfy(isHostByte) else { return nil }
        return (String(host), authority[colon...].dropFirst())
    }
}

private func isHostByte(_ byte: UInt8) -> Bool {
    isUnreserved(byte) && byte != UInt8(ascii: "~")
}
