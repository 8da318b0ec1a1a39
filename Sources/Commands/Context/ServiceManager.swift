import Glibc
import Runner

/// What systemd is told of this process, where it started it with `Type=notify`.
///
/// One datagram a word to the socket that it names (sd_notify(3)); without one nothing is told.
struct ServiceManager: Sendable {
    private let socket: String?
    /// How often it wants to hear that the process lives; nil when it does not ask.
    let watchdog: Duration?

    init(environment: (String) -> String?) {
        socket = environment("NOTIFY_SOCKET").flatMap { $0.isEmpty ? nil : $0 }
        let isMeant = environment("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
        let microseconds = environment("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
        watchdog = isMeant && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Sends words such as `READY=1`; a manager that does not listen is no failure of ours.
    func tell(_ words: String) {
        guard let socket else { return }
        let descriptor = Glibc.socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var path = Array(socket.utf8)
        let most = MemoryLayout.size(ofValue: address.sun_path)
        guard path.count < most else { return }
        // An @ at the beginning stands for the zero byte of a name that is in no folder.
        if path.first == UInt8(ascii: "@") { path[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { to in
                words.withCString {
                    sendto(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL), to, size)
                }
            }
        }
    }

    /// Tells of a worker while the body lets it run.
    func watch<Result>(_ worker: Worker, _ body: () async -> Result) async -> Result {
        let watching = Task { await watch(worker) }
        defer { tell("STOPPING=1") }
        let result = await body()
        watching.cancel()
        return result
    }

    /// Tells when the worker is first ready, and then that it goes on by itself, until it is cancelled.
    private func watch(_ worker: Worker) async {
        guard socket != nil else { return }
        var isReady = false
        while !Task.isCancelled {
            if !isReady, worker.reasonsNotReady.isEmpty {
                isReady = true
                tell("READY=1")
            }
            if watchdog != nil, worker.reasonNotAlive == nil { tell("WATCHDOG=1") }
            let pause: Duration =
                isReady ? watchdog.map { $0 / 2 } ?? .seconds(3600) : .milliseconds(200)
            try? await Task.sleep(for: pause, clock: .continuous)
        }
    }
}
