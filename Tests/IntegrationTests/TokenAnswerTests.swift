import JSON
import Postgres
import Secrets
import Testing

/// What a token server answers: who can mend it, and what of it is kept.
@Suite("A token server's answers")
struct TokenAnswerTests {
    private static let yaml = World.generic(
        "token", page: "style: token, token_at: next_token, size: 20",
        query: #"cursor: "{page.token}""#,
        source: """
            auth:
              type: oauth2_refresh
              token_url: HUB_BASE/oauth/ann/token
              client_id: "{secret.client_id}"
              client_secret: "{secret.client_secret}"
              refresh_token: "{secret.refresh}"
            """)

    /// Ann's refresh token is hers; the client is the tenant's, or hers as well.
    private func withAnn(
        clientIsHers: Bool = false, _ body: (World) async throws -> Void
    ) async throws {
        try await withWorld(Self.yaml, sealer: true, videos: 5) { world in
            try await world.source.command(
                "POST", "auth",
                #"{"user": "ann", "type": "oauth2", "client_id": "me", "client_secret": "s3cret", "refresh_token": "first"}"#
            )
            let owner = clientIsHers ? "ann" : nil
            try await world.store("me", as: "client_id", of: owner)
            try await world.store("s3cret", as: "client_secret", of: owner)
            try await world.store("first", as: "refresh", of: "ann")
            try await body(world)
        }
    }

    private func answer(
        _ status: Int, _ body: String, times: Int = 1, _ world: World
    ) async throws {
        let fault = JSONValue.object([
            JSONMember("kind", .string("status")), JSONMember("path", .string("/oauth/ann/token")),
            JSONMember("status", .integer(status)), JSONMember("times", .integer(times)),
            JSONMember("body", .string(body)),
        ])
        try await world.source.fault(fault.text)
    }

    /// State, kind and who can help after a run that the token server answers so.
    private func end(_ status: Int, _ body: String, _ world: World) async throws -> String {
        try await answer(status, body, world)
        try await world.sql("select jobrunner.retry_jobs('acme')")
        try await world.runAgain()
        return try await standing(world)
    }

    private func standing(_ world: World) async throws -> String {
        try await world.value(
            """
            select concat_ws(' ', j.last_outcome, j.last_error_kind, coalesce(s.needs, '-'))
            from jobrunner.jobs as j, jobrunner.status_of('acme', 'ann') as s where s.job = j.name limit 1
            """) ?? ""
    }

    @Test func `an error is the user's, the operator's or nobody's, whatever its status is`()
        async throws
    {
        try await withAnn { world in
            for (status, word, wanted) in [
                (400, "invalid_grant", "needs_reauth unauthorised secret"),
                (200, "invalid_grant", "needs_reauth unauthorised secret"),
                (200, "bad_refresh_token", "needs_reauth unauthorised secret"),
                (400, "interaction_required", "needs_reauth unauthorised secret"),
                (401, "invalid_client", "failed client_refused operator"),
                (200, "incorrect_client_credentials", "failed client_refused operator"),
                (400, "unauthorized_client", "failed client_refused operator"),
                (400, "invalid_scope", "failed client_refused operator"),
                (401, "", "failed client_refused operator"),
                (400, "invented", "failed rejected -"), (200, "invented", "failed rejected -"),
                (200, "", "failed malformed -"),
                (200, "temporarily_unavailable", "failed unavailable -"),
                (503, "", "failed unavailable -"), (400, "slow_down", "deferred rate_limited -"),
            ] {
                let body = word.isEmpty ? "{}" : #"{"error": "\#(word)"}"#
                let found = try await end(status, body, world)
                #expect(found == wanted, "\(status) \(word)")
            }
            // Each is over with the next good answer.
            try await world.sql("select jobrunner.retry_jobs('acme')")
            try await world.runAgain()
            #expect(try await standing(world) == "complete -")
        }
    }

