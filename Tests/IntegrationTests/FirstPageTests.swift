import JSON
import Testing

/// What the first request of a list has of its position, and where it stands.
@Suite struct FirstPageTests {
    private static func yaml(_ page: String, request: String = #"query: { p: "{page.token}" }"#)
        -> String
    {
        World.heard(
            request: "path: /generic/{user.hub_user_id}/heard\n" + request,
            page: "style: page, start: 0\(page)")
    }

    private func page(_ id: String) -> String { #"{"items": [{"id": "\#(id)", "seq": 1}]}"# }

    private let end = #"{"items": []}"#

    @Test func `a list whose first page no position names is asked for without one`() async throws {
        try await withWorld(Self.yaml(", sends_start: false"), videos: 0) { world in
            try await world.answerNext(page("a"), page("b"), end)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["complete"])
            #expect(try await world.heard() == ["", "p=1", "p=2"])
        }
    }

    @Test func `a second page that is the first one is no last page that comes again`()
        async throws
    {
        let file = Self.yaml(", sends_start: false, end: repeated")
        try await withWorld(file, videos: 0) { world in
            try await world.answerNext(page("a"), page("a"), page("b"), page("b"))
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["complete"])
            #expect(try await world.value("select count(*) from synced.generic_item") == "2")
        }
    }

    @Test(arguments: [(", sends_start: false", "complete"), ("", "failed cursor_loop")])
    func `only where no position names the first page may the second one be the same`(
        key: String, outcome: String
    ) async throws {
        try await withWorld(Self.yaml(key), videos: 0) { world in
            try await world.answerNext(page("a"), page("a"), page("b"), end)
            try await world.drain()
            #expect(try await world.outcomes("ann") == [outcome])
        }
    }

    @Test func `a GET that says so sends its body`() async throws {
        let yaml = Self.yaml(
            "",
            request: #"method: GET\nbody: { p: "{page.token}", all: true }"#
                .replacing("\\n", with: "\n"))
        try await withWorld(yaml, videos: 0) { world in
            try await world.answerNext(page("a"), end)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["complete"])
            #expect(try await world.heard() == [#"{"p":0,"all":true}"#, #"{"p":1,"all":true}"#])
        }
    }
}
