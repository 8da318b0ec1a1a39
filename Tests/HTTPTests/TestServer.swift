import Glibc
import Synchronization

/// A server on loopback that says exactly the bytes a test gives it, right or wrong.
///
/// Every connection is served on a thread of its own, so a script may block as it likes.
final class TestServer: Sendable {
    let port: Int
    private let listener: CInt
    private let accepted = Atomic<Int>(0)

    /// Connections taken so far.
    var connectionsCount: Int { accepted.load(ordering: .relaxed) }

    init(_ script: @escaping @Sendable (Connection) -> Void) throws {
        (listener, port) = try listenOnLoopback(backlog: 1024)
        let listener = listener
        onThread { [self] in
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { break }
                // For processes other tests start: a copy of theirs would keep it open.
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                accepted.add(1, ordering: .relaxed)
                onThread {
                    let connection = Connection(socket: socket)
                    script(connection)
                    connection.close()
                }
            }
            Glibc.close(listener)
        }
    }

    func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Ends the accepting thread; connections end with their scripts.
    ///
    /// The thread closes the socket: its number must not become another server's under it.
    func stop() { shutdown(listener, CInt(SHUT_RDWR)) }
}

/// One connection as its script sees it.
final class Connection: Sendable {
    private let socket: CInt
    private let isOpen = Atomic<Bool>(true)

    init(socket: CInt) { self.socket = socket }

    /// Reads the next request's head and the body its Content-Length announces; nil at the end.
    func readRequest() -> String? {
        var text = ""
        while true {
            if let head = text.firstRange(of: "\r\n\r\n") {
                let announced = text.lowercased().split(separator: "content-length: ")
                let length =
                    announced.count > 1
                    ? Int(announced[1].prefix { $0.isNumber }) ?? 0 : 0
                if text[head.upperBound...].utf8.count >= length { return text }
            }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
    }

    /// Sends all bytes; false once the peer has gone.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    socket, $0.baseAddress.map { $0 + sent }, bytes.count - sent,
                    CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends a whole answer with its Content-Length.
    @discardableResult
    func answer(_ status: String = "200 OK", headers: [String] = [], body: [UInt8] = []) -> Bool {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + headers
        return send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    /// Waits until the peer closes, at most so long; true when it did.
    @discardableResult
    func waitForClose(milliseconds: CInt = 20_000) -> Bool {
        while true {
            var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, milliseconds) > 0 else { return false }
            var buffer = [UInt8](repeating: 0, count: 4096)
            if recv(socket, &buffer, buffer.count, 0) <= 0 { return true }
        }
    }

    /// Ends the connection with a reset instead of an orderly close.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }

    func close() {
        guard isOpen.exchange(false, ordering: .relaxed) else { return }
        Glibc.close(socket)
    }
}

struct SocketError: Error {}

/// A listening socket on a free port.
func listenOnLoopback(backlog: CInt) throws -> (socket: CInt, port: Int) {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = loopbackAddress(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(listener, $0, size) == 0 && listen(listener, backlog) == 0
                && getsockname(listener, $0, &size) == 0
        }
    }
    guard isBound else { throw SocketError() }
    return (listener, Int(UInt16(bigEndian: address.sin_port)))
}

/// A socket that connects without waiting.
func connectInBackground(port: Int) -> CInt {
    let client = socket(
        AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = loopbackAddress(port: port)
    withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            _ = connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    return client
}

private func loopbackAddress(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
}

private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

func onThread(_ run: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(run)).toOpaque()
    pthread_create(
        &thread, nil,
        { argument in
            guard let argument else { return nil }
            Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
            return nil
        }, work)
    pthread_detach(thread)
}

/// Does blocking work off the tests' small pool of threads.
func offPool<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value
{
    try await withCheckedThrowingContinuation { continuation in
        onThread { continuation.resume(with: Result(catching: work)) }
    }
}
