import Foundation
import Testing

@testable import FakeSource

@Suite struct HubTests {
    @Test func `a user has no feed until it registers`() throws {
        try withSource { client in
            let refused = try client.get("/api/users/ann/feed")
            #expect(refused.status == 404)
            #expect(refused.text == #"{"error":"User not found"}"#)
            #expect(refused.headers["date"] != nil)
            try client.register("ann")
            #expect(try client.get("/api/users/ann/feed").status == 200)
            try client.command("forget", #"{"user":"ann"}"#)
            #expect(try client.get("/api/users/ann/feed").status == 404)
            try client.register("ann")
            #expect(try client.get("/api/users/ann/feed").status == 200)
            try client.command("forget", #"{"all":true}"#)
            #expect(try client.get("/api/users/ann/feed").status == 404)
        }
    }

    @Test func `registration takes the whole set and replaces it`() throws {
        try withSource { client in
            let many = (0..<1500).map { "\"UC\($0)\"" }.joined(separator: ",")
            let first = try client.post("/api/users/ann/channels", "{\"channelIds\":[\(many)]}")
            #expect(first.status == 200)
            #expect(try client.get("/health").text.contains(#""channels":1500,"users":1"#))
            try client.register("ann")
            #expect(try client.get("/health").text.contains(#""channels":2,"users":1"#))
            let user = try client.get("/_control/users?user=ann").json()
            #expect(user["channels"] as? [String] == ["UCa", "UCb"])
            for body in ["", "[]", "{}", #"{"channelIds":"UCa"}"#, #"{"channelIds":[1]}"#] {
                #expect(try client.post("/api/users/ann/channels", body).status == 400)
            }
        }
    }

    @Test(arguments: [1, 7, 50, 500])
    func `a pass by cursor shows each video once and in order`(limit: Int) throws {
        try withSource { client in
            try client.register("ann")
            let videos = try client.feed("ann", limit: limit)
            let keys = videos.map { "\($0["publishedAt"] ?? "")\($0["videoId"] ?? "")" }
            #expect(keys == keys.sorted())
            #expect(Set(ids(videos)).count == videos.count)
            let expected = try client.get("/_control/expected?user=ann").json()
            #expect(expected["live"] as? Int == videos.count)
            #expect(Set(videos.map { "\($0["publishedAt"] ?? "")" }).count < videos.count)
        }
    }

    @Test func `a pass by since loses no video and repeats few`() throws {
        try withSource {
            $0.pagesBySince = true
        } _: { client in
            try client.register("ann")
            let videos = try client.feed("ann", limit: 7, by: "since")
            let live = try client.get("/_control/expected?user=ann").json()["live"] as? Int
            #expect(Set(ids(videos)).count == live)
            #expect(videos.count <= (live ?? 0) + 10)
            try client.command("settings", #"{"paging":"cursor"}"#)
            #expect(try client.feed("ann", limit: 7).count == live)
        }
    }

    @Test func `since is inclusive and stays fixed over the pages`() throws {
        try withSource { client in
            try client.register("ann")
            let all = try client.feed("ann", limit: 500)
            let since = try #require(all[40]["publishedAt"] as? String)
            let some = try client.feed("ann", since: since, limit: 7)
            #expect(ids(some) == ids(all).suffix(some.count))
            #expect(some.first?["publishedAt"] as? String == since)
            #expect(some.count >= all.count - 40)
        }
    }

    @Test func `limit is 50 unless told and 500 at most`() throws {
        try withSource { client in
            try client.command("users", #"{"id":"ann","videos":700,"registered":true}"#)
            #expect(try client.get("/api/users/ann/feed").items("videos").count == 50)
            let most = try client.get("/api/users/ann/feed?limit=9999")
            #expect(try most.items("videos").count == 500)
            for query in ["limit=0", "limit=x", "limit=-1", "since=yesterday", "cursor=zzz"] {
                #expect(try client.get("/api/users/ann/feed?\(query)").status == 400)
            }
        }
    }

    @Test func `an added video appears after since, also while a pass is running`() throws {
        try withSource { client in
            try client.register("ann")
            let now = iso8601(wallClock())
            #expect(try client.feed("ann", since: now, limit: 50).isEmpty)
            try client.command("change", #"{"op":"add","user":"ann","videos":3}"#)
            #expect(try client.feed("ann", since: now, limit: 2).count == 3)
            let before = try client.feed("ann", limit: 500).count
            try client.command(
                "change", #"{"op":"add","user":"ann","videos":2,"after_pages":2}"#)
            #expect(try client.feed("ann", limit: 10).count == before + 2)
            try client.command("change", #"{"op":"remove","user":"ann","count":4}"#)
            #expect(try client.feed("ann", limit: 10).count == before - 2)
        }
    }

    @Test func `reconcile finds what was prepared and refuses to be hurried when told so`() throws {
        try withSource { client in
            let path = "/api/users/ann/reconcile"
            #expect(try client.post(path, "").status == 404)
            try client.register("ann")
            #expect(try client.post(path, "").json()["newVideosCount"] as? Int == 0)
            try client.command(
                "change", #"{"op":"add","user":"ann","videos":3,"on_reconcile":true}"#)
            try client.command("settings", #"{"reconcile_limit":true}"#)
            let refused = try client.post(path, "")
            #expect(refused.status == 429)
            let wait = Int(refused.headers["retry-after"] ?? "") ?? 0
            #expect((800...900).contains(wait))
            try client.command("settings", #"{"reconcile_limit":false}"#)
            #expect(try client.post(path, "").json()["newVideosCount"] as? Int == 3)
            #expect(try client.post(path, "").json()["newVideosCount"] as? Int == 0)
        }
    }

    @Test func `all that clients must cope with occurs`() throws {
        try withSource { client in
            try client.command("users", #"{"id":"ann","videos":500,"registered":true}"#)
            let videos = try client.feed("ann", limit: 500)
            let durations = videos.map { $0["duration"] }
            #expect(durations.contains { $0 == nil })
            #expect(durations.contains { ($0 as? Int).map { $0 < 60 } ?? false })
            let texts = durations.compactMap { $0 as? String }
            #expect(texts.contains { $0.count == 5 && $0.contains(":") })
            #expect(texts.contains { $0.count == 8 })
            #expect(texts.contains("soon"))
            for key in ["title", "description", "thumbnailUrl"] {
                #expect(videos.contains { $0[key] == nil })
                #expect(videos.contains { $0[key] != nil })
            }
        }
    }

    @Test func `data follows from the seed and the user alone`() throws {
        func feed(seed: UInt64, user: String) throws -> [UInt8] {
            var body: [UInt8] = []
            try withSource {
                $0.seed = seed
            } _: { client in
                try client.register(user)
                body = try client.get("/api/users/\(user)/feed?limit=500").body
            }
            return body
        }
        let one = try feed(seed: 5, user: "ann")
        #expect(try feed(seed: 5, user: "ann") == one)
        #expect(try feed(seed: 6, user: "ann") != one)
        #expect(try feed(seed: 5, user: "bob") != one)
    }

    @Test func `an edited title shows in the feed but is not expected of clients that only insert`()
        throws
    {
        try withSource { client in
            try client.register("ann")
            let reply = try client.command(
                "change", #"{"op":"edit","user":"ann","feed_title":"New title"}"#)
            #expect(try #require(reply.json()["ids"] as? [String]).count == 1)
            #expect(try client.get("/api/users/ann/feed").text.contains("New title"))
            #expect(try !client.get("/_control/expected?user=ann").text.contains("New title"))
        }
    }
}
