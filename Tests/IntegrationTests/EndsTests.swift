import JSON
import Testing

/// Where a list goes on, and where it ends.
@Suite struct EndsTests {
    private static func file(_ page: String) -> String {
        World.generic("next_url", page: "style: next_url, url_at: next, size: 20\(page)")
    }

    /// A user of 55 items, whose first page has none and leads to a server that only the source knows.
    private func withForeignLink(_ page: String, _ body: (World) async throws -> Void) async throws
    {
        try await withWorld(Self.file(page), videos: 55) { world in
            let link = "http://inside.example:81/generic/ann/next_url?limit=20"
            try await world.source.fault(
                #"{"kind": "status", "status": 200, "body": "{\"items\": [], \"next\": \"\#(link)\"}"}"#
            )
            try await world.drain()
            try await body(world)
        }
    }

    @Test func `a link to another origin is refused by its name`() async throws {
        try await withForeignLink("") { world async throws in
            #expect(try await world.outcomes("ann") == ["failed rejected"])
            let error = try await world.job("ann").text("last_error") ?? ""
            #expect(
                error.contains("http://inside.example:81") && error.contains("origin: base"),
                "\(error)")
            #expect(try await world.source.asked(by: "ann").count == 1)
        }
    }

    @Test func `a link to another origin is followed at the source's own, where the file says so`()
        async throws
    {
        try await withForeignLink(", origin: base") { world async throws in
            #expect(try await world.outcomes("ann") == ["complete"])
            #expect(try await world.holdsAllItems(of: "ann"))
            #expect(try await world.source.asked(by: "ann").count == 4)
        }
    }

    @Test
    func `a list that names a next page for ever ends at the empty one, where the file says so`()
        async throws
    {
        let page = "style: token, token_at: next_token, size: 20, end: empty_page"
        let yaml = World.generic(
            "token", page: page, query: #"cursor: "{page.token}""#, mode: "replace_all")
        try await withSyncedWorld(yaml, videos: 55) { world in
            // The fourth page is empty and names a fifth.
            try await world.source.fault(
                #"{"kind": "status", "status": 200, "body": "{\"items\": [], \"next_token\": \"x\"}", "nth": 4}"#
            )
            try await world.source.fault(#"{"kind": "endless_cursor", "nth": 3}"#)
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await world.holdsAllItems(of: "ann"))
        }
    }
}
