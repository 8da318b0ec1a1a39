public import HTTP

extension HTTPClient {
    /// A client that asks this machine, where the sources of tests live.
    public convenience init(userAgent: String) {
        self.init(userAgent: userAgent, privateNetworks: .loopback)
    }
}

extension Networks {
    /// This machine.
    public static let loopback = (try? Networks("127.0.0.0/8, ::1/128")) ?? .none
}
