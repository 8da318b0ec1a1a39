import Glibc

/// A source for benchmarks: nothing but pages, served from memory, as cheaply as can be.
public final class StaticSource {
    private let server: StaticServer
    private var isStopped = false
    /// The port it listens on.
    public let port: UInt16

    /// Starts listening.
    ///
    /// Throws when the address is not an IPv4 one of this machine, or the port is taken.
    public init(_ options: StaticOptions) throws(FakeSourceStartFailure) {
        let server = StaticServer(options)
        let port = server.start(
            host: options.host, port: options.port,
            connectionsMax: raisedConnectionsMax())
        guard let port else {
            server.stop()
            throw FakeSourceStartFailure(listeningOn: options.host, options.port)
        }
        self.server = server
        self.port = port
    }

    /// Ends all connections and returns when no thread is left.
    public func stop() {
        guard !isStopped else { return }
        isStopped = true
        server.stop()
    }

    deinit { stop() }
}
