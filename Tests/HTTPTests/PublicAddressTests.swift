@testable import HTTP
import Testing

/// Where a user chooses the host, no byte goes to an address that is not public.
@Suite struct PublicAddressTests {
    @Test(arguments: [
        "0.0.0.0", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.8.9.10",
        "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1",
        "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1",
        "240.0.0.1", "255.255.255.255", "168.63.129.16", "100.100.100.200",
    ])
    func `an IPv4 address of somebody's own network is not public, nor in IPv6`(
        _ text: String
    ) throws {
        let bytes = text.split(separator: ".").compactMap { UInt8($0) }
        #expect(!isPublicAddress(ipv4: bytes))
        for prefix in [
            [UInt8](repeating: 0, count: 12), [UInt8](repeating: 0, count: 10) + [255, 255],
            [0, 0x64, 0xff, 0x9b] + [UInt8](repeating: 0, count: 8),
        ] { #expect(!isPublicAddress(ipv6: prefix + bytes)) }
        #expect(
            !isPublicAddress(ipv6: [0x20, 0x02] + bytes + [UInt8](repeating: 7, count: 10)))
    }

    @Test(
        arguments: [
            [0xfd, 0], [0xfc, 1], [0xfe, 0x80], [0xfe, 0xc0], [0xff, 2], [0x20, 1, 0, 0],
            [0x20, 1, 0x0d, 0xb8], [0x3f, 0xff, 0, 1], [0x40, 0], [0, 0],
        ] as [[UInt8]])
    func `an IPv6 address that is not global unicast is not public`(_ start: [UInt8]) {
        let rest = [UInt8](repeating: 7, count: 16 - start.count)
        #expect(!isPublicAddress(ipv6: start + rest))
        #expect(!isPublicAddress(ipv6: [UInt8](repeating: 0, count: 15) + [1]))
    }

    @Test func `what anybody can reach is public, also through NAT64`() {
        for address: [UInt8] in [[8, 8, 8, 8], [1, 1, 1, 1], [172, 32, 0, 1], [100, 128, 0, 1]] {
            #expect(isPublicAddress(ipv4: address))
            #expect(
                isPublicAddress(
                    ipv6: [0, 0x64, 0xff, 0x9b] + [UInt8](repeating: 0, count: 8) + address))
        }
        let rest = [UInt8](repeating: 7, count: 12)
        #expect(isPublicAddress(ipv6: [0x26, 0x06, 0x47, 0x00] + rest))
        #expect(isPublicAddress(ipv6: [0x2a, 0x00, 0x14, 0x50] + rest))
    }

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
