import JSON
import Postgres
import Testing

@Suite struct StylesTests {
    /// One way of paging over the same 95 records, 20 a page, and how many requests it takes.
    struct Way: Sendable, CustomTestStringConvertible {
        var name: String
        var path: String
        var page: String
        var query = ""
        var requests: Int
        var testDescription: String { name }
    }

    static let ways = [
        Way(name: "single", path: "single", page: "style: single, size: 20", requests: 1),
        Way(
            name: "token", path: "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}""#, requests: 5),
        Way(
            name: "next_url in the body", path: "next_url",
            page: "style: next_url, url_at: next, size: 20", requests: 5),
        Way(
            name: "next_url in a header", path: "next_header",
            page: "style: next_url, url_header: X-Next, size: 20", requests: 5),
        Way(name: "link_header", path: "link", page: "style: link_header, size: 20", requests: 5),
        Way(
            name: "offset with total", path: "offset",
            page: "style: offset, total_at: total, size: 20",
            query: #"offset: "{page.token}""#, requests: 5),
        Way(
            name: "offset without total", path: "offset", page: "style: offset, size: 20",
            query: #"offset: "{page.token}""#, requests: 6),
        Way(
            name: "offset to a short page", path: "offset",
            page: "style: offset, size: 20, end: short_page",
            query: #"offset: "{page.token}""#, requests: 5),
        Way(
            name: "page with last", path: "page", page: "style: page, last_at: last_page, size: 20",
            query: #"page: "{page.token}""#, requests: 5),
        Way(
            name: "page without last", path: "page", page: "style: page, size: 20",
            query: #"page: "{page.token}""#, requests: 6),
        Way(
            name: "keyset by body", path: "keyset",
            page: #"style: keyset, token_at: maxSeqReturned, start: "0", size: 20"#,
            query: #"after: "{page.token}""#, requests: 6),
        Way(
            name: "keyset by field", path: "keyset",
            page: #"style: keyset, by: seq, start: "0", size: 20, end: short_page"#,
            query: #"after: "{page.token}""#, requests: 5),
    ]

    @Test(arguments: ways)
    func `each style reads all records once, ends, and goes on where it was stopped`(
        way: Way
    ) async throws {
        try await withWorld(World.generic(way.path, page: way.page, query: way.query), videos: 95) {
            world in
            try await world.addUser("none", videos: 0)
            // bob's third page never comes; the next run asks for it again.
            try await world.addUser("bob", videos: 95)
            try await world.source.fault(
                #"{"kind": "status", "status": 400, "user": "bob", "nth": \#(min(3, way.requests))}"#
            )
            try await world.drain()
            #expect(try await world.holdsAllItems(of: "ann"))
            #expect(try await world.source.asked(by: "ann").count == way.requests)
            #expect(try await world.runs("ann").first?.int("inserted") == 95)
            #expect(try await world.job("none").text("last_outcome") == "complete")
            #expect(try await world.source.asked(by: "none").count == 1)
            // Where there is one page, it is no position that is refused.
            #expect(
                try await world.outcomes("bob")
                    == [way.requests > 1 ? "failed cursor_refused" : "failed rejected"])
            try await world.given(.due(.failed))
            try await world.drain()
            #expect(try await world.holdsAllItems(of: "bob"))
            #expect(try await world.source.asked(by: "bob").count == way.requests + 1)
            #expect(
                try await world.runs("bob").reduce(0) { $0 + ($1.int("fetched") ?? 0) } == 95)
        }
    }

    @Test func `a persisted keyset fetches only what is new in the second run`() async throws {
        let yaml = World.generic(
            "keyset",
            page: #"style: keyset, token_at: maxSeqReturned, start: "0", size: 20, persist: true"#,
            query: #"after: "{page.token}""#)
        try await withSyncedWorld(yaml, videos: 45) { world in
            try await world.source.add(3, to: "ann")
            try await world.runAgain()
            #expect(try await world.runs("ann").map { $0.int("fetched") } == [45, 3])
            #expect(try await world.holdsAllItems(of: "ann"))
            try await world.runAgain()
            #expect(try await world.runs("ann").count == 2)
            #expect(try await world.source.asked(by: "ann").count == 4 + 2 + 1)
        }
    }

    @Test(arguments: ["next_url", "next_header", "link"])
    func `a next page on another origin is refused, and the first page stays`(path: String)
        async throws
    {
        let page =
            switch path {
            case "next_url": "style: next_url, url_at: next, size: 20"
            case "next_header": "style: next_url, url_header: X-Next, size: 20"
            default: "style: link_header, size: 20"
            }
        try await withWorld(World.generic(path, page: page), videos: 60) { world in
            let elsewhere = "http://127.0.0.1:1/steal"
            let body = JSONValue.string(#"{"items": [], "next": "\#(elsewhere)"}"#).text
            try await world.source.fault(
                """
                {"kind": "status", "status": 200, "nth": 2, "body": \(body), "headers":
                {"X-Next": "\(elsewhere)", "Link": "<\(elsewhere)>; rel=\\"next\\""}}
                """)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["failed rejected"])
            #expect(try await world.value("select count(*) from synced.generic_item") == "20")
            // A source that has moved is not asked for what the old one named.
            try await world.runAgain()
            #expect(try await world.holdsAllItems(of: "ann"))
        }
    }

    @Test func `a stored next page of a source that has moved is not followed`() async throws {
        try await withWorld(
            World.generic("next_url", page: "style: next_url, url_at: next, size: 20, max_pages: 1")
        ) { world in
            try await world.addUser("ann", videos: 60)
            try await world.source.fault(#"{"kind": "status", "status": 400, "nth": 2}"#)
            try await world.drain()
            let asked = try await world.source.asked().count
            try await world.sql(
                "select jobrunner.set_source('acme', 'generic', 'http://127.0.0.1:1')")
            try await world.runAgain()
            #expect(try await world.source.asked().count == asked)
            let error = try await world.job("ann").text("last_error") ?? ""
            // It is asked from the beginning, at its new address.
            #expect(error.contains("127.0.0.1 port 1"), "\(error)")
            #expect(world.lines.all.count { $0.contains("position forgotten") } == 1)
        }
    }
}
