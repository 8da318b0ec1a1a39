/// Why a fake source can't start, in one line.
public struct FakeSourceStartFailure: Error, CustomStringConvertible {
    /// The line.
    public let description: String

    init(description: String) {
        self.description = description
    }

    init(listeningOn host: String, _ port: UInt16) {
        self.init(
            description: "can't listen on \(host):\(port): "
                + "not an IPv4 address of this machine, or the port is taken")
    }
}
