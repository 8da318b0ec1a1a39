import COpenSSL
import Foundation
import Testing

@testable import FakeSource

/// The vector of the reference, and keys made here.
@Suite struct CloudKitSignatureTests {
    private let container = "iCloud.com.example.sportstime"
    private let body = #"{"query":{"recordType":"Stadium"},"resultsLimit":200}"#
    private let path =
        "/database/1/iCloud.com.example.sportstime/development/public/records/query"
    private let date = "2026-01-02T03:04:05Z"
    private let publicKey = """
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEcKoXUtwTc4fq24osFiX0QsaeqMJ7
        waJ3B2Z1gvTALmTpspzN2vp2OJKIu3Q4omSGV65/Ex11rF32ngTfj/QJeA==
        """
    private let signature =
        "MEQCIEmR1Twpy0YH9qfLM6Mwa9wlZDxco2+vOqG16kJ0X81pAiBTN8OMfoxdFikmCuIERJlAEMxBZEelUI+"
        + "NYUSfSb1c0w=="

    private func withKey(
        _ now: String, _ test: (Client) throws -> Void
    ) throws {
        try withSource { client in
            let key = publicKey.replacingOccurrences(of: "\n", with: "\\n")
            try client.command(
                "cloudkit/container",
                #"{"container":"\#(container)","environment":"development","#
                    + #""server_keys":{"key1":"\#(key)"}}"#)
            try client.command(
                "cloudkit/schema",
                #"{"container":"\#(container)","environment":"development","types":{"Stadium":{"recordName":{"queryable":true}}}}"#
            )
            try client.command("cloudkit/settings", #"{"signature_now":"\#(now)"}"#)
            try test(client)
        }
    }

    private func send(
        _ client: Client, path: String? = nil, date: String? = nil, signature: String? = nil,
        body: String? = nil, key: String = "key1"
    ) throws -> Client.Reply {
        try client.raw(
            client.request(
                "POST", path ?? self.path,
                [
                    "X-Apple-CloudKit-Request-KeyID": key,
                    "X-Apple-CloudKit-Request-ISO8601Date": date ?? self.date,
                    "X-Apple-CloudKit-Request-SignatureV1": signature ?? self.signature,
                ], body: body ?? self.body))
    }

    @Test func `F3 the reference's signature is good, and nothing but it`() throws {
        #expect(
            CloudSignature.hash(Array(body.utf8)) == "XWNApEEEqnPZlrehqtRjrS9MBounU0ddhUzylQilp6w=")
        #expect(CloudSignature.hash([]) == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        try withKey("2026-01-02T03:10:00Z") { client in
            let good = try send(client)
            #expect(good.status == 200, "\(good.text)")
            let flipped = signature.replacingOccurrences(of: "EmR1", with: "EmR2")
            let bad = [
                try send(client, signature: flipped),
                try send(client, signature: "not base64"),
                try send(client, body: body.replacingOccurrences(of: "200", with: "199")),
                try send(client, date: "2026-01-02T03:04:06Z"),
                try send(client, date: "2026-01-02T03:04:05.000Z"),
                try send(client, key: "key2"),
                try send(client, path: path.replacingOccurrences(of: "query", with: "lookup")),
                try send(client, path: path + "?ckAPIToken=x"),
            ]
            for reply in bad {
                #expect(reply.status == 401)
                #expect(try reply.json()["reason"] as? String == "Authentication failed")
            }
        }
    }

    @Test(arguments: ["2026-01-02T03:14:06Z", "2026-01-02T02:54:04Z"])
    func `F3 a date more than ten minutes off is refused`(now: String) throws {
        try withKey(now) { client in
            let reply = try send(client)
            #expect(reply.status == 401)
        }
    }

