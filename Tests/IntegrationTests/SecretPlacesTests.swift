import JSON
import Postgres
import Testing
import Writing

/// A secret goes wherever a request is sent, and is seen nowhere else.
@Suite struct SecretPlacesTests {
    /// With everything that some encoding changes.
    private static let canary = "cAn4ry+/=&\"\\ é%~zZ9"
    private static let encoded = "cAn4ry%2B%2F%3D%26%22%5C%20%C3%A9%25~zZ9"

    private static func yaml(_ request: String, page: String = "style: next_url, url_at: next")
        -> String
    {
        World.heard(
            request: request, page: page,
            parts:
                "errors: [{ status: 422, then: fail, message_at: error }, { status: 410, body: { at: error, filled: true }, then: skip }]",
            source: "excerpts: true")
    }

    private static let inQuery = yaml(
        #"path: /generic/{user.hub_user_id}/heard\#nquery: { key: "{secret.canary}" }"#)
    private static let inPath = yaml(#"path: "/generic/{user.hub_user_id}/heard/{secret.canary}""#)
    private static let inForm = yaml(
        #"method: POST\#npath: /generic/{user.hub_user_id}/heard\#nform: { key: "{secret.canary}" }"#
    )
    private static let inBody = yaml(
        #"method: POST\#npath: /generic/{user.hub_user_id}/heard\#nbody: { key: "{secret.canary}", page: "{page.token}" }"#,
        page: "style: token, token_at: next")

    private func leaks(_ world: World, _ more: [String] = []) async throws -> [String] {
        let pieces = ["cAn4ry", "zZ9", "Y0FuNHJ5"]
        return (try await world.everyText() + more).filter { text in
            pieces.contains { text.contains($0) }
        }
    }

    private func withCanary(
        _ yaml: String, _ body: (World) async throws -> Void
    ) async throws {
        try await withWorld(yaml, sealer: true, videos: 0) { world in
            try await world.store(Self.canary, as: "canary", of: "ann")
            try await body(world)
        }
    }

    private static let quoted = JSONValue.string(canary).text

    @Test(arguments: [inQuery, inPath, inForm, inBody])
    func `a secret in a request is in no row, line, error or report`(yaml: String) async throws {
        try await withCanary(yaml) { world in
            for (status, body) in [
                (200, "{\"items\": [{\"id\": 7, \"seq\": \(Self.quoted)}]}"),
                (200, "{\"items\": \(Self.quoted)}"), (200, Self.quoted), (409, Self.quoted),
                (422, "{\"error\": \(Self.quoted)}"), (410, "{\"error\": \(Self.quoted)}"),
                (500, Self.canary), (401, Self.canary),
            ] {
                try await world.source.heal()
                let text = JSONValue.string(body).text
                try await world.source.fault(
                    #"{"kind": "status", "status": \#(status), "body": \#(text)}"#)
                try await world.sql("select jobrunner.retry_jobs('acme')")
                try await world.runAgain()
                #expect(try await leaks(world) == [], "\(status) \(body)")
            }
            try await world.source.heal()
            try await world.answerNext(#"{"items": [{"id": "a", "seq": 1}]}"#)
            try await world.sql("select jobrunner.retry_jobs('acme')")
            var report = ""
            dump(try await world.dryRun("ann"), to: &report)
            #expect(try await leaks(world, [report]) == [])
        }
    }

    @Test(arguments: [
        (inQuery, "?page=2&key=\(encoded)", "?page=2&key={secret.canary}"),
        (inQuery, "?key=\(encoded.lowercasedEscapes)&page=2", "?key={secret.canary}&page=2"),
        (inQuery, "?page=2", "?page=2"),
        (inPath, "?page=2", "/heard/{secret.canary}?page=2"),
    ])
    func `a next address is kept without the secret, and asked for with it`(
        yaml: String, next: String, kept: String
    ) async throws {
        try await withCanary(yaml) { world in
            try await world.answerNext(
                "{\"items\": [{\"id\": \"a\", \"seq\": 1}], \"next\": \(JSONValue.string(next).text)}"
            )
            try await world.source.fault(#"{"kind": "status", "status": 400}"#)
            try await world.drain()
            #expect(try await world.checkpoint("ann").text("cursor")?.hasSuffix(kept) == true)
            #expect(try await leaks(world) == [])
            try await world.answerNext(#"{"items": [{"id": "b", "seq": 2}]}"#)
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            let last = try await world.source.log(user: "ann").last
            let asked = "\(last?.text("path") ?? "")?\(last?.text("query") ?? "")"
            #expect(asked.contains("page=2"))
            // The log of the source has the query decoded.
            #expect(
                asked.contains("key=\(Self.canary)") || asked.contains("heard/\(Self.encoded)")
                    || asked.contains("heard/\(Self.canary)"), "\(asked)")
        }
    }

    @Test func `a token that holds the secret in another form fails the run, unstored`()
        async throws
    {
        try await withCanary(Self.inBody) { world in
            // key=…;page=2 in base64, as a cursor may be.
            let cursor = "a2V5PWNBbjRyeSsvPSYiXCDDqSV+elo5O3BhZ2U9Mg=="
            try await world.answerNext(
                #"{"items": [{"id": "a", "seq": 1}], "next": "\#(cursor)"}"#,
                #"{"items": [], "next": \#(Self.quoted)}"#)
            try await world.drain()
            try await world.runAgain()
            #expect(try await leaks(world) == [])
            #expect(try await world.outcomes("ann") == ["failed malformed", "failed malformed"])
        }
    }

    @Test func `a refusal of a request that holds a secret parks the job`() async throws {
        try await withCanary(Self.inQuery) { world in
            try await world.source.fault(#"{"kind": "status", "times": 0, "status": 401}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["needs_reauth unauthorised"])
            try await world.source.heal()
            try await world.answerNext(#"{"items": []}"#)
            try await world.store("another", as: "canary", of: "ann")
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }
}

extension String {
    /// `%2b` for `%2B`, as some sources write it.
    fileprivate var lowercasedEscapes: String {
        split(separator: "%", omittingEmptySubsequences: false).enumerated()
            .map { $0 == 0 ? String($1) : $1.prefix(2).lowercased() + $1.dropFirst(2) }
            .joined(separator: "%")
    }
}
