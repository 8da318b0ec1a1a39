import JSON
import Testing

/// What came is not absent, whoever could name it: nothing is deleted behind a pass that proves no absence.
@Suite struct AbsenceTests {
    private static let get = """
        path: /generic/{user.hub_user_id}/heard
        query: { p: "{page.token}" }
        """

    private static func file(
        _ mode: String, page: String = "style: token, token_at: next", at: String = "items[]"
    ) -> String {
        World.heard(
            request: page.contains("single") ? "path: /generic/{user.hub_user_id}/heard" : get,
            page: page,
            write: mode, at: at)
    }

    private func item(_ id: String) -> String {
        #"{"id": \#(id), "seq": 1, "name": "x", "value": 1, "updated_at": null}"#
    }

    private func page(_ ids: String..., next: String = "null") -> String {
        #"{"items": [\#(ids.map(item).joined(separator: ","))], "next": \#(next)}"#
    }

    private func ids(_ world: World) async throws -> String? {
        try await world.value("select string_agg(id, ' ' order by id) from synced.generic_item")
    }

    private func told(_ world: World) -> Int {
        world.lines.all.count { $0.contains("absence unproven") }
    }

    @Test(arguments: ["mode: overwrite, deletes: { sweep: after_full_pass }", "mode: replace_all"])
    func `a record that nobody could name deletes no row, over runs, and is told once`(
        _ mode: String
    ) async throws {
        try await withWorld(Self.file(mode, page: "style: token, token_at: next, max_pages: 1")) {
            world in
            try await world.addUser("ann", videos: 0)
            try await world.answerNext(page("\"1\"", "\"2\"", "\"3\""))
            try await world.drain()
            for _ in 1...3 {
                // The number is told by the run that ends the pass; the record came to the one before.
                try await world.answerNext(page("\"1\"", "null", next: "\"a\""), page("\"2\""))
                try await world.runAgain()
                #expect(try await ids(world) == "1 2 3")
            }
            #expect(told(world) == 1)
            #expect(try await world.troubles("ann") == ["absence_unproven"])
            for _ in 1...2 {
                try await world.answerNext(page("\"1\"", "\"2\""))
                try await world.runAgain()
            }
            #expect(try await ids(world) == "1 2")
            #expect(try await world.troubles("ann") == [])
        }
    }

    @Test func `an inner list that goes on deletes no row, and is told without a sweep too`()
        async throws
    {
        func lists(_ ids: String..., more: Bool) -> String {
            #"{"data": [{"lines": {"data": [\#(ids.map(item).joined(separator: ","))], "has_more": \#(more)}}]}"#
        }
        for mode in ["mode: overwrite, deletes: { sweep: after_full_pass }", "mode: overwrite"] {
            try await withWorld(Self.file(mode, page: "style: single", at: "data[].lines.data[]")) {
                world in
                try await world.addUser("ann", videos: 0)
                try await world.answerNext(lists("\"1\"", "\"2\"", more: false))
                try await world.drain()
                #expect(told(world) == 0)
                for _ in 1...3 {
                    try await world.answerNext(lists("\"2\"", "\"3\"", more: true))
                    try await world.runAgain()
                }
                #expect(try await ids(world) == "1 2 3")
                #expect(told(world) == 1)
                #expect(world.lines.all.contains { $0.contains("lines.data goes on (has_more)") })
            }
        }
    }
}
