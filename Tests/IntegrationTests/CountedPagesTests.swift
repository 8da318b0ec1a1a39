import JSON
import Testing

/// Pages that are counted, at a source where the page behind the last one is not found.
@Suite struct CountedPagesTests {
    private static func file(_ ends: String, recovers: Bool = false) -> String {
        let yaml = World.generic(
            "counted", page: "style: page, size: 20\(ends)", query: #"page: "{page.token}""#)
        guard recovers else { return yaml }
        return yaml + """

                errors: [{ status: 404, then: end }]
            """
    }

    @Test(arguments: [
        (", total_at: count", false, 5), (", next_at: next", false, 5),
        (", last_at: is_last", false, 5), ("", true, 6),
    ])
    func `pages end where the source says so, also where their number is a multiple of the size`(
        ends: String, recovers: Bool, requests: Int
    ) async throws {
        try await withWorld(Self.file(ends, recovers: recovers), videos: 100) { world in
            try await world.addUser("none", videos: 0)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["complete"])
            #expect(try await world.holdsAllItems(of: "ann"))
            #expect(try await world.source.asked(by: "ann").count == requests)
            #expect(try await world.job("none").text("last_outcome") == "complete")
            #expect(try await world.source.asked(by: "none").count == 1)
        }
    }

    @Test func `a resumed pass whose position lies behind the last page ends`() async throws {
        try await withWorld(Self.file("", recovers: true), videos: 100) { world in
            // The sixth page fails otherwise first, so that the position is kept behind the last one.
            try await world.source.fault(#"{"kind": "status", "status": 400, "nth": 6}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["failed cursor_refused"])
            #expect(try await world.checkpoint("ann").text("cursor") == "6")
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await world.checkpoint("ann").text("pass_kind") == nil)
            #expect(try await world.source.asked(by: "ann").count == 7)
        }
    }

    @Test func `a first page that is not found ends no pass, so that nothing is deleted`()
        async throws
    {
        try await withWorld(Self.file("", recovers: true), videos: 40) { world in
            try await world.source.fault(#"{"kind": "status", "status": 404, "times": 0}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["failed rejected"])
        }
    }

    @Test func `a first page that is ignored is skipped, and a later one ends the list`()
        async throws
    {
        let yaml =
            Self.file("") + """

                    errors: [{ status: 404, then: end }, { status: 404, then: skip }]
                """
        try await withWorld(yaml, videos: 100) { world in
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["complete"])
            #expect(try await world.source.asked(by: "ann").count == 6)
            try await world.source.fault(#"{"kind": "status", "status": 404, "times": 0}"#)
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            // Nothing of the list was seen, so that nothing of it goes.
            #expect(try await world.holdsAllItems(of: "ann"))
            #expect(try await world.source.asked(by: "ann").count == 7)
        }
    }

    @Test
    func `a total is compared with what was received over all runs, whatever the page's size`()
        async throws
    {
        try await withSyncedWorld(Self.file(", total_at: count, max_pages: 2"), videos: 100) {
            world async throws in
            #expect(
                try await world.outcomes("ann") == [
                    "partial page_cap", "partial page_cap", "complete",
                ])
            #expect(try await world.holdsAllItems(of: "ann"))
            #expect(try await world.source.asked(by: "ann").count == 5)
        }
    }
}
