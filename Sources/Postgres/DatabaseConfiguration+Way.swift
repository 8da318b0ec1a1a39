extension DatabaseConfiguration {
    /// A server of another machine, and how the connection to it is protected.
    public struct OpenWay: Sendable, Equatable {
        /// Its name or address.
        public let host: String
        /// What holds of `sslmode`, said or not.
        public let sslmode: String

        /// Describes one.
        public init(host: String, sslmode: String) {
            self.host = host
            self.sslmode = sslmode
        }
    }

    /// The servers to which somebody on the way could listen, or in whose place he could answer.
    ///
    /// Only `verify-full` has a server prove that it is the one that was meant. Sockets of Unix and this machine's own
    /// addresses need no proof.
    public var openWays: [OpenWay] {
        let mode = known["sslmode"] ?? "prefer"
        guard mode != "verify-full" else { return [] }
        // An address is dialled in place of the name.
        let hosts = known["hostaddr"] ?? known["host"] ?? ""
        return hosts.split(separator: ",").map(String.init).filter { !isOwn($0) }
            .map { OpenWay(host: $0, sslmode: mode) }
    }
}

/// A socket of Unix, also an abstract one, or this machine.
private func isOwn(_ host: String) -> Bool {
    ["/", "@", "127."].contains { host.hasPrefix($0) } || ["localhost", "::1"].contains(host)
}
