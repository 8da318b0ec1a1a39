import Foundation
import Synchronization

/// A relay to the server that hangs up instead of passing on the reply to what holds a word.
///
/// It serves any number of connections over loopback, until the process ends.
public struct ReplyEater: Sendable {
    /// The connection string of the relay.
    public let url: String

    /// Relays to `url`; of the messages that hold `word`, counted from 1 over all connections, those
    /// in `eaten` get no reply.
    public init(to url: String, after word: String, eaten: Set<Int> = [1]) throws {
        guard var parts = URLComponents(string: url), let server = parts.port else {
            throw POSIXError(.EINVAL)
        }
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(port: 0)
        try withSocketAddress(&address) { pointer, length in
            try check(bind(listener, pointer, length))
            try check(listen(listener, 8))
            var length = length
            try check(getsockname(listener, pointer, &length))
        }
        parts.port = Int(UInt16(bigEndian: address.sin_port))
        parts.queryItems = [URLQueryItem(name: "sslmode", value: "disable")]
        self.url = parts.string ?? ""
        let meal = Meal(word: Data(word.utf8), eaten: eaten)
        Thread {
            while case let client = accept(listener, nil, nil), client >= 0 {
                Thread { relay(client, UInt16(server), meal) }.start()
            }
        }.start()
    }
}

/// Which replies are eaten, counted over all connections.
private final class Meal: Sendable {
    private let word: Data
    private let eaten: Set<Int>
    private let seen = Atomic<Int>(0)

    init(word: Data, eaten: Set<Int>) {
        self.word = word
        self.eaten = eaten
    }

    func eatsReply(to data: Data) -> Bool {
        guard data.range(of: word) != nil else { return false }
        return eaten.contains(seen.add(1, ordering: .relaxed).newValue)
    }
}

private func relay(_ client: Int32, _ serverPort: UInt16, _ meal: Meal) {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { for descriptor in [client, server] { close(descriptor) } }
    var address = loopback(port: serverPort)
    guard withSocketAddress(&address, { connect(server, $0, $1) }) == 0 else { return }
    var eatsNext = false
    while true {
        var entries = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&entries, 2, -1) > 0 else { return }
        if entries[0].revents != 0 {
            guard let data = receive(client) else { return }
            eatsNext = meal.eatsReply(to: data) || eatsNext
            forward(data, to: server)
        }
        if entries[1].revents != 0 {
            guard let data = receive(server), !eatsNext else { return }
            forward(data, to: client)
        }
    }
}

private func receive(_ descriptor: Int32) -> Data? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? Data(buffer[0..<count]) : nil
}

private func forward(_ data: Data, to descriptor: Int32) {
    data.withUnsafeBytes { bytes in
        _ = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
}

private func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}

private func withSocketAddress<R>(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) throws -> R
) rethrows -> R {
    try withUnsafeMutableBytes(of: &address) { bytes in
        try bytes.withMemoryRebound(to: sockaddr.self) { buffer in
            guard let pointer = buffer.baseAddress else { preconditionFailure("no address") }
            return try body(pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}

private func check(_ result: Int32) throws {
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
