import Foundation
import Testing

@testable import FakeSource

@Suite struct CloudKitFaultTests {
    private let query = #"{"query":{"recordType":"Note"}}"#

    @Test func `F14 errors stand in the place of records, by name or every so many`() throws {
        try withCloud { cloud in
            try cloud.seed(6)
            try cloud.seed(2, zone: "Notes")
            try cloud.fault(
                #"{"kind":"record_error","op":"records/query","code":"INTERNAL_ERROR","every":3}"#)
            let found = try cloud.records("records/query", query)
            #expect(
                codes(found) == [nil, nil, "INTERNAL_ERROR", nil, nil, "INTERNAL_ERROR"])
            #expect(names(found).count == 6 && found[2]["fields"] == nil)
            #expect(
                codes(try cloud.records("records/query", query)) == [nil, nil, nil, nil, nil, nil])
            try cloud.fault(
                #"{"kind":"record_error","op":"changes/zone","code":"ACCESS_DENIED","record_name":"n1"}"#
            )
            let feed = try #require(try cloud.feed()["records"] as? [[String: Any]])
            #expect(codes(feed) == [nil, "ACCESS_DENIED"] && names(feed) == ["n0", "n1"])
            try cloud.fault(
                #"{"kind":"record_error","code":"QUOTA_EXCEEDED","record_name":"b","retry_after":9}"#
            )
            let written = try cloud.records(
                "records/modify", operations(operation("create", "a"), operation("create", "b")))
            #expect(codes(written) == [nil, "QUOTA_EXCEEDED"])
            #expect(written[1]["retryAfter"] as? Int == 9)
            #expect(names(try cloud.dump("user=ann&zone=Notes")) == ["n0", "n1", "a"])
            try cloud.fault(#"{"kind":"zone_error","zone":"Notes","code":"TRY_AGAIN_LATER"}"#)
            #expect(try cloud.feed()["serverErrorCode"] as? String == "TRY_AGAIN_LATER")
        }
    }

    @Test(arguments: [
        (429, "body", 30.0), (503, "header", 110_207.0), (503, "both", 1.5), (429, "none", 3.0),
    ])
    func `F15 throttling has both statuses and the wait in body, header, both or nowhere`(
        status: Int, wait: String, seconds: Double
    ) throws {
        try withCloud { cloud in
            try cloud.fault(
                #"{"kind":"throttle","status":\#(status),"wait":"\#(wait)","retry_after":\#(seconds)}"#
            )
            let reply = try cloud.send("records/query", query)
            #expect(reply.status == status)
            let error = try reply.json()
            #expect(error["serverErrorCode"] as? String == "THROTTLED")
            #expect(error["error_code"] as? String == "THROTTLED")
            #expect(error["reason"] as? String == "Database throttled, retry later")
            #expect((error["uuid"] as? String)?.hasPrefix("wsThrottles_") == true)
            let inBody = ["body", "both"].contains(wait)
            #expect(error["retryAfter"] as? Double == (inBody ? seconds : nil))
            let inHeader = ["header", "both"].contains(wait)
            let header = inHeader ? String(Int(seconds.rounded(.up))) : nil
            #expect(reply.headers["retry-after"] == header)
            #expect(try cloud.send("records/query", query).status == 200)
        }
    }

