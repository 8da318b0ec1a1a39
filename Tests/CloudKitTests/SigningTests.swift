import Basics
import Asking
import HTTP
import JobQueue
import Reading
import Secrets
import Testing

@testable import CloudKit

@Suite struct SigningTests {
    private let body = #"{"query":{"recordType":"Stadium"},"resultsLimit":200}"#
    private let hashed = "XWNApEEEqnPZlrehqtRjrS9MBounU0ddhUzylQilp6w="
    private let path =
        "/database/1/iCloud.com.example.sportstime/development/public/records/query"
    private let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEcKoXUtwTc4fq24osFiX0QsaeqMJ7
        waJ3B2Z1gvTALmTpspzN2vp2OJKIu3Q4omSGV65/Ex11rF32ngTfj/QJeA==
        -----END PUBLIC KEY-----

        """
    private let signature =
        "MEQCIEmR1Twpy0YH9qfLM6Mwa9wlZDxco2+vOqG16kJ0X81pAiBTN8OMfoxdFikmCuIERJlAEMxBZEelUI+NYUSfSb1c0w=="

    private func request(_ url: String, _ body: String?) -> HTTPRequest {
        HTTPRequest(method: "POST", url: url, body: body.map { Array($0.utf8) })
    }

    private func signed(
        _ request: HTTPRequest, pem: String, seconds: Int = vectorSeconds
    ) throws -> HTTPRequest {
        try serverDialect().signed(
            request, with: secrets(["key_id": "ab12", "key": pem]), unixSeconds: seconds)
    }

    private func isKey(_ pem: String) -> Bool {
        guard let key = SigningKey(pem: pem, kinds: [.p256]) else { return false }
        return key.signature(of: []) != nil
    }

    private func header(_ request: HTTPRequest, _ name: String) -> String? {
        let found = request.headers.filter { $0.name == "X-Apple-CloudKit-Request-\(name)" }
        return found.count == 1 ? found[0].value : nil
    }

    @Test func `3.2 hashes are those of the reference's vector, of an empty object and of nothing`()
    {
        #expect(body.utf8.count == 53)
        #expect(CloudKit.hash(Array(body.utf8)) == hashed)
        #expect(CloudKit.hash(Array("{}".utf8)) == "RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=")
        #expect(CloudKit.hash([]) == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
    }

    @Test(
        arguments: [
            ([], ""), ([0x66], "Zg=="), ([0x66, 0x6f], "Zm8="), ([0x66, 0x6f, 0x6f], "Zm9v"),
            ([0xfb, 0xff], "+/8="),
        ] as [([UInt8], String)])
    func `3.2 base64 is padded and uses plus and slash`(_ bytes: [UInt8], _ text: String) {
        #expect(Base64.encode(bytes) == text)
        #expect(decoded(base64: text) == bytes)
    }

    @Test func `3.2 the message has date, hash and path, without host, prefix, query or fraction`()
    {
        let message = "2026-01-02T03:04:05Z:\(hashed):\(path)"
        for url in [
            "https://api.apple-cloudkit.com\(path)", "http://127.0.0.1:8080/a/b\(path)",
            "https://api.apple-cloudkit.com\(path)?getCurrentSyncToken=true",
        ] {
            let made = signedMessage(
                date: "2026-01-02T03:04:05Z", body: Array(body.utf8), url: url)
            #expect(made == message)
        }
    }

    @Test func `3.2 the reference's signature fits its message and key, and no other message`()
        throws
    {
        let key = try #require(TestKey(publicPEM: publicKey))
        let message = Array("2026-01-02T03:04:05Z:\(hashed):\(path)".utf8)
        let signature = decoded(base64: signature)
        #expect(key.verifies(signature, of: message))
        for index in message.indices {
            var flipped = message
            flipped[index] ^= 1
            #expect(!key.verifies(signature, of: flipped))
        }
    }

    @Test(arguments: [TestKey.Form.sec1, .pkcs8])
    func `3.2 what we sign verifies with the key's public half, and not after one flipped byte`(
        _ form: TestKey.Form
    ) throws {
        let key = try #require(TestKey())
        let pem = key.pem(form)
        #expect(pem.hasPrefix(form == .sec1 ? "-----BEGIN EC PRIV" : "-----BEGIN PRIV"))
        let sent = try signed(
            request("https://api.apple-cloudkit.com\(path)?x=1", body), pem: pem)
        #expect(header(sent, "KeyID") == "ab12")
        #expect(header(sent, "ISO8601Date") == "2026-01-02T03:04:05Z")
        #expect(sent.body == Array(body.utf8))
        #expect(sent.url.hasSuffix("\(path)?x=1"))
        let signature = decoded(base64: try #require(header(sent, "SignatureV1")))
        #expect(signature.first == 0x30)
        let verifier = try #require(TestKey(publicPEM: key.publicPEM))
        var message = Array("2026-01-02T03:04:05Z:\(hashed):\(path)".utf8)
        #expect(verifier.verifies(signature, of: message))
        message[30] ^= 1
        #expect(!verifier.verifies(signature, of: message))
        #expect(try #require(TestKey()).verifies(signature, of: message) == false)
    }

    @Test func `3.2 each attempt is signed for its own second`() throws {
        let key = try #require(TestKey())
        let plain = request("https://h.example\(path)", body)
        let first = try signed(plain, pem: key.pem(.sec1))
        let second = try signed(plain, pem: key.pem(.sec1), seconds: vectorSeconds + 55)
        #expect(header(second, "ISO8601Date") == "2026-01-02T03:05:00Z")
        #expect(header(first, "SignatureV1") != header(second, "SignatureV1"))
    }

    @Test(arguments: [nil, ""] as [String?])
    func `3.2 an empty body is never sent: a signed request carries an empty object at least`(
        _ body: String?
    ) throws {
        let key = try #require(TestKey())
        var bare = request("https://h.example\(path)", body)
        bare.method = "GET"
        let sent = try signed(bare, pem: key.pem(.pkcs8))
        #expect(sent.method == "POST")
        #expect(sent.body == Array("{}".utf8))
        #expect(sent.headers.contains(HTTPHeader("Content-Type", "application/json")))
        let signature = decoded(base64: try #require(header(sent, "SignatureV1")))
        let hash = "RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o="
        #expect(key.verifies(signature, of: Array("2026-01-02T03:04:05Z:\(hash):\(path)".utf8)))
    }

    @Test
    func `3.2 a key is read behind its curve's parameters, with other line ends, or cut short`()
        throws
    {
        let key = try #require(TestKey())
        let parameters =
            "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
        #expect(isKey(parameters + key.pem(.sec1)))
        #expect(isKey(key.pem(.sec1).replacing("\n", with: "\r\n")))
        #expect(isKey(String(key.pem(.pkcs8).dropLast())))
    }

    @Test func `3.2 what is no P-256 key ends in needs_reauth, and nothing of it is shown`() throws
    {
        let valid = try #require(TestKey()).pem(.sec1)
        let damaged = valid.replacing("MHc", with: "MHb")
        let others = [
            "", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            String(valid.prefix(120)), damaged, try #require(TestKey()).publicPEM,
            try #require(TestKey()).pem(.encryptedSEC1),
            try #require(TestKey()).pem(.encryptedPKCS8),
            try #require(TestKey(group: "P-384")).pem(.pkcs8),
            try #require(TestKey(group: "secp256k1")).pem(.sec1),
            try #require(TestKey("ED25519", group: nil)).pem(.pkcs8),
        ]
        for pem in others {
            let error = #expect(throws: RunEnd.self) {
                try signed(request("https://h.example\(path)", body), pem: pem)
            }
            #expect(
                error
                    == .needsReauth(
                        message: "secret 'key' is no unencrypted private key on curve P-256 in PEM "
                            + "form, as `openssl ecparam -name prime256v1 -genkey -noout` makes it")
            )
        }
    }

    @Test func `3.2 a secret that is not set ends in needs_reauth with its name`() throws {
        let error = #expect(throws: RunEnd.self) {
            try serverDialect().signed(
                request("https://h.example\(path)", body), with: secrets(["key_id": "ab"]),
                unixSeconds: 0)
        }
        #expect(error == .needsReauth(message: "secret 'key' is not set"))
    }
}
