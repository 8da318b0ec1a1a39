import Foundation
import Testing

@testable import FakeSource

@Suite struct GenericTests {
    /// All ids, as a client of that style would collect them.
    private func read(_ client: Client, _ style: String, limit: Int) throws -> [[String: Any]] {
        let path = "/generic/ann/\(style)"
        var items: [[String: Any]] = []
        var next = "\(path)?limit=\(limit)"
        for round in 1...1000 {
            let reply = try client.get(next)
            try #require(reply.status == 200, "\(reply.text)")
            let page = try reply.items("items")
            let json = try reply.json()
            items += page
            var following: String?
            switch style {
            case "single": break
            case "token":
                following = (json["next_token"] as? String).map { "cursor=\(percentEncoded($0))" }
            case "next_url": following = json["next"] as? String
            case "next_header": following = reply.headers["x-next"]
            case "link": following = link(reply.headers["link"])
            case "offset":
                let total = try #require(json["total"] as? Int)
                following = items.count < total ? "offset=\(items.count)" : nil
            case "page":
                let last = try #require(json["last_page"] as? Int)
                following = round < last ? "page=\(round + 1)" : nil
            case "keyset":
                let seq = try #require(json["maxSeqReturned"] as? Int)
                following = page.isEmpty ? nil : "after=\(seq)"
            default:
                let token = try #require(json["sync_token"] as? String)
                following = json["more"] as? Bool == true ? "token=\(percentEncoded(token))" : nil
            }
            guard let following else { return items }
            let host = "http://127.0.0.1:\(client.port)"
            next =
                following.hasPrefix(host)
                ? String(following.dropFirst(host.count))
                : "\(path)?limit=\(limit)&\(following)"
        }
        Issue.record("\(style) did not end")
        return items
    }

    private func link(_ header: String?) -> String? {
        let next = header?.components(separatedBy: ", ").first { $0.hasSuffix("rel=\"next\"") }
        return next.flatMap { $0.split(separator: ">").first }.map { String($0.dropFirst()) }
    }

    private static let styles = [
        "single", "token", "next_url", "next_header", "link", "offset", "page", "keyset", "sync",
    ]

    @Test(arguments: styles)
    func `every style of paging gives all records once`(style: String) throws {
        try withSource { client in
            try client.command("users", #"{"id":"ann","videos":95}"#)
            let base = try read(client, style, limit: 10)
            #expect(base.compactMap { $0["seq"] as? Int } == Array(1...95))
            try client.command("change", #"{"op":"edit","user":"ann","count":3,"name":"New"}"#)
            try client.command("change", #"{"op":"remove","user":"ann","count":2}"#)
            try client.command("change", #"{"op":"add","user":"ann","videos":4}"#)
            let items = try read(client, style, limit: 10)
            #expect(Set(ids(items, "id")).count == 97)
            #expect(items.count == 97)
            #expect(items.filter { $0["name"] as? String == "New" }.count == 3)
            let expected = try client.get("/_control/expected?of=generic&user=ann")
            #expect(Set(ids(try expected.items("items"), "id")) == Set(ids(items, "id")))
        }
    }

    @Test func `the newer back end is read by sequence number and refuses too much`() throws {
        try withSource { client in
            try client.command("users", #"{"id":"ann","videos":95}"#)
            try client.command(
                "change", #"{"op":"remove","user":"ann","count":3,"tombstone":true}"#)
            try client.command("change", #"{"op":"add","user":"ann","videos":2}"#)
            var videos: [[String: Any]] = []
            var after = 0
            while true {
                let body = "{\"channelIds\":[\"UCa\"],\"afterSeq\":\(after),\"limit\":10}"
                let reply = try client.post("/worker/ann/api/videos/query", body)
                let page = try reply.items("videos")
                videos += page
                after = try #require(reply.json()["maxSeqReturned"] as? Int)
                if page.count < 10 { break }
            }
            let expected = try client.get("/_control/expected?of=generic&user=ann")
            #expect(ids(videos) == ids(try expected.items("items"), "id"))
            #expect(videos.contains { $0["durationSeconds"] is Int && $0["title"] is String })
            let many = (0..<301).map { "\"UC\($0)\"" }.joined(separator: ",")
            for body in ["{\"channelIds\":[\(many)]}", #"{"limit":501}"#] {
                #expect(try client.post("/worker/ann/api/videos/query", body).status == 400)
            }
        }
    }

    @Test func `a tombstone is listed as deleted and an edit comes again behind the token`() throws
    {
        try withSource { client in
            try client.command("users", #"{"id":"ann","videos":5}"#)
            let first = try client.get("/generic/ann/sync")
            let token = percentEncoded(try #require(try first.json()["sync_token"] as? String))
            #expect(try client.get("/generic/ann/sync?token=\(token)").items("items").isEmpty)
            let id = ids(try first.items("items"), "id")[2]
            try client.command("change", #"{"op":"edit","user":"ann","id":"\#(id)","value":1.5}"#)
            let edited = try client.get("/generic/ann/sync?token=\(token)").items("items")
            #expect(ids(edited, "id") == [id])
            #expect(edited[0]["value"] as? Double == 1.5)
            try client.command(
                "change", #"{"op":"remove","user":"ann","id":"\#(id)","tombstone":true}"#)
            let removed = try client.get("/generic/ann/sync?token=\(token)").items("items")
            #expect(ids(removed, "id") == [id])
            #expect(removed[0]["deleted"] as? Bool == true)
        }
    }

    @Test func `unchanged data answers 304 to its own tag`() throws {
        try withSource { client in
            try client.command("users", #"{"id":"ann","videos":5}"#)
            let tag = try #require(try client.get("/generic/ann/single").headers["etag"])
            let again = try client.get("/generic/ann/single", ["If-None-Match": tag])
            #expect(again.status == 304 && again.body.isEmpty)
            try client.command("change", #"{"op":"add","user":"ann"}"#)
            #expect(
                try client.get("/generic/ann/single", ["If-None-Match": tag]).status == 200)
        }
    }

    @Test func `since filters by the time of the update`() throws {
        try withSource { client in
            try client.command("users", #"{"id":"ann","videos":30}"#)
            let all = try client.get("/generic/ann/single").items("items")
            let since = try #require(all[20]["updated_at"] as? String)
            for style in GenericTests.styles where style != "sync" {
                let some = try client.get("/generic/ann/\(style)?limit=500&since=\(since)")
                #expect(try some.items("items").count == 10)
            }
        }
    }

    @Test(arguments: [
        (#""type":"basic","name":"ann","password":"pw""#, "Authorization: Basic YW5uOnB3", ""),
        (#""type":"bearer","token":"t0k""#, "Authorization: Bearer t0k", ""),
        (#""type":"header","name":"X-Key","value":"k""#, "X-Key: k", ""),
        (#""type":"query","name":"key","value":"k""#, "X-Nothing: 1", "?key=k"),
    ])
    func `a user with a credential is served to its bearer only`(
        credential: String, header: String, query: String
    ) throws {
        try withSource { client in
            try client.register("ann")
            try client.command("auth", "{\"user\":\"ann\",\(credential)}")
            let parts = header.components(separatedBy: ": ")
            for path in ["/generic/ann/single", "/api/users/ann/feed"] {
                #expect(try client.get(path).status == 401)
                #expect(try client.get(path + query, [parts[0]: parts[1]]).status == 200)
                #expect(try client.get(path, [parts[0]: parts[1] + "x"]).status == 401)
            }
            try client.command("auth", #"{"user":"ann","type":"none"}"#)
            #expect(try client.get("/generic/ann/single").status == 200)
        }
    }
}
