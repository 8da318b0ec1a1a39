import JSON
import Testing

/// Lists whose last page comes again, or has no record, and what is told of an end that nothing proves.
@Suite struct LastPagesTests {
    private static let get = """
        path: /generic/{user.hub_user_id}/heard
        query: { p: "{page.token}" }
        """

    private func page(_ ids: ClosedRange<Int>, name: String = "x", _ rest: String = "") -> String {
        let items = ids.map {
            #"{"id": "\#($0)", "seq": \#($0), "name": "\#(name)", "value": 1, "updated_at": null}"#
        }
        return #"{"items": [\#(items.joined(separator: ","))]\#(rest)}"#
    }

    private func answer(_ world: World, _ pages: [String]) async throws {
        for page in pages { try await world.answerNext(page) }
    }

    private func names(_ world: World) async throws -> String? {
        try await world.value(
            "select count(*) || ' ' || string_agg(distinct name, ' ') from synced.generic_item")
    }

    @Test(arguments: ["", ", end: repeated", ", end: short_page"])
    func `a last page that comes again ends the pass, and edits are seen in the next run`(
        _ end: String
    ) async throws {
        let file = World.heard(request: Self.get, page: "style: page, size: 2\(end)")
        try await withWorld(file, videos: 0) { world in
            try await answer(world, [page(1...2), page(3...4), page(3...4)])
            try await world.drain()
            try await answer(
                world, [page(1...2, name: "y"), page(3...4, name: "y"), page(3...4, name: "y")])
            try await world.runAgain()
            #expect(try await world.outcomes("ann") == ["complete", "complete"])
            #expect(try await names(world) == "4 y")
            // Only the file can say that nothing lies behind a full page.
            let kind = try await world.troubles("ann").first
            #expect(kind == (end == ", end: repeated" ? nil : "end_unproven"))
            #expect(
                world.lines.all.count { $0.contains("end unproven") }
                    == (end == ", end: repeated" ? 0 : 1))
        }
    }

    @Test func `a run that begins behind the last page reads the pass anew once`() async throws {
        let file = World.heard(request: Self.get, page: "style: page, size: 2, max_pages: 2")
        try await withWorld(file, videos: 0) { world in
            try await answer(world, [page(1...2), page(3...4)])
            try await answer(
                world, [page(3...4), page(3...4), page(1...2, name: "y"), page(3...4, name: "y")])
            try await answer(world, [page(3...4, name: "y"), page(3...4, name: "y")])
            try await world.drain()
            #expect(try await names(world) == "4 y")
        }
    }

    @Test func `a source that ignores the parameter is told so`() async throws {
        let file = World.heard(request: Self.get, page: "style: page, size: 2")
        try await withWorld(file, videos: 0) { world in
            try await answer(world, [page(1...2), page(1...2)])
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["failed cursor_loop"])
            let error = try await world.job("ann").text("last_error") ?? ""
            #expect(error.contains("end: repeated"), "\(error)")
        }
    }

    @Test func `a keyset goes on through a page without records while its position moves`()
        async throws
    {
        let file = World.heard(request: Self.get, page: "style: keyset, token_at: max, start: 0")
        try await withWorld(file, videos: 0) { world in
            try await answer(
                world,
                [
                    page(1...2, #", "max": 2"#), #"{"items": [], "max": 5}"#,
                    page(6...6, #", "max": 6"#),
                    #"{"items": [], "max": 6}"#,
                ])
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["complete"])
            #expect(try await world.heard() == ["p=0", "p=2", "p=5", "p=6"])
            #expect(try await names(world) == "3 x")
        }
    }

    @Test func `a position that stays reads on with end repeated while other records come`()
        async throws
    {
        let file = World.heard(
            request: Self.get, page: "style: token, token_at: next, end: repeated")
        try await withWorld(file, videos: 0) { world in
            let rest = #", "next": "a""#
            try await answer(
                world, [page(1...2, rest), page(3...4, rest), page(5...6, rest), page(5...6, rest)])
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["complete"])
            #expect(try await names(world) == "6 x")
        }
    }

    @Test func `a slip in the path of the next page is told without a size too`() async throws {
        let file = World.heard(
            request: Self.get, page: "style: token, token_at: slip",
            write: "mode: overwrite, deletes: { sweep: after_full_pass }")
        try await withWorld(file, videos: 0) { world in
            try await answer(world, [page(1...3, #", "has_more": true, "next": "a""#)])
            try await world.drain()
            #expect(try await world.troubles("ann") == ["end_unproven"])
            #expect(
                world.lines.all.count { $0.contains("end unproven") && $0.contains("has_more") }
                    == 1)
        }
    }

    @Test func `a field that no record of a full pass had is told once`() async throws {
        let fields = World.standardFields + "\nslip: { at: slip, type: text }"
        let file = World.heard(
            request: "path: /generic/{user.hub_user_id}/heard", page: "style: single",
            fields: fields)
        try await withWorld(file, videos: 0) { world in
            try await answer(world, [page(1...10)])
            try await world.drain()
            try await answer(world, [page(1...10)])
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(
                world.lines.all.count { $0.contains("field absent") && $0.contains("field=slip") }
                    == 1)
            #expect(world.lines.all.count { $0.contains("field absent") } == 1)
            try await answer(world, [page(1...9)])
            try await world.runAgain()
            #expect(world.lines.all.count { $0.contains("field absent") } == 1)
        }
    }

    @Test func `a failure in a good answer waits as long as its header says`() async throws {
        let file = World.heard(
            request: "path: /generic/{user.hub_user_id}/heard", page: "style: single",
            parts: "errors: [{ body: { at: error, filled: true }, then: fail }]")
        try await withWorld(file, videos: 0) { world in
            try await world.answerNext(
                #"{"items": [], "error": "busy"}"#, headers: #"{"Retry-After": "90000"}"#)
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "deferred")
        }
    }
}
