import Testing

@testable import HTTP

/// A name that means another address than it did a moment ago.
@Suite struct RebindingTests {
    @Test func `a name that changes its address leads to no refused one`() async throws {
        try await OwnNetwork.with(suite: "RebindingTests") { server in
            let open = try #require(addressBytes("8.8.8.8"))
            let refused = [
                "127.0.0.1", "10.0.0.5", "169.254.169.254", "::1", "fd00:ec2::23", "100.64.0.1",
                "::ffff:127.0.0.1",
            ]
            let kept = HTTPClient(privateNetworks: .none)
            let url = "http://source.test:\(server.port)/"
            for round in 0..<20 {
                for address in refused {
                    try OwnNetwork.resolve(["8.8.8.8 source.test"])
                    // A new client looks the name up; the kept one has its connection.
                    #expect(try await HTTPClient(privateNetworks: .none).get(url).status == 200)
                    #expect(try await kept.get(url).status == 200)
                    try OwnNetwork.resolve(["\(address) source.test"])
                    let client = HTTPClient(privateNetworks: .none)
                    guard case .addressRefused = await client.failure(of: url) else {
                        Issue.record("\(address) was not refused")
                        return
                    }
                    // Of several addresses the first one fails, and the next one is refused.
                    let both = ["\(OwnNetwork.unreachable) source.test", "\(address) source.test"]
                    try OwnNetwork.resolve(round.isMultiple(of: 2) ? both : both.reversed())
                    _ = await HTTPClient(privateNetworks: .none).failure(of: url)
                    #expect(try await kept.get(url).status == 200)
                }
            }
            #expect(Set(server.dialled) == [open])
            #expect(server.dialled.count == 20 * refused.count + 1)
            #expect(kept.connectsCount == 1)
        }
    }
}
