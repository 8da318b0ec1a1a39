import Foundation
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Serving

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
        try await withServer(
            within: ServerLimits(head: .seconds(1)), { _ in ServedResponse(200, "here\n") }
        ) { server in
            var silent: [Int32] = []
            defer { for socket in silent { close(socket) } }
            for _ in 1...200 {
                let socket = try connect(to: server)
                _ = "GET / HT".withCString { send(socket, $0, 8, Int32(MSG_NOSIGNAL)) }
                silent.append(socket)
            }
            // Those beyond the limit were dropped at once, the others are when a second has brought no head.
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

    @Test func `who sends a head byte by byte is dropped after the limit of a head`()
        async throws
    {
        try await withServer(
            within: ServerLimits(head: .seconds(1)), { _ in ServedResponse(200, "here\n") }
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
            within: ServerLimits(silence: 300, connection: .seconds(1)),
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
        ("127.0.0.1:65536", nil), ("127.0.0.1\u{0}.example:80", nil), ("::1:80", nil), ("", nil),
        ("host.example:80", nil),
    ])
    func `an address is an IPv4 one with a port`(text: String, read: String?) {
        #expect(ListenAddress(text)?.description == read)
        #expect(ListenAddress("127.9.9.9:1")?.isLoopback == true)
        #expect(ListenAddress("0.0.0.0:1")?.isLoopback == false)
    }
}