    @Test func `F3 a key reaches the public database only, and acts as a user of its own`() throws {
        let key = try SigningKey()
        try withSource { client in
            let pem = key.publicPEM.replacingOccurrences(of: "\n", with: "\\n")
            try client.command(
                "cloudkit/container",
                #"{"container":"\#(container)","server_keys":{"0123456789abcdef":"\#(pem)"}}"#)
            try client.command(
                "cloudkit/schema",
                #"{"container":"\#(container)","types":{\#(indexed("Note", ["text": "STRING"]))}}"#)
            func post(_ end: String, _ body: String) throws -> Client.Reply {
                let path = "/database/1/\(container)/production/\(end)"
                let date = String(iso8601(wallClock()).prefix(19)) + "Z"
                let hash = CloudSignature.hash(Array(body.utf8))
                let signature = try key.sign("\(date):\(hash):\(path)")
                return try send(
                    client, path: path, date: date, signature: signature, body: body,
                    key: "0123456789abcdef")
            }
            let create = #"{"operations":[\#(operation("create", "a"))]}"#
            let made = try post("public/records/modify", create).items("records")
            let creator = (made.first?["created"] as? [String: Any])?["userRecordName"]
            #expect(creator as? String == "_key_0123456789abcdef")
            #expect(try post("private/records/modify", create).status == 403)
            #expect(try post("private/zones/list", "{}").status == 403)
            let entry = try #require(try client.get("/_control/log").items("entries").first)
            #expect(entry["user"] as? String == "_key_0123456789abcdef")
            #expect(entry["credential"] as? String == "key")
            // Records of others are its to write where a role says so.
            try client.command(
                "cloudkit/records",
                #"{"container":"\#(container)","records":[{"recordName":"b","recordType":"Note","fields":{}}]}"#
            )
            let change = #"{"text":{"value":"x"}}"#
            func write() throws -> [String?] {
                let own = operation("forceUpdate", "a", fields: change)
                let others = operation("forceUpdate", "b", fields: change)
                let body = #"{"operations":[\#(own),\#(others)]}"#
                return codes(try post("public/records/modify", body).items("records"))
            }
            #expect(try write() == [nil, "ACCESS_DENIED"])
            let delete = operation("forceDelete", "b", recordType: nil)
            let deleted = try post("public/records/modify", #"{"operations":[\#(delete)]}"#)
            #expect(codes(try deleted.items("records")) == ["ACCESS_DENIED"])
            try client.command(
                "cloudkit/schema", #"{"container":"\#(container)","keys_write":["Note"]}"#)
            #expect(try write() == [nil, nil])
        }
    }

    @Test func `F3 what is signed for a query string and for no body is a switch`() throws {
        let key = try SigningKey()
        let zones = "/database/1/\(container)/production/public/zones/list"
        try withSource { client in
            let pem = key.publicPEM.replacingOccurrences(of: "\n", with: "\\n")
            try client.command(
                "cloudkit/container",
                #"{"container":"\#(container)","server_keys":{"k":"\#(pem)"}}"#)
            let date = String(iso8601(wallClock()).prefix(19)) + "Z"
            for (mode, signed, status) in [
                ("path", "", 200), ("path", "?a=b", 401), ("query", "?a=b", 200),
                ("query", "", 401),
            ] {
                try client.command("cloudkit/settings", #"{"signed_path":"\#(mode)"}"#)
                let hash = CloudSignature.hash(Array("{}".utf8))
                let signature = try key.sign("\(date):\(hash):\(zones)\(signed)")
                let reply = try send(
                    client, path: zones + "?a=b", date: date, signature: signature, body: "{}",
                    key: "k")
                #expect(reply.status == status)
            }
            try client.command("cloudkit/settings", #"{"signed_path":"path"}"#)
            for (mode, hash, status) in [
                ("both", "", 200), ("both", CloudSignature.hash([]), 200), ("hash", "", 401),
                ("empty", "", 200), ("empty", CloudSignature.hash([]), 401),
            ] {
                try client.command("cloudkit/settings", #"{"empty_body":"\#(mode)"}"#)
                let signature = try key.sign("\(date):\(hash):\(zones)")
                let reply = try send(
                    client, path: zones, date: date, signature: signature, body: "", key: "k")
                #expect(reply.status == status)
            }
        }
    }
}

/// A fresh P-256 key.
final class SigningKey {
    private let key: OpaquePointer

    init() throws {
        let context = try #require(EVP_PKEY_CTX_new_from_name(nil, "EC", nil))
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        try #require(EVP_PKEY_keygen_init(context) == 1)
        try #require(EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1)
        try #require(EVP_PKEY_generate(context, &made) == 1)
        key = try #require(made)
    }

    deinit { EVP_PKEY_free(key) }

    var publicPEM: String {
        guard let memory = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(memory) }
        PEM_write_bio_PUBKEY(memory, key)
        var text = [UInt8](repeating: 0, count: 1000)
        let count = BIO_read(memory, &text, 1000)
        return String(decoding: text.prefix(Int(max(0, count))), as: UTF8.self)
    }

    /// Base64 of the DER signature.
    func sign(_ message: String) throws -> String {
        let context = try #require(EVP_MD_CTX_new())
        defer { EVP_MD_CTX_free(context) }
        try #require(EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1)
        let text = Array(message.utf8)
        var signature = [UInt8](repeating: 0, count: 200)
        var count = signature.count
        try #require(EVP_DigestSign(context, &signature, &count, text, text.count) == 1)
        return Data(signature.prefix(count)).base64EncodedString()
    }
}
