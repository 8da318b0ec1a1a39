import Foundation
import TestSupport
import Testing

@testable import Serving

/// Clients that would keep the others out.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CrowdTests {
    /// Half a question, over so many connections from each address.
    private func crowd(
        _ server: HTTPServer, addresses: Int, each: Int, _ text: String
    ) throws -> [Int32] {
        try (1...addresses).flatMap { address in
            try (1...each).map { _ in
                let socket = try connect(to: server, from: "127.0.1.\(address)")
                _ = text.withCString { send(socket, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
                return socket
            }
        }
    }

    @Test(arguments: [4, 40], ["GET /livez HTTP/1.1\r\nHost: x\r\n", "", "G"])
    func `whoever asks in one piece is heard, however many others ask half a question`(
        _ addresses: Int, _ half: String
    ) async throws {
        // Nobody in the crowd runs into another limit while the test lasts.
        let limits = ServerLimits(head: .seconds(600), silence: 600, connection: .seconds(600))
        try await withServer(within: limits, { _ in ServedResponse(200, "alive\n") }) { server in
            for round in 1...8 {
                // They come back as they are dropped.
                let sockets = try crowd(
                    server, addresses: addresses, each: 72 / addresses + 7, half)
                defer { for socket in sockets { close(socket) } }
                let answer = try await exchange(server, get("/livez"), from: "127.0.2.\(round)")
                #expect(status(answer) == 200, "round \(round)")
            }
        }
    }

    @Test func `whoever takes his answers slowly keeps nobody out`() async throws {
        let body = String(repeating: "x", count: 8 << 20)
        let limits = ServerLimits(silence: 600, connection: .seconds(600))
        try await withServer(
            within: limits, { ServedResponse(200, $0.path == "/livez" ? "alive\n" : body) }
        ) { server in
            let sockets = try crowd(server, addresses: 8, each: 17, get("/metrics"))
            defer { for socket in sockets { close(socket) } }
            for round in 1...5 {
                let answer = try await exchange(server, get("/livez"), from: "127.0.2.\(round)")
                #expect(status(answer) == 200, "round \(round)")
            }
        }
    }

    @Test func `a head that has not come after its time ends the connection`() async throws {
        let limits = ServerLimits(head: .seconds(1), silence: 600, connection: .seconds(600))
        try await withServer(within: limits, { _ in ServedResponse(200, "") }) { server in
            for half in ["", "GET / HTTP/1.1\r\nHost: x\r\n"] {
                let socket = try connect(to: server)
                defer { close(socket) }
                _ = half.withCString { send(socket, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
                #expect(await answer(on: socket) == "")
            }
        }
        #expect(ServerLimits().head == .seconds(3))
    }

    @Test(arguments: [
        "GET /?\((1...300).map { "p\($0)=1" }.joined(separator: "&")) HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /?\(String(repeating: "&", count: 3000)) HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /?\((1...51).map { "p\($0)" }.joined(separator: "&")) HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\n\((1...300).map { "X\($0): y\r\n" }.joined())\r\n",
    ])
    func `what is too much to be read is refused at once`(_ request: String) async throws {
        // Whoever waited in vain would wait for ever.
        let limits = ServerLimits(head: .seconds(600), silence: 600, connection: .seconds(600))
        try await withServer(within: limits, { _ in ServedResponse(200, "no\n") }) { server in
            let answer = try await exchange(server, request)
            #expect((400...499).contains(status(answer) ?? 0), "\(answer.prefix(80))")
            #expect(status(try await exchange(server, get("/?a=1&b=2"))) == 200)
        }
    }

    @Test func `more cookies than can be read end the connection at once`() async throws {
        let limits = ServerLimits(head: .seconds(600), silence: 600, connection: .seconds(600))
        try await withServer(within: limits, { _ in ServedResponse(200, "no\n") }) { server in
            let socket = try connect(to: server)
            defer { close(socket) }
            let cookies = (1...300).map { "c\($0)=1" }.joined(separator: "; ")
            let request = get("/", "Cookie: \(cookies)\r\n")
            _ = request.withCString { send(socket, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
            try await eventually("it is ended") { server.connections == 0 }
            #expect(status(await answer(on: socket)) != 200)
        }
    }
}
