import Glibc

/// A source that runs inside this process until it is stopped.
public final class FakeSourceServer {
    private let server: Server
    private let logFile: Int32?
    private var isStopped = false
    /// The port it listens on.
    public let port: UInt16

    /// Starts listening.
    ///
    /// Throws when the address is not an IPv4 one, the port is taken or the log can't be opened.
    public init(_ options: FakeSourceOptions) throws(FakeSourceStartFailure) {
        var logFile: Int32?
        if let path = options.logFile {
            let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
            guard file >= 0 else {
                throw FakeSourceStartFailure(
                    description: "can't write the log \(path): \(String(cString: strerror(errno)))")
            }
            logFile = file
        }
        let server = Server(World(options, logFile: logFile))
        let port = server.start(
            host: options.host, port: options.port,
            connectionsMax: raisedConnectionsMax())
        guard let port else {
            server.stop()
            if let logFile { close(logFile) }
            throw FakeSourceStartFailure(listeningOn: options.host, options.port)
        }
        self.server = server
        self.logFile = logFile
        self.port = port
    }

    /// Ends all connections, hanging ones too, and returns when no thread is left.
    public func stop() {
        guard !isStopped else { return }
        isStopped = true
        server.stop()
        if let logFile { close(logFile) }
    }

    deinit { stop() }
}
