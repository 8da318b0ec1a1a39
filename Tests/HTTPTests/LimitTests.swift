import HTTP
import Testing

@Suite struct LimitTests {
    private static let headers = ["Content-Encoding: gzip"]

    @Test func `a compression bomb is stopped at the decoded limit`() async throws {
        let bomb = try await output(of: "head -c 10485760 /dev/zero | gzip -c")
        #expect(bomb.count < 20_000)
        try await withServer(
            keepAlive { connection, _ in connection.answer(headers: Self.headers, body: bomb) }
        ) { server in
            let capped = HTTPClient(limits: HTTPLimits(decodedBytesMax: 1 << 20))
            #expect(
                await capped.failure(of: server.url()) == .tooLarge(.decoded, limit: 1 << 20))
            // However small it came: an honest page may compress a thousandfold.
            let exact = HTTPClient(limits: HTTPLimits(decodedBytesMax: 10_485_760))
            let whole = try await exact.get(server.url())
            #expect(whole.body.count == 10_485_760)
        }
    }

    @Test(arguments: [true, false])
    func `a body larger than the wire limit is refused`(_ isAnnounced: Bool) async throws {
        let body = [UInt8](repeating: 1, count: 1000)
        try await withServer({ connection in
            _ = connection.readRequest()
            if isAnnounced {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
            } else {
                connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            }
            while connection.send(body) {}
        }) { server in
            let client = HTTPClient(limits: HTTPLimits(wireBytesMax: 100_000))
            #expect(
                await client.failure(of: server.url()) == .tooLarge(.wire, limit: 100_000))
        }
    }

    @Test func `a body of exactly the wire limit passes, one byte more does not`() async throws {
        try await withServer(
            keepAlive { connection, request in
                let count = request.contains("/more") ? 5001 : 5000
                connection.send(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + String(count, radix: 16) + "\r\n" + String(repeating: "x", count: count)
                        + "\r\n0\r\n\r\n")
            }
        ) { server in
            let client = HTTPClient(limits: HTTPLimits(wireBytesMax: 5000))
            let whole = try await client.get(server.url())
            #expect(whole.wireBytes == 5000)
            #expect(
                await client.failure(of: server.url("/more")) == .tooLarge(.wire, limit: 5000))
        }
    }

    @Test(arguments: ["X-%: y\r\n", "HTTP/1.1 100 Continue\r\n\r\n"])
    func `headers without end are refused`(_ line: String) async throws {
        try await withServer({ connection in
            _ = connection.readRequest()
            if line.hasPrefix("X") { connection.send("HTTP/1.1 200 OK\r\n") }
            let lines = String(repeating: line, count: 100)
            while connection.send(lines) {}
        }) { server in
            let client = HTTPClient(limits: HTTPLimits(headerBytesMax: 10_000))
            #expect(
                await client.failure(of: server.url()) == .tooLarge(.headers, limit: 10_000))
        }
    }

    @Test func `where all bodies together are too many the longest is given up, and no short one`()
        async throws
    {
        let part = [UInt8](repeating: 1, count: 1 << 20)
        let sent = Events()
        try await withServer({ connection in
            guard let request = connection.readRequest() else { return }
            if request.contains("/short") {
                connection.answer(body: [7])
                return
            }
            // Five of eight megabytes; the rest never comes.
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8388608\r\n\r\n")
            for _ in 0..<(request.contains("/long") ? 5 : 2) { connection.send(part) }
            sent.happen()
            _ = connection.readRequest()
        }) { server in
            let client = HTTPClient(limits: HTTPLimits(heldBytesMax: 6 << 20))
            async let waiting = client.failure(of: server.url("/other"), within: .seconds(5))
            await sent.wait()
            #expect(await client.failure(of: server.url("/long")) == .crowded(limit: 6 << 20))
            let short = try await client.get(server.url("/short"))
            #expect(short.body == [7])
            #expect(await waiting == .timedOut(phase: .receiving))
        }
    }

    @Test func `a body counts until its response is let go`() async throws {
        let body = [UInt8](repeating: 1, count: 3 << 20)
        try await withServer(keepAlive { connection, _ in connection.answer(body: body) }) {
            server in
            let client = HTTPClient(limits: HTTPLimits(heldBytesMax: 5 << 20))
            var kept: HTTPResponse? = try await client.get(server.url())
            #expect(kept?.body.count == 3 << 20)
            #expect(await client.failure(of: server.url()) == .crowded(limit: 5 << 20))
            kept = nil
            let next = try await client.get(server.url())
            #expect(next.body.count == 3 << 20)
        }
    }
}
