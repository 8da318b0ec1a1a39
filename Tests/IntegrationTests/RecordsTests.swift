import JSON
import Postgres
import Testing

@Suite struct RecordsTests {
    /// A feed page of these videos, as (id, title, duration) in JSON.
    private func page(
        _ videos: [(id: String, title: String?, duration: String?)], next: String? = nil
    ) -> String {
        let texts = videos.map { video in
            let title = video.title.map { #", "title": "\#($0)""# } ?? ""
            let duration = video.duration.map { #", "duration": \#($0)"# } ?? ""
            return
                #"{"videoId": "\#(video.id)", "channelId": "c", "publishedAt": "2026-01-01T00:00:00Z"\#(title)\#(duration)}"#
        }
        let cursor = next.map { #", "nextCursor": "\#($0)""# } ?? ""
        return #"{"videos": [\#(texts.joined(separator: ", "))]\#(cursor)}"#
    }

    /// Serves these pages, one after the other.
    private func serve(_ pages: [String], _ world: World) async throws {
        for page in pages {
            let body = JSONValue.string(page).text
            try await world.source.fault(
                #"{"kind": "garbage", "path": "/api/users/*/feed", "user": "ann", "body": \#(body)}"#
            )
        }
    }

    private func titles(_ world: World) async throws -> [String] {
        try await world.rows("select video_id, title from synced.hub_video order by video_id").map {
            "\($0.text("video_id") ?? ""):\($0.text("title") ?? "")"
        }
    }

    @Test func `MH19 videos under 60 s or of an unreadable duration are dropped and counted`()
        async throws
    {
        try await withWorld(videos: 0) { world in
            try await serve(
                [
                    page([
                        ("a", "x", "60"), ("b", nil, "100"), ("c", "x", nil), ("d", "x", "59"),
                        ("e", "x", #""00:59""#), ("f", "x", "null"), ("g", "x", #""oops""#),
                    ])
                ], world)
            try await world.addUser("bob", videos: 400)
            try await world.drain()
            let ann = try #require(try await world.runs("ann").first)
            #expect(ann.int("fetched") == 7 && ann.int("inserted") == 4)
            #expect(ann.int("filtered") == 2)
            #expect(ann.int("skipped_incompatible") == 1)
            let bob = try #require(try await world.runs("bob").first)
            let expected = try await world.source.expected("bob")
            #expect(bob.int("inserted") == expected.kept)
            #expect(bob.int("filtered") == expected.filtered)
            #expect(bob.int("skipped_incompatible") == expected.incompatible)
        }
    }

    @Test func `MH20 a duration is a number, HH:MM:SS or MM:SS, and a malformed one is none`()
        async throws
    {
        let yaml = World.metube()
            .replacing(
                "      keep_if:\n        - field: duration_s\n          gte: 60     # shorts\n          missing: keep\n",
                with: "")
        try await withWorld(yaml, videos: 0) { world in
            try await serve(
                [
                    page([
                        ("a", "x", "61.5"), ("b", "x", #""01:02:03""#), ("c", "x", #""02:05""#),
                        ("d", "x", #""2 min""#), ("e", "x", #""1:99""#), ("f", "x", "-3"),
                        ("g", "x", nil), ("h", "x", "true"),
                    ])
                ], world)
            try await world.drain()
            let rows = try await world.rows(
                "select duration_s from synced.hub_video order by video_id")
            #expect(
                rows.map { $0["duration_s"]?.numberText }
                    == ["61.5", "3723", "125", nil, nil, nil, nil, nil])
        }
    }

    @Test func `MH20 every duration of the hub is stored as it reads`() async throws {
        try await withSyncedWorld(videos: 400) { world in
            let expected = try await world.source.command("GET", "expected?user=ann")
            let wanted = (expected["videos"].map { Array($0.elements) } ?? []).map {
                "\($0.text("video_id") ?? ""):\($0["duration_s"]?.numberText ?? "")"
            }
            let stored = try await world.rows("select video_id, duration_s from synced.hub_video")
                .map {
                    "\($0.text("video_id") ?? ""):\($0["duration_s"]?.numberText ?? "")"
                }
            #expect(Set(stored) == Set(wanted) && stored.count == wanted.count)
        }
    }

    @Test
    func `MH21 duplicates in a page, across pages and across runs are one row and the last wins`()
        async throws
    {
        try await withWorld(videos: 0) { world in
            try await serve(
                [
                    page([("a", "1", "90"), ("b", "1", "90"), ("a", "2", "90")], next: "p2"),
                    page([("b", "3", "90"), ("c", "3", "90")]),
                ], world)
            try await world.drain()
            #expect(try await titles(world) == ["a:2", "b:3", "c:3"])
            let first = try #require(try await world.runs("ann").first)
            #expect(first.int("duplicate") == 1 && first.int("updated") == 1)
            #expect(first.int("inserted") == 3)
            try await serve([page([("c", "4", "90"), ("d", "4", "90")])], world)
            try await world.runAgain()
            #expect(try await titles(world) == ["a:2", "b:3", "c:4", "d:4"])
        }
    }

    @Test func `MH22 OW10 a corrected title arrives, and a premiere gets its duration`()
        async throws
    {
        try await withWorld(videos: 0) { world in
            try await serve([page([("a", "1", "90"), ("b", "live", nil)])], world)
            try await world.drain()
            #expect(try await titles(world) == ["a:1", "b:live"])
            // The daily pass reads everything again.
            try await world.makeStale("25 hours")
            try await serve([page([("a", "2", "90"), ("b", "live", "300")])], world)
            try await world.runAgain()
            #expect(try await titles(world) == ["a:2", "b:live"])
            #expect(
                try await world.value(
                    "select duration_s::int from synced.hub_video where video_id = 'b'") == "300")
            let run = try #require(try await world.runs("ann").last)
            #expect(run.int("updated") == 2 && run.int("inserted") == 0)
            // One that is no longer in the feed stays.
            try await world.makeStale("25 hours")
            try await serve([page([("a", "2", "90")])], world)
            try await world.runAgain()
            #expect(try await titles(world) == ["a:2", "b:live"])
        }
    }

    @Test func `MH23 the result of a run is the number of new videos`() async throws {
        try await withSyncedWorld(videos: 50) { world in
            try await world.source.add(7, to: "ann")
            try await world.enqueue("ann", full: true)
            try await world.drain()
            let run = try #require(try await world.runs("ann").last)
            #expect(run.int("inserted") == 7 && run.int("fetched") == 57)
        }
    }

    @Test func `MH24 each page is stored before the next is asked for, and stays when that fails`()
        async throws
    {
        try await withWorld(videos: 250) { world in
            try await world.source.fault(
                #"{"kind": "hang", "path": "/api/users/*/feed", "nth": 3}"#)
            let worker = try await world.start()
            try await world.source.waitFor(3, "feed")
            let stored = try await world.value("select count(*) from synced.hub_video")
            #expect(
                try await world.checkpoint("ann").int("inserted").map(String.init)
                    == stored)
            #expect(try await world.checkpoint("ann").int("page_number") == 2)
            #expect(stored != "0")
            await worker.stop()
            #expect(try await world.value("select count(*) from synced.hub_video") == stored)
        }
    }

    @Test func `MH30 rows have the defaults of their table`() async throws {
        try await withSyncedWorld(videos: 20) { world in
            let odd = try await world.value(
                """
                select count(*) from synced.hub_video where inserted_at is null or synced is not true
                or last_modified is null or inserted_at < now() - interval '1 minute'
                """)
            #expect(odd == "0")
            #expect(try await world.value("select count(*) > 0 from synced.hub_video") == "true")
        }
    }
}
