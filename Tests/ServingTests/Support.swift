import Foundation
import Testing

@testable import Serving

/// A server of a test's own, on a port that is free.
func withServer(
    within limits: ServerLimits = ServerLimits(connection: .seconds(300)),
    _ handler: @escaping HTTPServer.Handler,
    _ body: (HTTPServer) async throws -> Void
) async throws {
    let address = try #require(ListenAddress("127.0.0.1:0"))
    let server = try HTTPServer(address, limits, handler)
    do { try await body(server) } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

/// What comes back for the bytes of a request, until the server closes.
func exchange(
    _ server: HTTPServer, _ request: String, from own: String = "127.0.0.1"
) async throws -> String {
    let socket = try connect(to: server, from: own)
    defer { close(socket) }
    _ = request.withCString { send(socket, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
    return await answer(on: socket)
}

/// `own`: the address of this machine that it comes from.
func connect(to server: HTTPServer, from own: String = "127.0.0.1") throws -> Int32 {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = server.address.port.bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    var here = sockaddr_in()
    here.sin_family = sa_family_t(AF_INET)
    inet_pton(AF_INET, own, &here.sin_addr)
    let isBound = withUnsafePointer(to: &here) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(socket, $0, size) == 0
        }
    }
    #expect(isBound)
    let isConnected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            Glibc.connect(socket, $0, size) == 0
        }
    }
    #expect(isConnected)
    return socket
}

/// Read on a thread of its own: the handler needs those of the tasks.
func answer(on socket: Int32) async -> String {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = recv(socket, &buffer, buffer.count, 0), count > 0 {
                bytes += buffer[..<count]
            }
            continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
        }
    }
}

func get(_ path: String, _ more: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(more)\r\n"
}

func status(_ answer: String) -> Int? {
    answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
}
