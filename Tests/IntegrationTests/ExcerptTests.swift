import JSON
import Testing
import Writing

/// Of an answer that is refused nothing is quoted where secrets are sent, unless the job file asks for it.
@Suite struct ExcerptTests {
    private static let words = "Words-of-the-body"

    private static func yaml(_ source: String, records: String = "", query: String = "") -> String {
        World.heard(
            request: "path: /generic/{user.hub_user_id}/heard\nquery: { a: \"b\"\(query) }",
            page: "style: single",
            parts: "errors: [{ body: { at: fault, filled: true }, then: fail }]",
            source: source, write: "mode: newest_wins, newer_by: updated_at", records: records
        )
    }

    private static let bearer = #"auth: { type: bearer, token: "{secret.key}" }"#
    private static let inQuery = #", key: "{secret.key}""#
    private static let brings = "secrets: { other: { at: token } }"

    /// A job file, and whether its errors quote.
    private static let files: [(file: String, quotes: Bool)] = [
        (yaml(""), true), (yaml("excerpts: false"), false), (yaml(bearer), false),
        (yaml(bearer + "\nexcerpts: true"), true), (yaml("", query: inQuery), false),
        (yaml(#"headers: { X-Key: "{secret.key}" }"#), false), (yaml("", records: brings), false),
    ]

    @Test(arguments: files.indices)
    func `an error quotes the answer only where no secret is sent, or the file says so`(
        _ number: Int
    ) async throws {
        let (file, quotes) = Self.files[number]
        try await withWorld(file, sealer: true, videos: 0) { world in
            try await world.store("the-secret-key", as: "key", of: "ann")
            for (status, body) in [
                (422, "<p>\(Self.words)</p>"), (409, #"{"error": "\#(Self.words)"}"#),
                (403, Self.words), (206, Self.words),
                (200, #"{"items": [], "fault": "\#(Self.words)"}"#),
            ] {
                try await world.source.fault(
                    #"{"kind": "status", "status": \#(status), "headers": {"Content-Type": "text/plain; charset=utf-8"}, "body": \#(JSONValue.string(body).text)}"#
                )
                try await world.sql("select jobrunner.retry_jobs('acme')")
                try await world.runAgain()
                let error = try await world.job("ann").text("last_error") ?? ""
                #expect(error.contains(Self.words) == quotes, "\(status): \(error)")
                // A body that may bring a secret and can't be read is gone by then.
                guard status != 200, number != 6 else { continue }
                let path = "GET /generic/ann/heard was answered with \(status)"
                #expect(error.hasPrefix(path) || error.contains(": \(path)"), "\(error)")
                let form = "(text/plain, \(body.utf8.count) bytes)"
                #expect(error.contains(form) != quotes, "\(error)")
            }
            let quoting = try await world.everyText().filter { $0.contains(Self.words) }
            #expect(quoting.isEmpty != quotes)
        }
    }

    @Test func `a dry run quotes to whoever types it, without the secret`() async throws {
        try await withWorld(Self.yaml(Self.bearer), sealer: true, videos: 0) { world in
            try await world.store("the-secret-key", as: "key", of: "ann")
            let body = #"\#(Self.words) the-secret-key"#
            try await world.source.fault(
                #"{"kind": "status", "status": 422, "body": "\#(body)"}"#)
            let report = try await world.dryRun("ann")
            #expect(report.error?.contains("\(Self.words) •••") == true, "\(report.error ?? "")")
            #expect(try await world.everyText().allSatisfy { !$0.contains(Self.words) })
        }
    }

    @Test(arguments: ["text/<b>", "a\u{e9}/b", String(repeating: "x", count: 80), ""])
    func `a media type that is none is left out`(_ type: String) async throws {
        try await withWorld(Self.yaml(Self.bearer), sealer: true, videos: 0) { world in
            try await world.store("the-secret-key", as: "key", of: "ann")
            try await world.source.fault(
                #"{"kind": "status", "status": 422, "headers": {"Content-Type": \#(JSONValue.string(type).text)}, "body": "abc"}"#
            )
            try await world.drain()
            #expect(
                try await world.job("ann").text("last_error")?.hasSuffix("with 422 (3 bytes)")
                    == true)
        }
    }
}
