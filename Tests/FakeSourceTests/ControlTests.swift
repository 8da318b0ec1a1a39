import Foundation
import Testing

@testable import FakeSource

@Suite struct ControlTests {
    @Test func `the log tells what was asked and what was served`() throws {
        try withSource { client in
            try client.register("ann")
            let page = try client.get("/api/users/ann/feed?since=2023-06-01T00:00:00Z&limit=5")
            let videos = ids(try page.items("videos"))
            let next = try #require(try page.json()["nextCursor"] as? String)
            try eventually("the request is closed in the log") {
                try client.get("/_control/log?after=1").text.contains("complete")
            }
            let entry = try #require(try client.get("/_control/log?after=1").items("entries").first)
            #expect(entry["user"] as? String == "ann" && entry["limit"] as? String == "5")
            #expect(entry["since"] as? String == "2023-06-01T00:00:00Z")
            #expect(entry["first"] as? String == videos.first)
            #expect(entry["last"] as? String == videos.last)
            #expect(entry["next"] as? String == next && entry["records"] as? Int == 5)
            #expect(entry["bytes"] as? Int == page.body.count)
            let lines = try client.get("/_control/log.tsv").text
            #expect(lines.contains("\t2023-06-01T00:00:00Z\t\\N\t5\t200\t5\t"))
            let versions = try client.get("/_control/versions").items("entries")
            #expect(ids(versions, "id") == videos)
            #expect(versions.allSatisfy { $0["version"] as? Int == 1 && $0["n"] as? Int == 2 })
        }
    }

