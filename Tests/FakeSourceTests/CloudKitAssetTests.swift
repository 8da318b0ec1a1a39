import Foundation
import Testing

@testable import FakeSource

/// Texts that Core Data keeps as assets, and their addresses.
@Suite struct CloudKitAssetTests {
    private static let query = "container=iCloud.com.example.luego&user=user-000001"
    private static let zone = "com.apple.coredata.cloudkit.zone"

    private func feed(_ client: Client) throws -> [[String: Any]] {
        let body = #"{"zones":[{"zoneID":{"zoneName":"\#(Self.zone)"}}]}"#
        let path = "/database/1/iCloud.com.example.luego/production/private/changes/zone"
        let answer = try client.post(
            "\(path)?ckAPIToken=api-token&ckWebAuthToken=token-user-000001", body)
        return try #require(try answer.items("zones").first?["records"] as? [[String: Any]])
    }

    private func field(_ record: [String: Any]?, _ name: String) -> Any? {
        ((record?["fields"] as? [String: Any])?[name] as? [String: Any])?["value"]
    }

    private func fill(_ client: Client) throws {
        try client.command(
            "cloudkit/fixture",
            #"{"name":"luego","users":1,"records":12,"plain_names":true,"assets_above":{"CD_content":19}}"#
        )
    }

    private func asset(_ client: Client) throws -> (path: String, value: [String: Any]) {
        let record = try feed(client).first { $0["recordName"] as? String == "article_11" }
        #expect(field(record, "CD_content") == nil)
        let value = try #require(field(record, "CD_content_ckAsset") as? [String: Any])
        let address = try #require(value["downloadURL"] as? String)
        let origin = "http://127.0.0.1:\(client.port)"
        #expect(address.hasPrefix("\(origin)/assets/"))
        return (String(address.dropFirst(origin.count)), value)
    }

    @Test func `a text above the size is an asset, with an address that is open to all`() throws {
        try withSource { client in
            try fill(client)
            let (path, value) = try asset(client)
            let reply = try client.get(path)
            #expect(reply.status == 200)
            #expect(reply.text == "What article 11 says")
            #expect(value["size"] as? Int == 20)
            #expect(value["fileChecksum"] as? String == CloudSignature.hash(reply.body))
            let short = try feed(client).first { $0["recordName"] as? String == "article_9" }
            #expect(field(short, "CD_content") as? String == "What article 9 says")
            #expect(field(short, "CD_content_ckAsset") == nil)
            #expect(try client.get("/assets/other").status == 404)
        }
    }

    @Test(arguments: [
        ("?ckAPIToken=api-token", [:]), ("?ckWebAuthToken=token-user-000001", [:]),
        ("", ["Authorization": "Bearer x"]), ("", ["Cookie": "x=1"]),
        ("", ["X-Apple-CloudKit-Request-KeyID": "key-1"]),
    ]) func `a credential that comes along is refused`(query: String, headers: [String: String])
        throws
    {
        try withSource { client in
            try fill(client)
            #expect(try client.get(try asset(client).path + query, headers).status == 400)
        }
    }

    @Test func `a device has a text or an asset, whichever it saves last`() throws {
        try withSource { client in
            try fill(client)
            for (text, isAsset) in [("short", false), ("a text that is long again", true)] {
                try client.command(
                    "cloudkit/edit",
                    #"{"container":"iCloud.com.example.luego","user":"user-000001","zone":"\#(Self.zone)","records":[{"recordName":"article_11","fields":{"CD_content":{"value":"\#(text)"}}}]}"#
                )
                let record = try feed(client).first { $0["recordName"] as? String == "article_11" }
                #expect((field(record, "CD_content_ckAsset") != nil) == isAsset)
                #expect((field(record, "CD_content") as? String) == (isAsset ? nil : text))
            }
        }
    }

    @Test func `a download fails or is cut as commanded`() throws {
        try withSource { client in
            try fill(client)
            let path = try asset(client).path
            try client.command("faults", #"{"kind":"status","status":503,"path":"/assets"}"#)
            #expect(try client.get(path).status == 503)
            try client.command("faults", #"{"kind":"cut","after":4,"path":"/assets"}"#)
            #expect(try !client.get(path).isWhole)
            try client.command(
                "faults", #"{"kind":"replace","from":"says","to":"said","path":"/assets"}"#)
            #expect(try client.get(path).text == "What article 11 said")
            #expect(try client.get(path).text == "What article 11 says")
        }
    }
}
