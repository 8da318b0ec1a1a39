import Glibc

/// A source that runs inside this process until it is stopped.
public final class FakeSource {
    private let server: Server
    private let logFile: Int32?
    private var isStopped = false
    /// The port it listens on.
    public let port: UInt16

    /// Why a fake source can't start, in one line.
    public struct StartFailure: Error, CustomStringConvertible {
        /// The line.
        public let description: String
    }

    /// Starts listening.
    ///
    /// Throws when the address is not an IPv4 one, the port is taken or the log can't be opened.
    public init(_ options: FakeSourceOptions) throws(StartFailure) {
        var logFile: Int32?
        if let path = options.logFile {
            let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
            guard file >= 0 else {
                throw StartFailure(
                    description: "can't write the log \(path): \(String(cString: strerror(errno)))")
            }
            logFile = file
        }
        let server = Server(World(options, logFile: logFile))
        let port = server.start(
            host: options.host, port: options.port, connectionsMax: FakeSource.connectionsMax())
        guard let port else {
            server.stop()
            if let logFile { close(logFile) }
            throw StartFailure(listeningOn: options.host, options.port)
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

    /// Raises the limit of open files as far as allowed; some stay for what is no connection.
    static func connectionsMax() -> UInt32 {
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(files, &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(files, &limit)
        getrlimit(files, &limit)
        return UInt32(clamping: min(max(64, Int(clamping: limit.rlim_cur) - 64), 50_000))
    }
}

extension FakeSource.StartFailure {
    init(listeningOn host: String, _ port: UInt16) {
        self.init(
            description: "can't listen on \(host):\(port): "
                + "not an IPv4 address of this machine, or the port is taken")
    }
}