    @Test func `a client of the user's own is the user's to mend`() async throws {
        try await withAnn(clientIsHers: true) { world in
            let end = try await end(401, #"{"error": "invalid_client"}"#, world)
            #expect(end == "needs_reauth unauthorised secret")
        }
    }

    @Test func `a refused client is told to the operator, and the tenant's new secret goes on`()
        async throws
    {
        try await withAnn { world in
            try await world.store("old", as: "client_secret", of: nil)
            try await world.drain()
            #expect(try await standing(world) == "failed client_refused operator")
            #expect(try await world.job("ann").text("state") == "waiting")
            try await world.sql("select jobrunner.count_troubles(1000)")
            for (query, wanted) in [
                (
                    "select trouble || ' ' || split_part(detail, ':', 1) from jobrunner.jobs_in_trouble",
                    "client_refused client_refused"
                ),
                ("select trouble from jobrunner.trouble_counts", "client_refused"),
                (
                    "select subject from jobrunner.raised_alerts where alert = 'jobs_need_somebody'",
                    "client_refused"
                ),
            ] {
                #expect(try await world.texts(query) == [wanted], "\(query)")
            }
            // Nobody makes it due but the new secret.
            try await world.store("s3cret", as: "client_secret", of: nil)
            try await world.drain()
            #expect(try await standing(world) == "complete -")
            #expect(!world.lines.all.contains { $0.contains("s3cret") })
        }
    }

    @Test func `a token that can be none is refused before it is stored or used`() async throws {
        let long = String(repeating: "r", count: 16 * 1024 + 1)
        try await withAnn { world in
            for tokens in [
                #""access_token": """#, #""access_token": 7"#, #""access_token": "a\r\nX-Y: b""#,
                #""access_token": "a b""#, #""access_token": "\u0007""#, #""access_token": "é""#,
                #""access_token": "\#(long)""#,
                #""access_token": "a", "refresh_token": "\#(long)""#,
                #""access_token": "a", "refresh_token": "b\n""#,
                #""access_token": "a", "refresh_token": "b\u0000""#,
                #""access_token": "a", "refresh_token": {"b": 1}"#,
            ] {
                #expect(
                    try await end(200, "{\(tokens)}", world) == "failed malformed -",
                    "\(tokens.prefix(60))")
                #expect(try await world.secret("refresh", of: "ann") == "first")
                #expect(
                    try await world.value(
                        "select count(*) from jobrunner.renewals where access_token is not null")
                        == "0")
            }
            #expect(try await world.source.asked(by: "ann").isEmpty)
            #expect(!world.lines.all.contains { $0.contains("rrrr") })
            try await world.sql("select jobrunner.retry_jobs('acme')")
            try await world.runAgain()
            #expect(try await standing(world) == "complete -")
        }
    }

    @Test(arguments: [#""refresh_token": """#, #""refresh_token": null"#, #""scope": "x""#])
    func `a refresh token that is empty leaves the stored one`(_ member: String) async throws {
        try await withAnn { world in
            // The source takes the token that its server would give.
            try await answer(
                200, #"{"access_token": "access-0", "expires_in": 1, \#(member)}"#, world)
            try await world.source.command(
                "POST", "auth", #"{"user": "ann", "type": "bearer", "token": "access-0"}"#)
            try await world.drain()
            #expect(try await standing(world) == "complete -")
            #expect(try await world.secret("refresh", of: "ann") == "first")
        }
    }

    @Test func `an access token that an older program kept in an ill form is renewed`()
        async throws
    {
        try await withAnn { world in
            try await world.drain()
            #expect(try await standing(world) == "complete -")
            let kept = try await world.sealed(
                "a\r\nb", as: "access token: \(world.source.base)/oauth/ann/token ", of: "ann")
            try await world.given(.accessToken(as: kept))
            try await world.runAgain()
            #expect(try await standing(world) == "complete -")
        }
    }
}
