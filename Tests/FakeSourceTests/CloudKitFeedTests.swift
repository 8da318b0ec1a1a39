import Foundation
import Testing

@testable import FakeSource

@Suite struct CloudKitFeedTests {
    private func inZone(_ count: Int = 5, _ body: (CloudClient) throws -> Void) throws {
        try withCloud { cloud in
            try cloud.seed(count, zone: "Notes")
            try body(cloud)
        }
    }

    private func page(_ answer: [String: Any]) throws -> (
        names: [String], token: String, more: Bool
    ) {
        let records = try #require(answer["records"] as? [[String: Any]])
        let token = try #require(answer["syncToken"] as? String)
        return (names(records), token, try #require(answer["moreComing"] as? Bool))
    }

    @Test func `F10 the feed is ordered by change, has tombstones, and its tokens can be replayed`()
        throws
    {
        try inZone { cloud in
            let first = try page(try cloud.feed(limit: 2))
            #expect(first.names == ["n0", "n1"] && first.more)
            let second = try page(try cloud.feed(first.token))
            #expect(second.names == ["n2", "n3", "n4"] && !second.more)
            #expect(try page(try cloud.feed(second.token)).names.isEmpty)
            try cloud.command(
                "edit",
                #""user":"ann","zone":"Notes","records":[{"recordName":"n0","fields":{}}]"#)
            try cloud.command("delete", #""user":"ann","zone":"Notes","names":["n2","n3"]"#)
            let changes = try cloud.feed(second.token)
            #expect(try page(changes).names == ["n0", "n2", "n3"])
            let records = try #require(changes["records"] as? [[String: Any]])
            #expect(records.map { $0["deleted"] as? Bool } == [false, true, true])
            #expect(records[1...].allSatisfy { $0["fields"] == nil && $0["zoneID"] != nil })
            #expect(Set(records[1...].map { $0.keys.contains("recordType") }) == [true, false])
            let again = try page(try cloud.feed(second.token))
            #expect(again.names == ["n0", "n2", "n3"])
            #expect(try page(try cloud.feed(second.token)).token == again.token)
            let replayed = try page(try cloud.feed(first.token))
            #expect(replayed.names == ["n4", "n0", "n2", "n3"])
        }
    }

    @Test func `F10 several zones have pages and errors side by side, keys and types are honoured`()
        throws
    {
        try inZone { cloud in
            try cloud.command(
                "records",
                #""user":"ann","zone":"Notes","records":[{"recordName":"x","recordType":"Other"}]"#)
            let only = try cloud.feed(
                extra: #","desiredRecordTypes":["Note"],"desiredKeys":["text"]"#)
            #expect(try page(only).names == ["n0", "n1", "n2", "n3", "n4"])
            let record = (only["records"] as? [[String: Any]])?.first
            #expect(Set(fields(record).keys) == ["text"])
            try cloud.command("settings", #""record_types":"ignored""#)
            let all = try cloud.feed(extra: #","desiredRecordTypes":["Note"]"#)
            #expect(try page(all).names.last == "x")
            let body =
                #"{"zones":[{"zoneID":{"zoneName":"Gone"}},{"zoneID":\#(CloudClient.custom)}]}"#
            let zones = try #require(
                try cloud.call("changes/zone", body)["zones"] as? [[String: Any]])
            #expect(zones[0]["serverErrorCode"] as? String == "ZONE_NOT_FOUND")
            #expect(zones[0]["reason"] as? String == "Zone does not exist")
            #expect((zones[0]["zoneID"] as? [String: Any])?["zoneName"] as? String == "Gone")
            #expect(try page(zones[1]).names.count == 6)
            let old = try cloud.call(
                "records/changes", #"{"zoneID":\#(CloudClient.custom),"resultsLimit":4}"#)
            let first = try page(old)
            #expect(first.names.count == 4 && first.more)
            let rest = try cloud.call(
                "records/changes",
                #"{"zoneID":\#(CloudClient.custom),"syncToken":"\#(first.token)"}"#)
            #expect(try page(rest).names == ["n4", "x"])
            #expect(try cloud.send("records/changes", "{}").status == 400)
        }
    }

    @Test func `F11 empty pages with more to come lead to the end all the same`() throws {
        try inZone { cloud in
            try cloud.fault(#"{"kind":"empty_page","op":"changes/zone","times":70}"#)
            var token: String?
            var seen: [String] = []
            var tokens: Set<String> = []
            for number in 0..<71 {
                let next = try page(try cloud.feed(token, limit: 200))
                #expect(next.more == (number < 70) && next.names.isEmpty == (number < 70))
                seen += next.names
                token = next.token
                tokens.insert(next.token)
            }
            #expect(seen.count == 5 && tokens.count == 71)
        }
    }

    @Test func `F11 a token may stay the same for ever, with more to come`() throws {
        try inZone { cloud in
            let token = try page(try cloud.feed(limit: 2)).token
            try cloud.fault(#"{"kind":"repeated_cursor","op":"changes/zone","times":0}"#)
            for _ in 0..<3 {
                let stuck = try page(try cloud.feed(token, limit: 2))
                #expect(stuck.token == token && stuck.more && stuck.names == ["n2", "n3"])
            }
        }
    }

    @Test func `F12 broken, foreign and expired tokens get the reasons that were seen`() throws {
        try inZone { cloud in
            let token = try page(try cloud.feed()).token
            func refusal(_ token: String) throws -> String {
                let zone = try cloud.feed(token)
                #expect(zone["records"] == nil && zone["zoneID"] != nil)
                let code = zone["serverErrorCode"] as? String ?? ""
                return "\(code): \(zone["reason"] as? String ?? "")"
            }
            let unknown = "BAD_REQUEST: Unknown sync continuation type"
            let broken = "BAD_REQUEST: Invalid continuation format"
            #expect(try refusal("garbage") == unknown)
            #expect(try refusal(String(token.dropLast(5))) == broken)
            #expect(try refusal(String(token.dropLast(8))) == broken)
            let database = try cloud.call("changes/database")["syncToken"] as? String
            #expect(try refusal(try #require(database)) == unknown)
            try cloud.command("expire", #""what":["sync_tokens"]"#)
            #expect(try refusal(token) == unknown)
            try cloud.command("settings", #""expired_token":"CHANGE_TOKEN_EXPIRED""#)
            #expect(try refusal(token).hasPrefix("CHANGE_TOKEN_EXPIRED: "))
            #expect(try page(try cloud.feed()).names.count == 5)
            let old = try cloud.failure(
                "records/changes", #"{"zoneID":\#(CloudClient.custom),"syncToken":"garbage"}"#,
                status: 400)
            #expect(old.reason == "Unknown sync continuation type")
        }
    }

    @Test func `F12 an empty token is the start or the end, by a switch`() throws {
        try inZone { cloud in
            #expect(try page(try cloud.feed("")).names.count == 5)
            try cloud.command("settings", #""empty_token":"end""#)
            #expect(try page(try cloud.feed("")).names.isEmpty)
        }
    }

    @Test func `F13 zones are made once, deleted with their records, and their tokens die`() throws
    {
        try inZone { cloud in
            func modify(_ type: String, _ name: String) throws -> [String: Any] {
                let zone = #"{"zoneID":{"zoneName":"\#(name)"}}"#
                let body = #"{"operations":[{"operationType":"\#(type)","zone":\#(zone)}]}"#
                let zones = try cloud.call("zones/modify", body)["zones"] as? [[String: Any]]
                return try #require(zones?.first)
            }
            let token = try page(try cloud.feed()).token
            #expect(try modify("create", "Notes")["serverErrorCode"] == nil)
            #expect(try page(try cloud.feed(token)).names.isEmpty)
            try cloud.command("settings", #""existing_zone":"EXISTS""#)
            #expect(try modify("create", "Notes")["serverErrorCode"] as? String == "EXISTS")
            #expect(try modify("delete", "Notes")["deleted"] as? Bool == true)
            #expect(
                try modify("delete", "Notes")["serverErrorCode"] as? String == "ZONE_NOT_FOUND")
            #expect(try cloud.feed(token)["serverErrorCode"] as? String == "ZONE_NOT_FOUND")
            let zone = #""zoneID":\#(CloudClient.custom)"#
            for (name, body) in [
                ("records/query", #"{\#(zone),"query":{"recordType":"Note"}}"#),
                ("records/lookup", #"{\#(zone),"records":[]}"#),
                ("records/modify", #"{\#(zone),"operations":[]}"#),
                ("records/changes", #"{\#(zone)}"#),
            ] {
                #expect(try cloud.failure(name, body, status: 404).code == "ZONE_NOT_FOUND")
            }
            #expect(try modify("create", "Notes")["syncToken"] != nil)
            #expect(try cloud.feed(token)["serverErrorCode"] as? String == "BAD_REQUEST")
            #expect(try page(try cloud.feed()).names.isEmpty)
        }
    }

    @Test func `F13 a zone can be deleted in the middle of a pass`() throws {
        try inZone { cloud in
            try cloud.command(
                "zones",
                #""user":"ann","delete":["Notes"],"after_requests":2,"after_op":"changes/zone""#)
            let first = try page(try cloud.feed(limit: 2))
            let second = try page(try cloud.feed(first.token, limit: 2))
            #expect(second.more)
            #expect(try cloud.feed(second.token)["serverErrorCode"] as? String == "ZONE_NOT_FOUND")
        }
    }

    @Test func `zones are listed and looked up, and the database tells which changed`() throws {
        try inZone { cloud in
            let list = try #require(try cloud.call("zones/list", nil)["zones"] as? [[String: Any]])
            let ids = list.compactMap { $0["zoneID"] as? [String: Any] }
            #expect(ids.map { $0["zoneName"] as? String } == ["Notes", "_defaultZone"])
            #expect(ids.allSatisfy { $0["ownerRecordName"] as? String == "ann" })
            #expect(ids[1]["zoneType"] as? String == "DEFAULT_ZONE")
            let lookup = try #require(
                try cloud.call(
                    "zones/lookup", #"{"zones":[\#(CloudClient.custom),{"zoneName":"No"}]}"#)[
                        "zones"] as? [[String: Any]])
            #expect(codes(lookup) == [nil, "ZONE_NOT_FOUND"])
            try cloud.command("settings", #""owner_key":"ownerName""#)
            #expect(try cloud.send("zones/list").text.contains(#""ownerName":"ann""#))

            func changed(_ operation: String, _ key: String, _ token: String?) throws -> (
                zones: [[String: Any]], token: String
            ) {
                let body = token.map { #"{"\#(key)":"\#($0)"}"# } ?? "{}"
                let answer = try cloud.call(operation, body)
                let zones = try #require(answer["zones"] as? [[String: Any]])
                return (zones, try #require(answer[key] as? String))
            }
            let first = try changed("changes/database", "syncToken", nil)
            #expect(first.zones.count == 1)
            #expect(try changed("changes/database", "syncToken", first.token).zones.isEmpty)
            try cloud.command("zones", #""user":"ann","create":["More"],"delete":["Notes"]"#)
            let later = try changed("changes/database", "syncToken", first.token).zones
            #expect(later.map { $0["deleted"] as? Bool } == [nil, true])
            let old = try changed("zones/changes", "metaSyncToken", first.token)
            #expect(old.zones.count == 2)
            let ignored = try cloud.call("zones/changes", #"{"syncToken":"\#(old.token)"}"#)
            #expect((ignored["zones"] as? [Any])?.count == 2)
        }
    }

    @Test func `F23 the public database has neither feeds nor custom zones`() throws {
        try withCloud { cloud in
            let zones = #"{"zones":[{"zoneID":\#(CloudClient.custom)}]}"#
            let create =
                #"{"operations":[{"operationType":"create","zone":{"zoneID":\#(CloudClient.custom)}}]}"#
            let query = #"{"zoneID":\#(CloudClient.custom),"query":{"recordType":"Note"}}"#
            for (operation, body) in [
                ("changes/zone", zones), ("changes/database", "{}"), ("zones/changes", "{}"),
                ("records/changes", #"{"zoneID":\#(CloudClient.custom)}"#),
                ("zones/modify", create), ("records/query", query),
            ] {
                let refused = try cloud.failure(operation, body, database: "public", status: 400)
                #expect(refused.code == "BAD_REQUEST")
            }
            let list = try cloud.call("zones/list", nil, database: "public")
            #expect((list["zones"] as? [Any])?.count == 1)
            let feed = try cloud.call(
                "changes/zone", #"{"zones":[{"zoneID":{"zoneName":"_defaultZone"}}]}"#)
            let zone = (feed["zones"] as? [[String: Any]])?.first
            #expect(zone?["serverErrorCode"] as? String == "BAD_REQUEST")
        }
    }
}