    @Test func `F15 too many requests of one caller in a window are throttled until it is over`()
        throws
    {
        try withCloud { cloud in
            try cloud.http.command("cloudkit/clock", #"{"frozen":true}"#)
            try cloud.command(
                "settings",
                #""throttle_status":503,"rate":{"requests":3,"window_ms":10000,"retry_after":10}"#)
            func statuses(_ count: Int, _ token: String = "token-ann") throws -> [Int] {
                try (0..<count).map { _ in try cloud.send("zones/list", token: token).status }
            }
            #expect(try statuses(4) == [200, 200, 200, 503])
            #expect(try statuses(1, "token-ben") == [200])
            try cloud.http.command("cloudkit/clock", #"{"advance_ms":10000}"#)
            #expect(try statuses(1) == [200])
            try cloud.command("settings", #""rate":{"requests":0}"#)
            #expect(try statuses(5) == [200, 200, 200, 200, 200])
        }
    }

    @Test func `F16 the general faults strike CloudKit too, aimed by operation and user`() throws {
        try withCloud { cloud in
            try cloud.seed(3)
            func strike(_ kind: String) throws -> Client.Reply {
                try cloud.fault(
                    #"{"op":"records/query","user":"ann","record_type":"Note",\#(kind)}"#)
                #expect(try cloud.send("zones/list").status == 200)
                #expect(try cloud.send("records/query", query, token: "token-ben").status == 200)
                let other = #"{"query":{"recordType":"Other"}}"#
                #expect(try cloud.send("records/query", other).status == 200)
                return try cloud.send("records/query", query)
            }
            #expect(try strike(#""kind":"status","status":500"#).status == 500)
            let page = try strike(
                #""kind":"status","status":502,"headers":{"Content-Type":"text/html"},"body":"<html>""#
            )
            #expect(page.status == 502 && page.headers["content-type"] == "text/html")
            #expect(try !strike(#""kind":"cut","after":20"#).isWhole)
            #expect(try strike(#""kind":"drip","bytes":400,"every_ms":1"#).isWhole)
            let garbage = try strike(#""kind":"garbage""#)
            #expect(garbage.status == 200 && (try? garbage.json()) == nil)
            #expect(try strike(#""kind":"gzip""#).headers["content-encoding"] == "gzip")
            let empty = try strike(#""kind":"status","status":200,"body":"""#)
            #expect(empty.status == 200 && empty.body.isEmpty)
            let own = try strike(
                #""kind":"cloudkit_error","code":"TRY_AGAIN_LATER","retry_after":2"#)
            #expect(own.status == 503)
            #expect(try own.json()["serverErrorCode"] as? String == "TRY_AGAIN_LATER")
            let odd = try strike(
                #""kind":"cloudkit_error","code":"NEW_CODE","reason":"?","status":418"#)
            #expect(odd.status == 418)
            #expect(try odd.json()["reason"] as? String == "?")
        }
    }

    @Test func `F16 twisted markers and tokens don't lead on`() throws {
        try withCloud { cloud in
            try cloud.seed(5)
            func marker(_ sent: String?) throws -> String? {
                let rest = sent.map { #","continuationMarker":"\#($0)""# } ?? ""
                let body = #"{"query":{"recordType":"Note"},"resultsLimit":2\#(rest)}"#
                return try cloud.call("records/query", body)["continuationMarker"] as? String
            }
            let first = try #require(try marker(nil))
            try cloud.fault(#"{"kind":"repeated_cursor","times":1}"#)
            #expect(try marker(first) == first)
            try cloud.fault(#"{"kind":"endless_cursor","times":4}"#)
            var seen: Set<String> = []
            var sent: String? = first
            for _ in 0..<4 {
                sent = try marker(sent)
                seen.insert(try #require(sent))
            }
            #expect(seen.count == 4)
            try cloud.fault(#"{"kind":"empty_page","times":1}"#)
            let empty = try #require(try marker(nil))
            #expect(try marker(empty) == first)
        }
    }

    @Test func `the log tells operation, user, zone, type, token, body and both ends of a request`()
        throws
    {
        try withCloud { cloud in
            try cloud.seed(3, zone: "Notes")
            let token = try #require(try cloud.feed(limit: 2)["syncToken"] as? String)
            _ = try cloud.feed(token, as: "phone-ann")
            let body = #"{"zoneID":\#(CloudClient.custom),"query":{"recordType":"Note"}}"#
            _ = try cloud.send("records/query", body, token: "token-ben")
            let entries = try cloud.http.get("/_control/log").items("entries")
            #expect(
                entries.map { $0["op"] as? String } == [
                    "changes/zone", "changes/zone", "records/query",
                ])
            #expect(entries.map { $0["user"] as? String } == ["ann", "ann", "ben"])
            #expect(entries.allSatisfy { $0["zone"] as? String == "Notes" })
            #expect(entries[0]["token"] == nil && entries[0]["next"] as? String == token)
            #expect(entries[0]["records"] as? Int == 2 && entries[0]["last"] as? String == "n1")
            #expect(entries[1]["token"] as? String == token)
            #expect(entries[2]["record_type"] as? String == "Note")
            #expect(entries[2]["status"] as? Int == 404)
            let hash = CloudSignature.hash(Array(body.utf8))
            #expect(entries[2]["body_hash"] as? String == hash)
            let start = try #require(entries[0]["mono_ms"] as? Int)
            #expect(try #require(entries[0]["end_mono_ms"] as? Int) >= start)
            #expect(entries[0]["database"] as? String == "private")
        }
    }

    @Test func `unknown keys of commands are refused`() throws {
        try withSource { client in
            for name in ["container", "users", "settings", "records", "expire", "fixture", "clock"]
            {
                let reply = try client.post(
                    "/_control/cloudkit/\(name)", #"{"container":"c","nonsense":1}"#)
                #expect(reply.status == 400 && reply.text.contains("unknown key"))
            }
            #expect(try client.post("/_control/cloudkit/nothing", "{}").status == 404)
            let bad = try client.post(
                "/_control/cloudkit/settings", #"{"token_mode":"sometimes"}"#)
            #expect(bad.status == 400 && bad.text.contains("strict, lenient, none"))
        }
    }
}
