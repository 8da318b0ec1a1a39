import JSON
import Postgres
import Testing

@Suite struct ModesTests {
    private static func yaml(_ mode: String, size: Int = 100) -> String {
        World.generic(
            "token", page: "style: token, token_at: next_token, size: \(size)",
            query: #"cursor: "{page.token}""#, mode: mode)
    }

    private func versions(_ world: World) async throws -> [String] {
        try await world.rows(
            "select id, xmin::text, ctid::text from synced.generic_item order by id"
        ).map(\.rawText)
    }

    /// The item page `[(id, seq, name)]` as the next answer.
    private func serve(_ items: [(String, Int, String)], _ world: World) async throws {
        let texts = items.map { #"{"id": "\#($0.0)", "seq": \#($0.1), "name": "\#($0.2)"}"# }
        let body = JSONValue.string(#"{"items": [\#(texts.joined(separator: ", "))]}"#).text
        try await world.source.fault(#"{"kind": "garbage", "body": \#(body)}"#)
    }

    private func names(_ world: World) async throws -> [String] {
        try await world.rows("select id, name from synced.generic_item order by id").map {
            "\($0.text("id") ?? "")=\($0.text("name") ?? "")"
        }
    }

    private func counts(_ run: JSONNode?) -> [String: Int] {
        var counts: [String: Int] = [:]
        for name in ["inserted", "updated", "unchanged", "skipped_older", "duplicate"] {
            if let count = run?.int(name), count > 0 { counts[name] = count }
        }
        return counts
    }

    @Test(arguments: ["insert_new", "overwrite", "newest_wins, newer_by: updated_at"])
    func `an unchanged second run writes no row version`(mode: String) async throws {
        try await withSyncedWorld(Self.yaml(mode, size: 20), videos: 95) { world in
            let before = try await versions(world)
            #expect(before.count == 95)
            try await world.enqueue("ann")
            try await world.drain()
            #expect(try await versions(world) == before)
            #expect(counts(try await world.runs("ann").last) == ["unchanged": 95])
        }
    }

    @Test func `insert_new keeps what is stored`() async throws {
        try await withWorld(Self.yaml("insert_new"), videos: 0) { world in
            try await serve([("a", 1, "one"), ("b", 1, "one")], world)
            try await world.drain()
            try await serve([("b", 2, "two"), ("c", 2, "two"), ("c", 3, "three")], world)
            try await world.runAgain()
            #expect(try await names(world) == ["a=one", "b=one", "c=two"])
            #expect(
                counts(try await world.runs("ann").last) == [
                    "inserted": 1, "unchanged": 1, "duplicate": 1,
                ])
        }
    }

    @Test func `overwrite replaces what differs, and the last of a page wins`() async throws {
        try await withWorld(Self.yaml("overwrite"), videos: 0) { world in
            try await serve([("a", 1, "one"), ("b", 1, "one")], world)
            try await world.drain()
            try await serve(
                [("a", 1, "one"), ("b", 0, "two"), ("c", 1, "x"), ("c", 0, "y")], world)
            try await world.runAgain()
            #expect(try await names(world) == ["a=one", "b=two", "c=y"])
            #expect(
                counts(try await world.runs("ann").last)
                    == ["inserted": 1, "updated": 1, "unchanged": 1, "duplicate": 1])
        }
    }

    @Test func `newest_wins replaces only what is older, in the page as in the table`() async throws
    {
        try await withWorld(Self.yaml("newest_wins, newer_by: seq"), videos: 0) { world in
            try await serve([("a", 5, "five"), ("b", 5, "five"), ("c", 5, "five")], world)
            try await world.drain()
            try await serve(
                [
                    ("a", 4, "four"), ("b", 6, "six"), ("c", 5, "other"), ("d", 2, "x"),
                    ("d", 1, "y"),
                ],
                world)
            try await world.runAgain()
            #expect(try await names(world) == ["a=five", "b=six", "c=other", "d=x"])
            #expect(
                counts(try await world.runs("ann").last) == [
                    "inserted": 1, "updated": 2, "skipped_older": 1, "duplicate": 1,
                ])
        }
    }

    @Test
    func `a max_seen watermark is the greatest time of the whole pass and asks for what follows`()
        async throws
    {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}", since: "{since}""#,
            mode: "newest_wins, newer_by: updated_at",
            incremental: "incremental: { watermark: max_seen }")
        try await withSyncedWorld(yaml, videos: 50) { world in
            let greatest = try await world.value("select max(updated_at) from synced.generic_item")
            #expect(
                try await world.value("select watermark::timestamptz from jobrunner.checkpoints")
                    == greatest)
            try await world.source.add(3, to: "ann")
            try await world.runAgain()
            #expect(try await world.holdsAllItems(of: "ann"))
            // The three, and the one whose time is the watermark's own: it is compared with >=.
            #expect((3...5).contains(try await world.runs("ann").last?.int("fetched") ?? 0))
        }
    }
}
