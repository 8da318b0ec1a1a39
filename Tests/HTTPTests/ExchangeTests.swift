import HTTP
import Testing

@Suite struct ExchangeTests {
    @Test func `a response carries status, headers in order and the whole body`() async throws {
        try await withServer(
            keepAlive { connection, _ in
                connection.answer(
                    "201 Created", headers: ["X-One: 1", "x-one:  2 ", "Empty:"],
                    body: Array("hello".utf8))
            }
        ) { server in
            let response = try await HTTPClient().get(server.url())
            #expect(response.status == 201)
            #expect(response.body == Array("hello".utf8))
            #expect(response.wireBytes == 5)
            #expect(response.header("X-ONE") == "1")
            #expect(response.allValues(of: "x-one") == ["1", "2"])
            #expect(response.header("empty") == "")
            #expect(response.header("absent") == nil)
            #expect(response.elapsed > .zero)
        }
    }

    @Test func `an interim answer's headers do not count as the answer's`() async throws {
        try await withServer(
            keepAlive { connection, _ in
                connection.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
                connection.answer(headers: ["X: y"])
            }
        ) { server in
            let response = try await HTTPClient().get(server.url())
            #expect(response.status == 200)
            #expect(response.header("Link") == nil)
            #expect(response.header("X") == "y")
        }
    }

    @Test func `a chunked body is put together and its trailer is kept`() async throws {
        try await withServer(
            keepAlive { connection, _ in
                connection.send(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "3\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 7\r\n\r\n")
            }
        ) { server in
            let response = try await HTTPClient().get(server.url())
            #expect(response.body == Array("abcde".utf8))
            #expect(response.wireBytes == 5)
            #expect(response.header("x-sum") == "7")
        }
    }

    @Test func `requests one after another share one connection`() async throws {
        try await withServer(keepAlive { connection, _ in connection.answer() }) { server in
            let client = HTTPClient()
            for _ in 0..<20 { _ = try await client.get(server.url()) }
            #expect(client.connectsCount == 1)
            #expect(server.connectionsCount == 1)
        }
    }

    @Test func `OW15 a kept connection that the server closed is replaced`() async throws {
        let served = Events()
        try await withServer({ connection in
            _ = connection.readRequest()
            connection.answer()
            connection.close()
            served.happen()
        }) { server in
            let client = HTTPClient()
            for _ in 0..<3 {
                let whole = try await client.get(server.url())
                #expect(whole.status == 200)
                await served.wait()
            }
            #expect(client.connectsCount == 3)
        }
    }

    @Test func `method, headers and body go out as given and nothing of curl's own`() async throws {
        try await withServer(
            keepAlive { connection, request in connection.answer(body: Array(request.utf8)) }
        ) { server in
            let client = HTTPClient()
            for method in ["POST", "PUT", "PATCH", "DELETE", "GET"] {
                let request = HTTPRequest(
                    method: method, url: server.url("/a%20b/../c?d=e"),
                    headers: [HTTPHeader("X-Key", " abc "), HTTPHeader("X-Empty", "")],
                    body: Array("{\"n\":1}".utf8))
                let seen = try await client.send(request, deadline: .now + .seconds(20)).body
                let text = String(decoding: seen, as: UTF8.self)
                #expect(
                    text == """
                        \(method) /a%20b/../c?d=e HTTP/1.1\r
                        Host: 127.0.0.1:\(server.port)\r
                        User-Agent: tests\r
                        Accept: */*\r
                        Accept-Encoding: gzip, deflate\r
                        X-Key: abc\r
                        X-Empty:\r
                        Content-Length: 7\r
                        \r
                        {"n":1}
                        """)
            }
        }
    }

    @Test func `a POST without a body says so, a GET says nothing of a body`() async throws {
        try await withServer(
            keepAlive { connection, request in connection.answer(body: Array(request.utf8)) }
        ) { server in
            let client = HTTPClient()
            for (method, announces) in [("POST", true), ("GET", false), ("DELETE", false)] {
                let request = HTTPRequest(method: method, url: server.url())
                let seen = try await client.send(request, deadline: .now + .seconds(20)).body
                let text = String(decoding: seen, as: UTF8.self)
                #expect(text.contains("Content-Length: 0\r\n") == announces)
                #expect(!text.contains("Content-Type"))
                #expect(text.hasPrefix("\(method) "))
            }
        }
    }

    @Test func `a HEAD ends with the headers`() async throws {
        try await withServer(
            keepAlive { connection, _ in
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")
            }
        ) { server in
            let request = HTTPRequest(method: "HEAD", url: server.url())
            let response = try await HTTPClient().send(request, deadline: .now + .seconds(20))
            #expect(response.body.isEmpty)
            #expect(response.header("Content-Length") == "99")
        }
    }

    @Test func `two thousand requests at once all end, no more than allowed in flight`()
        async throws
    {
        try await withServer(keepAlive { connection, _ in connection.answer() }) { server in
            let client = HTTPClient(transfersMax: 32)
            let url = server.url()
            let statuses = await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<2000 {
                    group.addTask { try? await client.get(url, within: .seconds(60)).status }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 200 }.count == 2000)
            #expect(server.connectionsCount <= 32)
        }
    }

    @Test func `a closed client cancels what is under way and what comes later`() async throws {
        let arrived = Events()
        try await withServer({ connection in
            _ = connection.readRequest()
            arrived.happen()
            connection.waitForClose()
        }) { server in
            let client = HTTPClient()
            async let underWay = client.failure(of: server.url())
            await arrived.wait()
            client.close()
            #expect(await underWay == .cancelled)
            #expect(await client.failure(of: server.url()) == .cancelled)
        }
    }
}
