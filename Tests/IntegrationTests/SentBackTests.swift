import JSON
import Testing

/// What the source gave goes back as it came.
@Suite struct SentBackTests {
    private static let item = #"{"id": "a", "seq": 1}"#

    /// One value that a source gives as the next position, as it stands in JSON, and as it stands in an address.
    struct Position: Sendable, CustomTestStringConvertible {
        var json: String
        var plain: String
        var testDescription: String { json }
    }

    @Test(arguments: [
        Position(json: #""123""#, plain: "123"), Position(json: "123", plain: "123"),
        Position(json: #""007""#, plain: "007"), Position(json: #""-0""#, plain: "-0"),
        Position(json: "12345678901234567890123", plain: "12345678901234567890123"),
        Position(json: #""12345678901234567890123""#, plain: "12345678901234567890123"),
        Position(json: "1.50", plain: "1.50"), Position(json: #""1.50""#, plain: "1.50"),
        Position(json: "1e3", plain: "1e3"), Position(json: #""1e3""#, plain: "1e3"),
        Position(json: #""\"7\"""#, plain: #""7""#), Position(json: #""ä b/c""#, plain: "ä b/c"),
    ])
    func `a position goes back as it came, in query, header and body`(_ given: Position)
        async throws
    {
        let file = World.heard(
            request: """
                method: POST
                path: /generic/{user.hub_user_id}/heard
                query: { after: "{page.token}" }
                headers: { X-Position: "{page.token}" }
                body: { after: "{page.token}", of: "p{page.token}" }
                """, page: "style: token, token_at: next")
        try await withWorld(file, videos: 0) { world in
            try await world.answerNext(#"{"items": [\#(Self.item)], "next": \#(given.json)}"#)
            try await world.drain()
            // The stored position is as good as the one in memory.
            try await world.answerNext(#"{"items": [], "next": null}"#)
            try await world.runAgain()
            let of = JSONValue.string("p" + given.plain).text
            #expect(
                try await world.heard().dropFirst().allSatisfy {
                    $0 == #"after=\#(given.plain) {"after":\#(given.json),"of":\#(of)}"#
                })
            let headers = try await world.source.log(user: "ann").compactMap { $0.text("header") }
            #expect(headers == [given.plain, given.plain])
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }

    @Test func `a position goes back in a path as it came`() async throws {
        let file = World.heard(
            request: """
                path: "/generic/{user.hub_user_id}/heard/{page.token}"
                query: { limit: "{page.size}" }
                """, page: #"style: keyset, token_at: next, start: "0", size: 1"#)
        try await withWorld(file, videos: 0) { world in
            try await world.answerNext(
                #"{"items": [\#(Self.item)], "next": 12345678901234567890123}"#,
                #"{"items": [\#(Self.item)], "next": "007/8"}"#, #"{"items": []}"#)
            try await world.drain()
            #expect(
                try await world.source.log(user: "ann").map { $0.text("path") } == [
                    "/generic/ann/heard/0", "/generic/ann/heard/12345678901234567890123",
                    "/generic/ann/heard/007/8",
                ])
        }
    }

    @Test(arguments: [
        ("seq: { at: seq, type: int, required: true }", "5", "5"),
        ("seq: { at: seq, type: int, required: true, format: text }", #""5""#, #""5""#),
        ("seq: { at: seq, type: text, required: true }", #""5""#, #""5""#),
        (
            "seq: { at: seq, type: timestamp, required: true, format: epoch_s }", "1750000000",
            "1750000000"
        ),
        (
            "seq: { at: seq, type: timestamp, required: true, format: epoch_ms }",
            "1750000000123", "1750000000123"
        ),
        (
            "seq: { at: seq, type: timestamp, required: true }", #""2026-01-02T03:04:05Z""#,
            #""2026-01-02T03:04:05Z""#
        ),
    ])
    func `positions and watermarks out of a field are written as the field is`(
        _ field: String, _ value: String, _ sent: String
    ) async throws {
        let fields = "id: { at: id, type: text, required: true }\n" + field
        let request = """
            method: POST
            path: /generic/{user.hub_user_id}/heard
            """
        let keyset = World.heard(
            request: request + "\n" + #"body: { after: "{page.token}" }"#,
            page: "style: keyset, by: seq, start: 0", fields: fields)
        try await withWorld(keyset, videos: 0) { world in
            try await world.answerNext(
                #"{"items": [{"id": "a", "seq": \#(value)}]}"#, #"{"items": []}"#)
            try await world.drain()
            #expect(try await world.heard().last == #"{"after":\#(sent)}"#)
        }
        guard !field.contains("type: text") else { return }
        let raw = World.heard(
            request: request + "\n" + #"body: { since: "{since}" }"#, page: "style: single",
            parts: "incremental: { watermark: max_seen, format: raw }",
            write: "mode: newest_wins, newer_by: seq", fields: fields)
        try await withWorld(raw, videos: 0) { world in
            try await world.answerNext(
                #"{"items": [{"id": "a", "seq": \#(value)}]}"#, #"{"items": []}"#)
            try await world.drain()
            try await world.runAgain()
            #expect(try await world.heard() == ["{}", #"{"since":\#(sent)}"#])
        }
    }

    @Test func `a key of a time is asked for as the source writes it`() async throws {
        let file = World.heard(
            request: "path: /generic/{user.hub_user_id}/heard", page: "style: single",
            write: "mode: overwrite, deletes: { sweep: after_full_pass, "
                + #"confirm: { path: "/generic/ann/heard/{row.id}" } }"#,
            fields: "id: { at: id, type: timestamp, format: epoch_ms, required: true }")
        try await withWorld(file, videos: 0) { world in
            try await world.answerNext(#"{"items": [{"id": 1750000000123}, {"id": 5}]}"#)
            try await world.drain()
            try await world.answerNext(#"{"items": [{"id": 1750000000123}]}"#, "{}")
            try await world.runAgain()
            #expect(
                try await world.source.log(user: "ann").compactMap { $0.text("path") }.suffix(2)
                    == ["/generic/ann/heard/1750000000123", "/generic/ann/heard/5"])
        }
    }
}
