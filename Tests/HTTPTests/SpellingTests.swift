import Testing

@testable import HTTP

/// Whatever way an address is written, what is dialled is looked at.
@Suite struct SpellingTests {
    @Test func `of three thousand ways to write refused addresses none is dialled`() async throws {
        try await OwnNetwork.with(suite: "SpellingTests") { server in
            let open = ["8.8.8.8", "2606:4700::1111"].compactMap(addressBytes)
            let refused = (AddressCheckTests.special + AddressCheckTests.metadata)
                .compactMap(addressBytes)
            let written =
                refused.flatMap { spellings(of: $0, port: server.port) }
                + ["localhost", "LOCALHOST", "localhost.", "a.localhost"].map {
                    "\($0):\(server.port)"
                }
            #expect(Set(written).count > 3000)
            let client = HTTPClient(privateNetworks: .none)
            await ask(client, written)
            await ask(client, written, isPublicOnly: true)
            // Some spellings lead to the public address that they hold as well.
            #expect(Set(server.dialled).subtracting(open).isEmpty)

            // That the server counts what arrives: what is allowed does.
            let before = server.dialled.count
            for address in open { await ask(client, spellings(of: address, port: server.port)) }
            #expect(Set(server.dialled[before...]) == Set(open))

            // Named, the same ways of writing lead there, so that it was the check that held them back.
            let named = try Networks("127.0.0.0/8, 10.0.0.0/8, fc00::/7, ::1")
            let everywhere = HTTPClient(privateNetworks: named)
            await ask(everywhere, written)
            let reached = Set(server.dialled).subtracting(open)
            #expect(reached.count >= 8)
            for address in reached {
                #expect(
                    named.contain(address) && SpecialRange.holding(address)?.isClosed == false,
                    "\(addressText(address))")
            }
            await ask(everywhere, written, isPublicOnly: true)
            #expect(Set(server.dialled).subtracting(open) == reached)
        }
    }

    private func ask(_ client: HTTPClient, _ hosts: [String], isPublicOnly: Bool = false) async {
        await withTaskGroup { group in
            for part in 0..<32 {
                group.addTask {
                    for index in stride(from: part, to: hosts.count, by: 32) {
                        var request = HTTPRequest(url: "http://\(hosts[index])/")
                        request.isPublicOnly = isPublicOnly
                        _ = try? await client.send(request, deadline: .now + .seconds(60))
                    }
                }
            }
        }
    }
}
