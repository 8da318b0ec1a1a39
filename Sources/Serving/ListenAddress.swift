import Glibc

/// Where a server listens.
public struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// An IPv4 address.
    public var host: String
    /// A port; 0: any that is free.
    public var port: UInt16

    /// Reads `127.0.0.1:9464`, or `:9464` for the loopback address; nil when it is neither.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let port = UInt16(parts[1]) else { return nil }
        let name = parts[0].isEmpty || parts[0] == "localhost" ? "127.0.0.1" : String(parts[0])
        var address = in_addr()
        // Where a text holds NUL, the system reads up to there.
        guard !name.utf8.contains(0), inet_pton(AF_INET, name, &address) == 1 else { return nil }
        host = name
        self.port = port
    }

    /// Only this machine reaches it.
    public var isLoopback: Bool { host.hasPrefix("127.") }

    /// `127.0.0.1:9464`.
    public var description: String { "\(host):\(port)" }

    /// In network byte order.
    var networkAddress: UInt32 {
        var address = in_addr()
        inet_pton(AF_INET, host, &address)
        return address.s_addr
    }
}
