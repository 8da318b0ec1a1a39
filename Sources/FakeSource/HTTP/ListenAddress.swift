/// Where to listen, as the command line says it.
struct ListenAddress {
    let host: String
    let port: UInt16

    static let expected = "an IPv4 address and a port, such as 127.0.0.1:8080"

    /// Nil for what is no address and port; whether the address is one shows when it is used.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let port = UInt16(parts[1]), !parts[0].isEmpty else { return nil }
        host = parts[0] == "localhost" ? "127.0.0.1" : String(parts[0])
        self.port = port
    }
}
