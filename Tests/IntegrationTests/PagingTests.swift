import JSON
import Postgres
import Testing

@Suite struct PagingTests {
    @Test func `MH9 pages of 100 are asked for`() async throws {
        try await withSyncedWorld(videos: 250) { world in
            let pages = try await world.source.asked("feed")
            #expect(pages.map(\.limit) == ["100", "100", "100"])
            #expect(pages.map(\.records) == [100, 100, 50])
        }
    }

    @Test func `MH10 an empty page with a cursor goes on, and an absent or null cursor ends`()
        async throws
    {
        try await withWorld { world in
            // Some users' feeds end with null and others' without the key.
            for user in ["a", "b", "c", "d", "e", "f"] {
                try await world.addUser(user, videos: 150)
            }
            try await world.source.fault(
                #"{"kind": "empty_page", "path": "/api/users/*/feed", "user": "a", "nth": 2}"#)
            try await world.drain()
            #expect(try await world.source.asked("feed", by: "a").map(\.records) == [100, 0, 50])
            for user in ["a", "b", "c", "d", "e", "f"] {
                #expect(try await world.outcomes(user) == ["complete"])
                let kept = try await world.source.expected(user).kept
                #expect(
                    try await world.value(
                        """
                        select count(*) from synced.hub_video as v
                        join jobrunner.users as u on u.id = v.user_id where u.key = $1
                        """, .text(user)) == String(kept))
            }
        }
    }

    @Test
    func `MH11 the page cap yields with the cursor kept, and the watermark waits for the end`()
        async throws
    {
        let yaml = World.metube([("size: 100", "size: 10\n      max_pages: 3")])
        try await withWorld(yaml, videos: 70) { world in
            try await world.keepTrail()
            try await world.drain()
            #expect(
                try await world.outcomes("ann")
                    == ["partial page_cap", "partial page_cap", "complete"])
            let pages = try await world.source.asked("feed")
            #expect(pages.count == 7)
            for (page, next) in zip(pages, pages.dropFirst()) {
                #expect(next.cursor == page.next && page.next != nil)
            }
            let trail = try await world.trail()
            #expect(
                trail.filter { $0.int("page_number") ?? 0 < 7 }.allSatisfy {
                    $0.isNull("watermark")
                })
            #expect(trail.last?.text("watermark") != nil)
            #expect(Set(trail.compactMap { $0.text("pass_started_at") }).count == 1)
            let kept = try await world.source.expected("ann").kept
            #expect(try await world.value("select count(*) from synced.hub_video") == String(kept))
        }
    }

    @Test func `after a hundred pages a run without a rate asks for fifty a second`()
        async throws
    {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 1",
            query: #"cursor: "{page.token}""#)
        try await withSyncedWorld(yaml, videos: 200) { world in
            let times = try await world.source.asked(by: "ann").map(\.monotonic)
            try #require(times.count >= 200)
            let paced = times[100...]
            let span = (paced.last ?? 0) - (paced.first ?? 0)
            #expect(span >= (paced.count - 1) * 20 - 100)
        }
    }
}
