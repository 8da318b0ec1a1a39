import Foundation
import Testing

@testable import FakeSource

@Suite struct CloudKitAuthTests {
    @Test func `F1 a path that is none is 404 with an error in JSON, and methods are checked`()
        throws
    {
        try withCloud { cloud in
            for path in [
                "/database/1/iCloud.x/production/private/records/nothing",
                "/database/2/iCloud.x/production/private/records/query",
                "/database/1/iCloud.x/staging/private/records/query",
                "/database/1/iCloud.x/production/secret/records/query",
            ] {
                let reply = try cloud.http.post(path, "{}")
                #expect(reply.status == 404)
                #expect(try reply.json()["serverErrorCode"] as? String == "NOT_FOUND")
            }
            #expect(try cloud.send("records/query", nil).status == 405)
            #expect(try cloud.send("zones/list", nil).status == 200)
            let posted = try cloud.send("zones/list", "{}")
            #expect(posted.status == 200 && posted.headers["x-apple-cloudkit-version"] == "1.0")
            #expect(posted.headers["x-apple-request-uuid"] != nil)
        }
    }

    @Test func `F2 missing and expired sign-ins are 421 with a place to go, bad keys are 401`()
        throws
    {
        try withCloud { cloud in
            for token in [nil, "unknown"] {
                let reply = try cloud.send("zones/list", token: token)
                #expect(reply.status == 421)
                let error = try reply.json()
                #expect(error["serverErrorCode"] as? String == "AUTHENTICATION_REQUIRED")
                #expect(error["reason"] as? String == "request needs authorization")
                #expect((error["redirectURL"] as? String)?.hasPrefix("https://") == true)
                #expect(error["uuid"] as? String == reply.headers["x-apple-request-uuid"])
            }
            let path = CloudClient.path("zones/list", "private")
            for query in ["", "?ckAPIToken=wrong&ckWebAuthToken=token-ann"] {
                let reply = try cloud.http.post(path + query, "{}")
                #expect(reply.status == 401)
                let error = try reply.json()
                #expect(error["serverErrorCode"] as? String == "AUTHENTICATION_FAILED")
                #expect(error["reason"] as? String == "Authentication failed")
            }
            try cloud.command("expire", #""user":"ann","what":["web_tokens"]"#)
            #expect(try cloud.send("zones/list").status == 421)
            #expect(try cloud.send("zones/list", token: "token-ben").status == 200)
            let minted = try #require(
                try cloud.command("token", #""user":"ann""#)["token"] as? String)
            #expect(minted.contains("+") && minted.contains("/") && minted.contains("="))
            let user = try cloud.call("users/current", nil, token: minted, database: "public")
            #expect(user["userRecordName"] as? String == "ann")
        }
    }

    @Test func `F2 the same record name of two users is two records, two tokens of one user none`()
        throws
    {
        try withCloud { cloud in
            let body = { (text: String) in
                #"{"operations":[\#(operation("create", "a", fields: #"{"text":{"value":"\#(text)"}}"#))]}"#
            }
            let lookup = #"{"records":[{"recordName":"a"}]}"#
            _ = try cloud.call("records/modify", body("of ann"))
            _ = try cloud.call("records/modify", body("of ben"), token: "token-ben")
            for (token, text) in [
                ("token-ann", "of ann"), ("phone-ann", "of ann"), ("token-ben", "of ben"),
            ] {
                let found = try cloud.records("records/lookup", lookup, token: token)
                #expect(fields(found.first)["text"] as? String == text)
            }
            let shared = try cloud.failure(
                "records/lookup", lookup, database: "shared", status: 404)
            #expect(shared.code == "ZONE_NOT_FOUND")
        }
    }

    @Test func `a shared zone is found by its owner's name and not without`() throws {
        try withCloud { cloud in
            try cloud.command(
                "records",
                #""user":"ann","database":"shared","zone":"Notes","records":[{"recordName":"a","recordType":"Note","fields":{}}]"#
            )
            func found(_ owner: String) throws -> [String?] {
                let zone = #"{"zoneName":"Notes"\#(owner)}"#
                let lookup = #"{"zoneID":\#(zone),"records":[{"recordName":"a"}]}"#
                let write =
                    #"{"zoneID":\#(zone),"operations":[\#(operation("forceUpdate", "a"))]}"#
                let feed = #"{"zones":[{"zoneID":\#(zone)}]}"#
                let zones = #"{"zones":[\#(zone)]}"#
                return try [
                    ("records/lookup", lookup), ("records/modify", write), ("changes/zone", feed),
                    ("zones/lookup", zones),
                ].map { operation, body in
                    let reply = try cloud.send(operation, body, database: "shared").json()
                    let items = (reply["records"] ?? reply["zones"]) as? [[String: Any]]
                    return (items?.first ?? reply)["serverErrorCode"] as? String
                }
            }
            let missing = [String?](repeating: "ZONE_NOT_FOUND", count: 4)
            #expect(try found("") == missing)
            #expect(try found(#","ownerRecordName":"ann""#) == missing)
            #expect(try found(#","ownerRecordName":"_sharer""#) == [nil, nil, nil, nil])
            let list = try cloud.call("zones/list", nil, database: "shared")["zones"]
            let ids = (list as? [[String: Any]])?.map { $0["zoneID"] as? [String: String] }
            #expect(ids?.count == 1 && ids?.first??["ownerRecordName"] == "_sharer")
            let make =
                #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"X"}}}]}"#
            #expect(try cloud.send("zones/modify", make, database: "shared").status == 400)
        }
    }

    @Test func `F2 the world may read the public database and write nothing`() throws {
        try withCloud { cloud in
            try cloud.seed(1, user: nil)
            let query = #"{"query":{"recordType":"Note"}}"#
            let reply = try cloud.send("records/query", query, token: nil, database: "public")
            #expect(names(try reply.items("records")) == ["n0"])
            let write = #"{"operations":[\#(operation("create", "a"))]}"#
            let refused = try cloud.failure(
                "records/modify", write, token: nil, database: "public", status: 403)
            #expect(refused.code == "ACCESS_DENIED")
            #expect(
                try cloud.send("users/caller", nil, token: nil, database: "public").status == 421)
        }
    }

    @Test func `F2 a record of the public database is its creator's to write`() throws {
        try withCloud { cloud in
            func write(_ kind: String, _ token: String) throws -> [String?] {
                let body = #"{"operations":[\#(operation(kind, "a"))]}"#
                return codes(
                    try cloud.records("records/modify", body, token: token, database: "public"))
            }
            #expect(try write("create", "token-ann") == [nil])
            #expect(try write("forceUpdate", "token-ben") == ["ACCESS_DENIED"])
            #expect(try write("create", "token-ben") == ["EXISTS"])
            // A role of servers is none of users.
            try cloud.command("schema", #""keys_write":["Note"]"#)
            #expect(try write("forceUpdate", "token-ben") == ["ACCESS_DENIED"])
            #expect(try write("forceUpdate", "phone-ann") == [nil])
        }
    }

    @Test(arguments: ["strict", "lenient", "none"])
    func `F4 tokens rotate in each answer, and the mode tells what the old one is worth`(
        mode: String
    ) throws {
        try withCloud { cloud in
            try cloud.command("settings", #""token_mode":"\#(mode)""#)
            let first = try cloud.send("zones/list")
            let rotated = first.headers["x-apple-cloudkit-web-auth-token"]
            #expect((rotated == nil) == (mode == "none"))
            #expect(try cloud.send("zones/list").status == (mode == "strict" ? 421 : 200))
            if let rotated {
                let second = try cloud.send("records/query", "no JSON", token: rotated)
                #expect(second.status == 400)
                #expect(second.headers["x-apple-cloudkit-web-auth-token"] != nil)
            }
            try cloud.command("settings", #""token_header":"X-Apple-CloudKit-Session""#)
            let other = try cloud.send("zones/list", token: "token-ben")
            #expect((other.headers["x-apple-cloudkit-session"] == nil) == (mode == "none"))
            #expect(other.headers["x-apple-cloudkit-web-auth-token"] == nil)
        }
    }
}
