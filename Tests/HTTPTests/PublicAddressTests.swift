@testable import HTTP
import Testing

/// Where a user chooses the host, no byte goes to an address that is not public.
@Suite struct PublicAddressTests {
    @Test(arguments: [
        "127.0.0.1", "localhost", "a.localhost", "2130706433", "0x7f.1", "127.1", "[::1]",
        "[::ffff:127.0.0.1]", "127.0.0.2",
    ])
    func `a server on this machine is never connected to by whatever name`(
        _ host: String
    ) async throws {
        try await withServer(keepAlive { connection, _ in connection.answer() }) { server in
            var request = HTTPRequest(url: "http://\(host):\(server.port)/")
            request.isPublicOnly = true
            #expect(await HTTPClient().failure(of: request) == .addressNotPublic)
            #expect(server.connectionsCount == 0)
        }
    }

    @Test func `a connection that another request has opened is not taken`() async throws {
        let asked = Events()
        try await withServer(
            keepAlive { connection, _ in
                asked.happen()
                connection.answer()
            }
        ) { server in
            let client = HTTPClient()
            _ = try await client.get(server.url())
            var request = HTTPRequest(url: server.url("/secret"))
            request.isPublicOnly = true
            #expect(await client.failure(of: request) == .addressNotPublic)
            // The next to be answered is this one: nothing went out in between.
            #expect(try await client.get(server.url()).status == 200)
            #expect(server.connectionsCount <= 2)
            await asked.wait(for: 2)
        }
    }
}
