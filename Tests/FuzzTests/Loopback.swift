import Glibc

/// A socket of this machine on which inputs come and go as they are.
final class Loopback: Sendable {
    private let socket: Int32
    let port: UInt16

    init() {
        let opened = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(opened, $0, length) | listen(opened, 16) | getsockname(opened, $0, &length)
            }
        }
        socket = opened
        precondition(bound == 0, "no port on the loopback address")
        port = UInt16(bigEndian: address.sin_port)
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    /// Answers each connection with the bytes, and ends it, until something is over.
    func answer(_ bytes: [UInt8], until isOver: Semaphore) {
        while isOver.comes(after: socket) {
            let connection = accept(socket, nil, nil)
            guard connection >= 0 else { continue }
            defer { close(connection) }
            var head = [UInt8](repeating: 0, count: 4096)
            _ = recv(connection, &head, head.count, 0)
            _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            shutdown(connection, Int32(SHUT_WR))
            // The client keeps a connection whose answer has come, and ends one whose answer has not.
            while isOver.comes(after: connection), recv(connection, &head, head.count, 0) > 0 {}
        }
        isOver.take()
    }

    /// Sends the bytes to a server, and returns all that it says before it ends the connection.
    static func ask(_ bytes: [UInt8], port: UInt16) -> [UInt8] {
        let connection = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(connection) }
        var address = address(port)
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(connected == 0, "the server is not there")
        // The server may have ended the connection over what came first.
        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        shutdown(connection, Int32(SHUT_WR))
        // A question without an end gets no answer, and is not waited for as long as the server does.
        var limit = timeval(tv_sec: 0, tv_usec: 20_000)
        setsockopt(
            connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = recv(connection, &buffer, buffer.count, 0), count > 0 {
            answer += buffer[..<count]
        }
        return answer
    }
}

/// Something that is over once, seen by its descriptor.
final class Semaphore: Sendable {
    let descriptor: Int32
    private let writer: Int32

    init() {
        var ends: [Int32] = [0, 0]
        precondition(pipe(&ends) == 0, "no pipe")
        (descriptor, writer) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(writer)
    }

    /// Waits; true where a socket has something to read, and this is not over.
    func comes(after socket: Int32) -> Bool {
        var waiting = [descriptor, socket].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&waiting, 2, -1)
        return waiting[0].revents == 0
    }

    func signal() { _ = write(writer, [1], 1) }

    func take() {
        var byte: UInt8 = 0
        _ = read(descriptor, &byte, 1)
    }
}
