import JSON
import Testing

@Suite struct RecoveryTests {
    private static let feed404 = #"{"kind": "status", "status": 404, "path": "/api/users/*/feed""#

    @Test
    func
        `MH12 an unknown user is registered again from its stored channels and the same page repeated`()
        async throws
    {
        try await withWorld { world in
            try await world.addUser("ann", videos: 250, channels: ["s1", "s2", "s3"])
            try await world.source.command(
                "POST", "users", #"{"id": "other", "videos": 5, "registered": true}"#)
            try await world.drain()
            try await world.source.command("POST", "forget", #"{"user": "ann"}"#)
            try await world.enqueue("ann", full: true)
            try await world.drain()
            let feeds = try await world.source.asked("feed").dropFirst(3)
            #expect(feeds.map(\.status) == [404, 200, 200, 200])
            let story = try await world.source.story(of: "ann")
            #expect(Array(story.suffix(5)) == ["feed", "channels", "feed", "feed", "feed"])
            #expect(try await world.source.registeredChannels(of: "ann") == ["s1", "s2", "s3"])
            #expect(try await world.outcomes("ann") == ["complete", "complete"])
        }
    }

    @Test func `MH12 a 404 in the middle of a pass repeats that page and no other`() async throws {
        try await withWorld(videos: 250) { world in
            try await world.source.fault(Self.feed404 + #", "nth": 2}"#)
            try await world.drain()
            let feeds = try await world.source.asked("feed")
            try #require(feeds.map(\.status) == [200, 404, 200, 200])
            #expect(feeds[1].cursor == feeds[0].next && feeds[2].cursor == feeds[0].next)
            #expect(feeds[3].cursor == feeds[2].next)
            #expect(try await world.outcomes("ann") == ["complete"])
        }
    }

    @Test func `MH13 a page is recovered once and a second 404 fails as user_not_found`()
        async throws
    {
        try await withWorld(videos: 250) { world in
            try await world.addUser("bob", videos: 250)
            try await world.source.fault(Self.feed404 + #", "user": "ann", "times": 0}"#)
            // Another page has its own recovery.
            try await world.source.fault(Self.feed404 + #", "user": "bob", "nth": 1}"#)
            try await world.source.fault(Self.feed404 + #", "user": "bob", "nth": 2}"#)
            try await world.drain()
            #expect(
                try await world.source.story(of: "ann")
                    == ["channels", "reconcile", "feed", "channels", "feed"])
            #expect(try await world.outcomes("ann") == ["failed user_not_found"])
            #expect(try await world.checkpoint("ann").text("last_error_kind") == "user_not_found")
            #expect(try await world.outcomes("bob") == ["complete"])
            #expect(
                try await world.source.asked("feed", by: "bob").map(\.status)
                    == [404, 200, 404, 200, 200])
        }
    }

    @Test func `MH14 without stored channels nothing is registered and the error is kept`()
        async throws
    {
        try await withWorld { world in
            try await world.addUser("ann", videos: 20, channels: [])
            try await world.drain()
            #expect(try await world.source.story(of: "ann") == ["reconcile", "feed"])
            #expect(try await world.outcomes("ann") == ["failed user_not_found"])
            let error = try await world.job("ann").text("last_error") ?? ""
            #expect(error.contains("404") && error.contains("User not found"))
        }
    }

    @Test func `MH15 a recovery takes none of the request's attempts`() async throws {
        try await withWorld(videos: 20) { world in
            try await world.source.fault(Self.feed404 + "}")
            try await world.source.fault(
                #"{"kind": "status", "status": 503, "path": "/api/users/*/feed", "times": 2}"#)
            try await world.drain()
            #expect(
                try await world.source.asked("feed").map(\.status) == [404, 503, 503, 200])
            #expect(try await world.outcomes("ann") == ["complete"])
        }
    }

    @Test func `MH16 a registration that fails during recovery is what the run fails of`()
        async throws
    {
        try await withWorld(videos: 20) { world in
            try await world.source.fault(Self.feed404 + "}")
            try await world.source.fault(
                #"{"kind": "status", "status": 422, "path": "/api/users/*/channels", "nth": 2}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["failed rejected"])
            let error = try await world.job("ann").text("last_error") ?? ""
            #expect(error.contains("POST /api/users/ann/channels") && error.contains("422"))
            #expect(try await world.checkpoint("ann").text("last_error") == error)
        }
    }
}
