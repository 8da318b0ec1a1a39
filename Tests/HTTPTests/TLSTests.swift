import Foundation
import HTTP
import Testing

@Suite(.serialized) final class TLSTests {
    private let folder: String

    /// Makes a CA and three certificates of its making: for this host, another host, long ago.
    init() async throws {
        folder = NSTemporaryDirectory() + "jobrunner-tls-\(UUID().uuidString)"
        try await output(
            of: """
                set -e; mkdir '\(folder)'; cd '\(folder)'
                key='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
                openssl req -x509 $key -keyout ca.key -out ca.pem -subj /CN=test-ca -days 2
                for name in IP:127.0.0.1 DNS:elsewhere.test; do
                    file=${name%%:*}
                    openssl req $key -keyout $file.key -out $file.csr -subj /CN=server
                    echo "subjectAltName=$name" > $file.ext
                    openssl x509 -req -in $file.csr -CA ca.pem -CAkey ca.key -CAcreateserial \
                        -out $file.pem -days 2 -extfile $file.ext
                done
                openssl x509 -req -in IP.csr -CA ca.pem -CAkey ca.key -CAcreateserial \
                    -out expired.pem -days -1 -extfile IP.ext
                """)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Runs `openssl s_server` while a test asks it for its page.
    private func withTLSServer(
        certificate: String, key: String = "IP", options: [String] = [],
        _ test: (String) async throws -> Void
    ) async throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.arguments =
            [
                "openssl", "s_server", "-www", "-accept", "127.0.0.1:0", "-cert",
                "\(certificate).pem", "-key", "\(key).key",
            ] + options
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        // A thread of the pool may block every signal that can be blocked, and what it starts blocks them, too.
        defer { kill(process.processIdentifier, SIGKILL) }
        let output = pipe.fileHandleForReading
        let port = try #require(try await offPool { acceptedPort(output) })
        try await test("https://127.0.0.1:\(port)/")
    }

    private func expectRefused(_ client: HTTPClient, _ url: String) async {
        let error = await client.failure(of: url)
        guard case .tls(let why) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(why.contains("certificate") || why.contains("SSL"))
        #expect(error?.isRetryable == false)
    }

    @Test func `a certificate of the given CA is accepted, without the CA it is refused`()
        async throws
    {
        try await withTLSServer(certificate: "IP") { url in
            let client = HTTPClient(caFile: folder + "/ca.pem")
            let whole = try await client.get(url)
            #expect(whole.status == 200)
            await expectRefused(HTTPClient(), url)
        }
    }

    @Test func `a self-signed certificate is refused`() async throws {
        try await withTLSServer(certificate: "ca", key: "ca") { url in
            await expectRefused(HTTPClient(), url)
        }
    }

    @Test func `a certificate for another host is refused`() async throws {
        try await withTLSServer(certificate: "DNS", key: "DNS") { url in
            await expectRefused(HTTPClient(caFile: folder + "/ca.pem"), url)
        }
    }

    @Test func `an expired certificate is refused`() async throws {
        try await withTLSServer(certificate: "expired") { url in
            await expectRefused(HTTPClient(caFile: folder + "/ca.pem"), url)
        }
    }

    @Test func `TLS 1.1 is refused`() async throws {
        let options = ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"]
        try await withTLSServer(certificate: "IP", options: options) { url in
            let error = await HTTPClient(caFile: folder + "/ca.pem").failure(of: url)
            guard case .connect = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `a CA file that can't be read refuses every server`() async throws {
        try await withTLSServer(certificate: "IP") { url in
            await expectRefused(HTTPClient(caFile: folder + "/absent.pem"), url)
        }
    }

    @Test func `a server that stalls in the handshake is left at the deadline`() async throws {
        try await withServer({ $0.waitForClose() }) { server in
            let url = "https://127.0.0.1:\(server.port)/"
            let error = await HTTPClient().failure(of: url, within: .milliseconds(300))
            #expect(error == .timedOut(phase: .connecting))
        }
    }
}

/// Reads the line in which the server names the port it was given.
@Sendable private func acceptedPort(_ output: FileHandle) -> Int? {
    var text = ""
    while let chunk = try? output.read(upToCount: 1), !chunk.isEmpty {
        text += String(decoding: chunk, as: UTF8.self)
        if text.hasSuffix("\n"), let line = text.split(separator: "\n").last,
            line.hasPrefix("ACCEPT"), let port = line.split(separator: ":").last
        {
            return Int(port)
        }
    }
    return nil
}
