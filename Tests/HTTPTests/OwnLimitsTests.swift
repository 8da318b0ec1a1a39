import CCurl
import Glibc
import Testing

@testable import HTTP

/// What this process lacks is nothing of the source's.
struct OwnLimitsTests {
    private func transfer(to address: UInt32, socketError: Int32 = 0) -> Transfer {
        let transfer = Transfer(
            request: HTTPRequest(method: "GET", url: "http://source.example"), deadline: .now)
        transfer.socketError = socketError
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = UInt16(9).bigEndian
        place.sin_addr.s_addr = address.bigEndian
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { storage in
            withUnsafeBytes(of: &place) { storage.copyMemory(from: $0) }
        }
        transfer.address = (storage, socklen_t(MemoryLayout<sockaddr_in>.size))
        return transfer
    }

    @Test(arguments: [
        (EMFILE, "file descriptor"), (ENFILE, "file descriptor"), (ENOBUFS, "memory for a socket"),
    ])
    func `a socket that the system does not give is this process's want`(error: Int32, word: String)
    {
        let refused = transfer(to: 0x7f00_0001, socketError: error)
        #expect(lack(refused, CURLE_COULDNT_CONNECT, systemError: 0) == word)
        let broken = transfer(to: 0x7f00_0001)
        #expect(lack(broken, CURLE_COULDNT_CONNECT, systemError: error) == word)
    }

    @Test func `a port is lacking only where the address can be reached`() {
        let loopback = transfer(to: 0x7f00_0001)
        #expect(lack(loopback, CURLE_COULDNT_CONNECT, systemError: EADDRNOTAVAIL) == "local port")
        // The system refuses the way to everybody's address.
        let everybody = transfer(to: 0xffff_ffff)
        #expect(lack(everybody, CURLE_COULDNT_CONNECT, systemError: EADDRNOTAVAIL) == nil)
    }

    @Test func `connections that are kept for later make room where few may be open`() async throws
    {
        let answer = keepAlive { connection, _ in _ = connection.answer(body: Array("ok".utf8)) }
        let servers = try (1...3).map { _ in try TestServer(answer) }
        defer { for server in servers { server.stop() } }
        for most in [2, 100] {
            let client = HTTPClient(connectionsMax: most)
            // Of the first two one has made room, whichever was used the earlier by a clock of milliseconds.
            for server in servers + servers.prefix(2) {
                let response = try await client.get(server.url())
                #expect(response.status == 200)
            }
            #expect((client.connectsCount > 3) == (most == 2), "\(client.connectsCount)")
            client.close()
        }
    }

    @Test func `what the source refuses stays the source's`() {
        let loopback = transfer(to: 0x7f00_0001)
        #expect(lack(loopback, CURLE_COULDNT_CONNECT, systemError: ECONNREFUSED) == nil)
        #expect(lack(loopback, CURLE_COULDNT_RESOLVE_HOST, systemError: 0) == nil)
        #expect(lack(loopback, CURLE_RECV_ERROR, systemError: ECONNRESET) == nil)
    }
}