    @Test func `the log file has a line a request`() throws {
        let path = NSTemporaryDirectory() + "fake-source-\(UUID().uuidString).log"
        defer { unlink(path) }
        try withSource {
            $0.logFile = path
        } _: { client in
            try client.register("ann")
            _ = try client.get("/health")
        }
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[1].contains(#""path":"/health","status":200"#))
    }

    @Test func `expected is the feed with the clients' rules applied`() throws {
        try withSource { client in
            try client.command("users", #"{"id":"ann","videos":400,"registered":true}"#)
            try client.command("change", #"{"op":"add","user":"ann","videos":9}"#)
            try client.command("change", #"{"op":"remove","user":"ann","count":5}"#)
            let expected = try client.get("/_control/expected?user=ann").json()
            let feed = try client.feed("ann", limit: 100)
            let kept = feed.filter {
                $0["duration"] == nil || (seconds($0["duration"]) ?? 0) >= 60
            }
            #expect(expected["kept"] as? Int == kept.count)
            #expect(
                try ids(#require(expected["videos"] as? [[String: Any]]), "video_id") == ids(kept))
            let short = feed.filter { seconds($0["duration"]).map { $0 < 60 } ?? false }
            #expect(expected["filtered"] as? Int == short.count && !short.isEmpty)
            let rest = feed.count - kept.count - short.count
            #expect(expected["incompatible"] as? Int == rest && rest > 0)
            #expect((expected["removed"] as? [String])?.count == 5)
        }
    }

    /// A reader of durations that shares nothing with the source.
    private func seconds(_ value: Any?) -> Int? {
        if let number = value as? Int { return number }
        guard let parts = (value as? String)?.split(separator: ":"),
            parts.count == 2 || parts.count == 3
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        return numbers.count == parts.count ? numbers.reduce(0) { $0 * 60 + $1 } : nil
    }

    @Test func `expected of all is lines for COPY, touched users or not`() throws {
        try withSource {
            $0.users = 20
        } _: { client in
            try client.register("zoe")
            let reply = try client.get("/_control/expected/all")
            #expect(reply.isWhole)
            let columns = reply.text.components(separatedBy: "\n").map {
                $0.components(separatedBy: "\t").count
            }
            #expect(columns.allSatisfy { $0 == 6 || $0 == 1 })
            let one = try client.get("/_control/expected?user=user-000007").json()["kept"] as? Int
            let seven = reply.text.components(separatedBy: "user-000007\t").count - 1
            #expect(seven == one)
            #expect(reply.text.contains("zoe\t") && reply.text.contains("C:\\\\temp"))
            let some = try client.get("/_control/expected/all?registered=true").text
            #expect(some.contains("zoe\t") && !some.contains("user-0"))
            #expect(
                try client.get("/_control/expected/all?of=generic").text.contains("user-000020\t"))
        }
    }

    @Test func `reset forgets everything and keeps numbering`() throws {
        try withSource { client in
            try client.register("ann")
            try client.command("faults", #"{"kind":"hang","times":0}"#)
            try client.command("reset", "")
            #expect(try client.get("/api/users/ann/feed").status == 404)
            let entries = try client.get("/_control/log").items("entries")
            #expect(entries.map { $0["n"] as? Int } == [2])
            #expect(try client.get("/_control/summary").json()["requests"] as? Int == 1)
        }
    }

    @Test(arguments: [
        ("faults", #"{"kind":"nonsense"}"#, "unknown kind 'nonsense'"),
        ("faults", #"{"kind":"cut","afer":1}"#, "unknown key 'afer'"),
        ("faults", "{", "not JSON"), ("faults", #"{"kind":"status"}"#, "'status' is missing"),
        ("faults", #"{"kind":"cut","after":-1}"#, "whole number"),
        ("users", #"{"videos_min":9,"videos_max":1}"#, "above"),
        ("change", #"{"op":"fly","user":"ann"}"#, "must be add, edit or remove"),
        ("change", #"{"op":"edit","user":"ann","id":"nope"}"#, "has no 'nope'"),
        ("auth", #"{"user":"ann","type":"magic"}"#, "must be none, basic"),
        ("settings", #"{"paging":"x"}"#, "cursor or since"), ("forget", "{}", "'user' is missing"),
    ])
    func `a wrong command is told what is wrong`(name: String, body: String, part: String) throws {
        try withSource { client in
            let reply = try client.post("/_control/\(name)", body)
            #expect(reply.status == 400)
            #expect(reply.text.contains(part), "\(reply.text)")
        }
    }

    @Test func `hostile input is answered and the source lives on`() throws {
        try withSource { client in
            try client.register("ann")
            let deep = String(repeating: "[", count: 200_000)
            let bodies = [
                deep, "\"", "\"\\", "\"\\u", "\"\\uD800\\u", "1e999", "-", "{\"a\"", "{\"a\":",
                "[1,", "nul", "\u{0}", #"{"channelIds":["\uD800"]}"#, #"{"channelIds":["\u0000"]}"#,
            ]
            for body in bodies {
                for path in ["/api/users/ann/channels", "/_control/faults", "/_control/change"] {
                    #expect([200, 400].contains(try client.post(path, body).status))
                }
            }
            let large = String(repeating: "x", count: 9 << 20)
            #expect(try client.post("/api/users/ann/channels", large).status == 413)
            let number = String(Int.max)
            let queries = [
                "limit=\(number)", "offset=\(number)", "page=\(number)", "after=\(number)",
                "page=0", "after=-5", "cursor=%00", "cursor=%FF%FE", "cursor=====",
                "since=9999-99-99T99:99:99Z", "since=0000-01-01T00:00:00-23:59",
                "cursor=\(percentEncoded(Base64.encode("c:v\(number).\(number)")))",
                "cursor=\(percentEncoded(Base64.encode("c:s\(Int.min)")))",
                "cursor=\(percentEncoded(Base64.encode("c:x~~s")))", "&&==&%", "limit", "token=%",
            ]
            for query in queries {
                for path in ["feed", "single", "token", "offset", "page", "keyset", "sync"] {
                    let base = path == "feed" ? "/api/users/ann/" : "/generic/ann/"
                    let status = try client.get("\(base)\(path)?\(query)").status
                    #expect([200, 400].contains(status), "\(path) \(query)")
                }
            }
            for path in [
                "/", "//", "/api/users//feed", "/%2e%2e/", "/%FF", "/_control", "/_control/x",
            ] {
                #expect(try client.get(path).status == 404)
            }
            for bytes in ["GARBAGE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\r\n\r\n\u{0}\r\n\r\n"] {
                let file = try client.connect()
                client.write(file, Array(bytes.utf8))
                close(file)
            }
            #expect(try client.get("/health").status == 200)
        }
    }
}
