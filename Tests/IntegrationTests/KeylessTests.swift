import Testing

/// Records that have no key of their own.
@Suite struct KeylessTests {
    private static func file(
        _ key: String, at: String = "items[]", write: String = "mode: replace_all"
    ) -> String {
        World.heard(
            request: "path: /generic/{user.hub_user_id}/heard", page: "style: single", write: write,
            at: at,
            fields: """
                name: { at: [nick, name], type: text }
                seq: { at: seq, type: int }
                kind: { value: rate, type: text }
                """
        ).replacing("key: [id]", with: "key: \(key)")
    }

    private func rows(_ world: World) async throws -> [String] {
        try await world.rows(
            "select coalesce(name, '-') || ' ' || seq || ' ' || kind as row from synced.generic_item order by seq, 1"
        ).compactMap { $0.text("row") }
    }

    private func versions(_ world: World) async throws -> String? {
        try await world.value(
            "select string_agg(row_key || ' ' || xmin::text, ',' order by row_key) from synced.generic_item"
        )
    }

    @Test
    func
        `records that are told apart by their content are one row each, and an unchanged run writes none`()
        async throws
    {
        let page =
            #"{"items": [{"name": "a", "seq": 1}, {"nick": "b", "name": "x", "seq": 2}, {"nick": null, "name": "c", "seq": 3}, {"name": "a", "seq": 1}]}"#
        try await withWorld(Self.file("content"), videos: 0) { world in
            try await world.answerNext(page)
            try await world.drain()
            #expect(try await rows(world) == ["a 1 rate", "b 2 rate", "c 3 rate"])
            let before = try await versions(world)
            try await world.answerNext(page)
            try await world.runAgain()
            #expect(try await versions(world) == before)
        }
    }

    @Test
    func
        `a record whose content changes is a new row, and what stood before goes when two passes lack it`()
        async throws
    {
        try await withWorld(Self.file("content"), videos: 0) { world in
            try await world.answerNext(#"{"items": [{"name": "a", "seq": 1}]}"#)
            try await world.drain()
            for _ in 1...2 {
                try await world.answerNext(#"{"items": [{"name": "a", "seq": 2}]}"#)
                try await world.runAgain()
            }
            #expect(try await rows(world) == ["a 2 rate"])
        }
    }

    @Test func `the one record of a user is one row that changes`() async throws {
        let file = Self.file("one", at: "me", write: "mode: overwrite")
        try await withWorld(file, videos: 0) { world in
            try await world.answerNext(#"{"me": {"name": "a", "seq": 1}}"#)
            try await world.drain()
            let before = try await versions(world)
            try await world.answerNext(#"{"me": {"name": "a", "seq": 1}}"#)
            try await world.runAgain()
            #expect(try await versions(world) == before)
            try await world.answerNext(#"{"me": {"name": "b", "seq": 2}}"#)
            try await world.runAgain()
            #expect(try await rows(world) == ["b 2 rate"])
        }
    }
}
