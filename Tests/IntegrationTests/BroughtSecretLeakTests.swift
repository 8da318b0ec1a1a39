import JSON
import Postgres
import Testing
import Writing

/// What a record brings as a secret is seen by nobody, whatever else is wrong with its page.
@Suite struct BroughtSecretLeakTests {
    /// With everything that some encoding changes.
    private static let canary = "cAn4ry+/=&\"\\ é%~zZ9"
    private static let quoted = JSONValue.string(canary).text

    private static let yaml = World.heard(
        request: "path: /generic/{user.hub_user_id}/heard\nquery: { cursor: \"{page.token}\" }",
        page: "style: token, token_at: next",
        parts: "errors: [{ body: { at: error, filled: true }, then: fail, message_at: error }]",
        source: "excerpts: true",
        write: "mode: newest_wins, newer_by: at",
        fields: """
            id: { at: id, type: text, required: true }
            at: { at: at, type: timestamp, required: true }
            size: { at: size, type: int }
            """
    ).replacing(
        "      key: [id]", with: "      key: [id]\n      secrets: { canary: { at: auth.token } }")

    /// A page of one record, which brings the canary and has or lacks other members.
    private static func page(
        _ id: String = #""id": "1""#, at: String = #""2026-01-01T00:00:00Z""#, size: String = "1",
        token: String = quoted, and rest: String = ""
    ) -> String {
        #"{"items": [{"auth": {"token": \#(token)}, \#(id), "at": \#(at), "size": \#(size)}]\#(rest)}"#
    }

    private static let cut = String(page().prefix(45))

    /// Answers of which each has something wrong beside a token, and how a run that gets it ends.
    private static let answers: [(status: Int, body: String, end: String)] = [
        (200, page(size: quoted), "complete"),
        (200, page(#""name": "nobody""#), "failed incompatible"),
        (200, page(at: quoted), "failed incompatible"),
        (200, page(token: "[\(quoted)]"), "complete"),
        (200, page(and: #", "next": {"a": \#(quoted)}"#), "failed malformed"),
        (200, page(and: #", "error": \#(quoted)"#), "failed source_error"),
        (200, page(and: #", "items": 7"#), "failed malformed"),
        (200, cut, "failed malformed"),
        (206, page(), "failed unexpected_status"),
        (409, page(), "failed rejected"),
        (409, cut, "failed rejected"),
        (401, page(), "failed rejected"),
        (500, cut, "failed unavailable"),
    ]

    private func leaks(_ texts: [String]) -> [String] {
        // Any piece long enough to mean something, in the forms in which it may be repeated.
        let pieces = ["cAn4ry", "zZ9", "Y0FuNHJ5"]
        return texts.filter { text in pieces.contains { text.contains($0) } }
    }

    @Test(arguments: answers.indices)
    func `MS31 a token that a record brings is in no row, line or error`(
        _ number: Int
    ) async throws {
        let answer = Self.answers[number]
        try await withWorld(Self.yaml, sealer: true, videos: 1) { world in
            for _ in 1...3 {
                try await world.source.fault(
                    #"{"kind": "status", "status": \#(answer.status), "body": \#(JSONValue.string(answer.body).text)}"#
                )
            }
            try await world.drain()
            let ends = try await world.outcomes("ann")
            #expect(ends == [answer.end])
            let found = leaks(try await world.everyText())
            #expect(found == [])
            try await world.source.heal()
            try await world.answerNext(Self.page())
            try await world.runAgain()
            #expect(try await world.secret("canary", of: "ann") == Self.canary)
            #expect(leaks(try await world.everyText()) == [])
            // The next run knows it, too.
            try await world.source.fault(
                #"{"kind": "status", "status": 409, "body": \#(JSONValue.string(Self.quoted).text)}"#
            )
            try await world.runAgain()
            #expect(leaks(try await world.everyText()) == [])
            #expect(try await world.job("ann").text("last_error")?.contains("•••") == true)
        }
    }

    @Test func `MS31 a dry run shows no token that a record brings, and stores none`() async throws
    {
        try await withWorld(Self.yaml, sealer: true, videos: 1) { world in
            try await world.answerNext(Self.page())
            let report = try await world.dryRun("ann")
            #expect(report.outcome == "complete", "\(report)")
            var text = ""
            dump(report, to: &text)
            #expect(text.contains("2026-01-01"))
            #expect(leaks(try await world.everyText() + [text]) == [])
            #expect(try await world.secret("canary", of: "ann") == nil)
        }
    }

    @Test func `MS31 a token is kept out of the error of a later page`() async throws {
        try await withWorld(Self.yaml, sealer: true, videos: 1) { world in
            try await world.answerNext(
                Self.page(and: #", "next": "n""#), #"{"error": \#(Self.quoted), "items": []}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["failed source_error"])
            #expect(leaks(try await world.everyText()) == [])
            #expect(try await world.secret("canary", of: "ann") == Self.canary)
        }
    }

    @Test func `MS31 an answer that is asked for again tells nothing of a token that it brings`()
        async throws
    {
        let file = Self.yaml.replacing("then: fail", with: "then: retry")
        try await withWorld(file, sealer: true, videos: 1) { world in
            let body = JSONValue.string(Self.page(and: #", "error": \#(Self.quoted)"#)).text
            try await world.source.fault(
                #"{"kind": "status", "status": 200, "body": \#(body), "times": 20}"#)
            try await world.drain()
            #expect(try await world.job("ann").text("last_error")?.contains("at error") == true)
            #expect(leaks(try await world.everyText()) == [])
        }
    }

    private static func items(_ count: Int) -> String {
        let items = (0..<count).map {
            #"{"id": "\#($0)", "at": "2026-01-01T00:00:00Z", "auth": {"token": "cAn4ry-\#($0)"}}"#
        }
        return #"{"items": [\#(items.joined(separator: ","))]}"#
    }

    @Test(arguments: [(100, "complete"), (101, "failed malformed"), (30_000, "failed malformed")])
    func `a page may have a hundred records that bring a secret`(
        _ count: Int, _ outcome: String
    ) async throws {
        try await withWorld(Self.yaml, sealer: true, videos: 0) { world in
            try await world.answerNext(Self.items(count))
            try await world.drain()
            #expect(try await world.outcomes("ann") == [outcome])
            let rows = try await world.value("select count(*) from synced.generic_item")
            #expect(rows == (count > 100 ? "0" : "100"))
            let error = try await world.job("ann").text("last_error")
            #expect(count == 100 || error?.contains("more than 100 records of the page") == true)
            #expect(leaks(try await world.everyText()) == [])
        }
    }
}
