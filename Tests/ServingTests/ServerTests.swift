import Foundation
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Serving

/// A server of a test's own, on a port that is free.
private func withServer(
    silenceMax: UInt32 = 10, connectionMax: Duration = .seconds(300),
    _ handler: @escaping HTTPServer.Handler,
    _ body: (HTTPServer) async throws -> Void
) async throws {
    let address = try #require(ListenAddress("127.0.0.1:0"))
    let server = try HTTPServer(
        address, silenceMax: silenceMax, connectionMax: connectionMax, handler)
    do { try await body(server) } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

/// What comes back for the bytes of a request, until the server closes.
private func exchange(_ server: HTTPServer, _ request: String) async throws -> String {
    let socket = try connect(to: server)
    defer { close(socket) }
    _ = request.withCString { send(socket, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
    return await answer(on: socket)
}

private func connect(to server: HTTPServer) throws -> Int32 {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = server.address.port.bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            Glibc.connect(socket, $0, size) == 0
        }
    }
    #expect(isConnected)
    return socket
}

/// Read on a thread of its own: the handler needs those of the tasks.
private func answer(on socket: Int32) async -> String {
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

private func get(_ path: String, _ more: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(more)\r\n"
}

private func status(_ answer: String) -> Int? {
    answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
}

@Suite struct ServerTests {
    @Test func `a question is handed over with its path, its parameters and its header fields`()
        async throws
    {
        let heard = Mutex<ServedRequest?>(nil)
        try await withServer({ request in
            heard.withLock { $0 = request }
            return ServedResponse(200, "hello\n")
        }) { server in
            let answer = try await exchange(
                server, get("/a%20b/c?x=1&y=%C3%BC", "Accept: text/plain\r\n"))
            #expect(status(answer) == 200)
            #expect(answer.hasSuffix("\r\n\r\nhello\n"))
            #expect(answer.contains("Content-Type: text/plain; charset=utf-8\r\n"))
            let request = try #require(heard.withLock { $0 })
            #expect(request.path == "/a b/c")
            #expect(request.parameter("x") == "1" && request.parameter("y") == "ü")
            #expect(request.header("accept") == "text/plain")
        }
    }

    @Test func `a slow answer keeps nobody else waiting`() async throws {
        let (signals, gate) = AsyncStream.makeStream(of: Void.self)
        try await withServer({ request in
            if request.path == "/slow" { for await _ in signals { break } }
            return ServedResponse(200, request.path)
        }) { server in
            let slow = try connect(to: server)
            defer { close(slow) }
            let request = get("/slow")
            _ = request.withCString { send(slow, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
            for number in 1...3 {
                #expect(try await exchange(server, get("/\(number)")).hasSuffix("/\(number)"))
            }
            gate.yield()
            #expect(await answer(on: slow).hasSuffix("/slow"))
        }
    }

    @Test func `what changes something, or brings a body, is refused`() async throws {
        try await withServer({ _ in ServedResponse(200, "no\n") }) { server in
            for method in ["POST", "PUT", "DELETE", "OPTIONS", "BREW"] {
                let answer = try await exchange(
                    server, "\(method) / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                #expect(status(answer) == 405, "\(method): \(answer)")
            }
            let body = try await exchange(
                server, get("/", "Content-Length: 5\r\n") + "hello")
            #expect(status(body) == 413)
        }
    }

    @Test(arguments: [
        // Two lengths, or a length beside chunks, are read differently by two servers in a row.
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: -1\r\n", "Transfer-Encoding: gzip\r\n", " X: folded\r\n",
    ])
    func `a request that two servers could read differently is answered at most once`(
        _ fields: String
    ) async throws {
        let count = Mutex(0)
        try await withServer({ request in
            if request.path == "/smuggled" { count.withLock { $0 += 1 } }
            return ServedResponse(200, "no\n")
        }) { server in
            let text = "GET / HTTP/1.1\r\nHost: x\r\n\(fields)\r\n0\r\n\r\n" + get("/smuggled")
            _ = try await exchange(server, text)
            #expect(count.withLock { $0 } == 0)
        }
    }

    @Test func `a head without end is refused, and so is one of many fields`() async throws {
        try await withServer({ _ in ServedResponse(200, "no\n") }) { server in
            let long = try await exchange(server, get("/" + String(repeating: "x", count: 40_000)))
            #expect([414, 431, 400].contains(status(long)), "\(long.prefix(80))")
            let many = (1...4000).map { "X-\($0): y\r\n" }.joined()
            let answer = try await exchange(server, get("/", many))
            #expect([431, 413, 400].contains(status(answer)), "\(answer.prefix(80))")
        }
    }

    @Test
    func
        `two hundred clients that say nothing keep one that asks waiting for no longer than their limit`()
        async throws
    {
        try await withServer(silenceMax: 1, { _ in ServedResponse(200, "here\n") }) { server in
            var silent: [Int32] = []
            defer { for socket in silent { close(socket) } }
            for _ in 1...200 {
                let socket = try connect(to: server)
                _ = "GET / HT".withCString { send(socket, $0, 8, Int32(MSG_NOSIGNAL)) }
                silent.append(socket)
            }
            // Those beyond the limit were dropped at once, the others are after a second of silence.
            var answer = ""
            while status(answer) == nil { answer = try await exchange(server, get("/")) }
            #expect(answer.hasSuffix("here\n"))
        }
    }

    /// Sends a byte, and another one each time that a tenth of a second brought no answer; the number of those sent.
    private func drip(_ text: String, on socket: Int32) async -> Int {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var sent = 0
                for byte in text.utf8 {
                    var byte = byte
                    guard send(socket, &byte, 1, Int32(MSG_NOSIGNAL)) == 1 else { break }
                    sent += 1
                    var look = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                    if poll(&look, 1, 100) > 0 { break }
                }
                continuation.resume(returning: sent)
            }
        }
    }

    @Test func `who sends a head byte by byte is dropped after the limit of a connection`()
        async throws
    {
        try await withServer(
            silenceMax: 10, connectionMax: .seconds(1), { _ in ServedResponse(200, "here\n") }
        ) { server in
            let socket = try connect(to: server)
            defer { close(socket) }
            // Whole it would take two minutes.
            let text = get("/", "X: " + String(repeating: "x", count: 1200) + "\r\n")
            #expect(await drip(text, on: socket) < text.utf8.count)
            #expect(await answer(on: socket) == "")
            #expect(try await exchange(server, get("/")).hasSuffix("here\n"))
        }
    }

    @Test func `who takes no answer is dropped after the limit of a connection`() async throws {
        let body = String(repeating: "x", count: 32 << 20)
        let isAsked = Mutex(false)
        try await withServer(
            silenceMax: 300, connectionMax: .seconds(1),
            { _ in
                isAsked.withLock { $0 = true }
                return ServedResponse(200, body)
            }
        ) { server in
            let socket = try connect(to: server)
            defer { close(socket) }
            let request = get("/")
            _ = request.withCString { send(socket, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
            try await eventually("it is asked") { isAsked.withLock { $0 } }
            try await eventually("its connection is ended") { server.connections == 0 }
            #expect(await answer(on: socket).utf8.count < body.utf8.count)
        }
    }

    @Test func `a server that stops cancels its handlers and drops its connections`() async throws {
        let address = try #require(ListenAddress(":0"))
        let (begun, signal) = AsyncStream.makeStream(of: Void.self)
        let server = try HTTPServer(address) { _ in
            signal.yield()
            try? await Task.sleep(for: .seconds(600))
            return ServedResponse(200, "late\n")
        }
        let socket = try connect(to: server)
        defer { close(socket) }
        let request = get("/")
        _ = request.withCString { send(socket, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
        for await _ in begun { break }
        await server.stop()
        await server.stop()
        _ = await answer(on: socket)
    }

    @Test func `a port that is taken is told`() async throws {
        try await withServer({ _ in ServedResponse(200, "") }) { server in
            #expect(throws: HTTPServer.ListenFailure.self) {
                _ = try HTTPServer(server.address) { _ in ServedResponse(200, "") }
            }
        }
    }

    @Test(arguments: [
        ("127.0.0.1:9464", "127.0.0.1:9464"), (":80", "127.0.0.1:80"),
        ("localhost:1", "127.0.0.1:1"),
        ("0.0.0.0:65535", "0.0.0.0:65535"), ("127.0.0.1", nil), ("1.2.3:80", nil),
        ("127.0.0.1:65536", nil), ("::1:80", nil), ("", nil), ("host.example:80", nil),
    ])
    func `an address is an IPv4 one with a port`(text: String, read: String?) {
        #expect(ListenAddress(text)?.description == read)
        #expect(ListenAddress("127.9.9.9:1")?.isLoopback == true)
        #expect(ListenAddress("0.0.0.0:1")?.isLoopback == false)
    }
}
