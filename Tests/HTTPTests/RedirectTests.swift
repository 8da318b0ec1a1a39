import HTTP
import Testing

@Suite struct RedirectTests {
    @Test(arguments: [301, 302, 303, 307, 308])
    func `a GET follows a redirect within its origin and keeps its headers`(_ status: Int)
        async throws
    {
        try await withServer(
            keepAlive { connection, request in
                if request.hasPrefix("GET /a/b ") {
                    connection.answer("\(status) Moved", headers: ["Location: ../c?d=e#f"])
                } else {
                    connection.answer(body: Array(request.utf8))
                }
            }
        ) { server in
            let request = HTTPRequest(
                url: server.url("/a/b"), headers: [HTTPHeader("Authorization", "Bearer x")])
            let response = try await HTTPClient().send(request, deadline: .now + .seconds(20))
            let seen = String(decoding: response.body, as: UTF8.self)
            #expect(response.status == 200)
            #expect(seen.hasPrefix("GET /c?d=e HTTP/1.1\r\n"))
            #expect(seen.contains("Authorization: Bearer x\r\n"))
        }
    }

    @Test func `a redirect to another port or host is refused and nothing is sent there`()
        async throws
    {
        try await withServer(keepAlive { connection, _ in connection.answer() }) { other in
            let targets = [
                other.url("/?token=1"), "http://localhost:\(other.port)/", "//127.0.0.1:1/",
                "https://127.0.0.1/",
            ]
            for target in targets {
                try await withServer(
                    keepAlive { connection, _ in
                        connection.answer("302 Found", headers: ["Location: \(target)"])
                    }
                ) { server in
                    let error = await HTTPClient().failure(of: server.url())
                    guard case .redirectRefused(let host) = error else {
                        Issue.record("\(target): \(String(describing: error))")
                        return
                    }
                    #expect(host == "127.0.0.1" || host == "localhost")
                }
            }
            #expect(other.connectionsCount == 0)
        }
    }

    @Test(arguments: ["file:///etc/passwd", "http://a:b@127.0.0.1/", "http://", "gopher://x/"])
    func `a redirect to what is no http URL is refused`(_ location: String) async throws {
        try await withServer(
            keepAlive { connection, _ in
                connection.answer("302 Found", headers: ["Location: \(location)"])
            }
        ) { server in
            guard case .redirectRefused = await HTTPClient().failure(of: server.url()) else {
                Issue.record("expected a refusal")
                return
            }
        }
    }

    @Test func `a loop of redirects ends after three`() async throws {
        let requests = Events()
        try await withServer(
            keepAlive { connection, _ in
                requests.happen()
                connection.answer("302 Found", headers: ["Location: /again"])
            }
        ) { server in
            #expect(await HTTPClient().failure(of: server.url()) == .tooManyRedirects)
            await requests.wait(for: 4)
        }
    }

    @Test func `three redirects are followed and their bytes counted`() async throws {
        try await withServer(
            keepAlive { connection, request in
                let step = request.split(separator: " ")[1].count
                if step < 4 {
                    connection.answer(
                        "302 Found", headers: ["Location: /\(String(repeating: "x", count: step))"],
                        body: [1, 2])
                } else {
                    connection.answer(body: [3])
                }
            }
        ) { server in
            let response = try await HTTPClient().get(server.url())
            #expect(response.body == [3])
            #expect(response.wireBytes == 7)
        }
    }

    @Test func `a redirected POST is refused`() async throws {
        try await withServer(
            keepAlive { connection, _ in
                connection.answer("307 Temporary", headers: ["Location: /c"])
            }
        ) { server in
            let request = HTTPRequest(method: "POST", url: server.url(), body: [1])
            #expect(
                await HTTPClient().failure(of: request) == .redirectRefused(host: "127.0.0.1"))
        }
    }

    @Test(arguments: ["304 Not Modified", "302 Found", "300 Choice"])
    func `other answers in the 300s are returned`(_ status: String) async throws {
        try await withServer(keepAlive { connection, _ in connection.answer(status) }) { server in
            let whole = try await HTTPClient().get(server.url())
            #expect(whole.status == Int(status.prefix(3)))
        }
    }
}
