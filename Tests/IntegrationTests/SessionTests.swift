import JSON
import Testing

/// A source that is signed in to by a call, whose answer goes along with the requests.
@Suite struct SessionTests {
    private static func yaml(
        token: String = "data.token", send: String = "", rate: String = "", more: String = ""
    ) -> String {
        World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}""#,
            source: """
                \(rate)
                auth:
                  type: session
                  login:
                    method: POST
                    path: /generic/{user.hub_user_id}/login
                    body: { user: "{secret.login}", password: "{secret.password}" }
                  token_at: \(token)
                \(send.isEmpty ? "" : "  send: \(send)")
                \(more)
                """)
    }

    private func withAnn(
        _ yaml: String = yaml(), _ body: (World) async throws -> Void
    ) async throws {
        try await withWorld(yaml, sealer: true, videos: 50) { world in
            try await world.store("canary-login", as: "login", of: "ann")
            try await world.store("canary-password", as: "password", of: "ann")
            try await body(world)
        }
    }

    /// What a login is answered with from now on.
    private func login(
        _ world: World, _ status: Int = 200, body: String = "{}", headers: String = "{}"
    ) async throws {
        try await world.source.heal()
        try await world.source.fault(
            #"{"kind": "status", "path": "/generic/*/login", "times": 0, "status": \#(status), "headers": \#(headers), "body": \#(JSONValue.string(body).text)}"#
        )
    }

    private func lock(_ world: World, _ token: String) async throws {
        try await world.source.command(
            "POST", "auth", #"{"user": "ann", "type": "bearer", "token": "\#(token)"}"#)
    }

    private func logins(_ world: World) async throws -> Int {
        try await world.source.asked("login").count
    }

    private func canaries(_ world: World) async throws -> [String] {
        (try await world.everyText()).filter { $0.contains("canary") }
    }

    @Test func `one login serves many requests and the runs of other workers, sealed`()
        async throws
    {
        try await withAnn { world in
            try await login(world, body: #"{"data": {"token": "canary-token-1"}}"#)
            try await lock(world, "canary-token-1")
            // Each worker of a test is a process of its own, so that the token comes from the database.
            for _ in 1...3 {
                try await world.runAgain()
                #expect(try await world.job("ann").text("last_outcome") == "complete")
            }
            #expect(try await world.holdsAllItems(of: "ann"))
            #expect(try await logins(world) == 1)
            #expect(try await canaries(world) == [])
        }
    }

    @Test func `a session that the source ends is begun once more, and then the job is parked`()
        async throws
    {
        try await withAnn { world in
            try await login(world, body: #"{"data": {"token": "token-1"}}"#)
            try await lock(world, "token-1")
            try await world.drain()
            try await lock(world, "token-2")
            try await login(world, body: #"{"data": {"token": "token-2"}}"#)
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await logins(world) == 2)
            try await lock(world, "token-3")
            let before = try await world.source.asked("token").count
            try await world.runAgain()
            #expect(try await world.job("ann").text("state") == "needs_reauth")
            #expect(try await logins(world) == 3)
            #expect(try await world.source.asked("token").count == before + 2)
        }
    }

    @Test(arguments: [400, 401, 403, 422])
    func `a refused login parks the job until its secret is another, and shows nothing of it`(
        status: Int
    ) async throws {
        try await withAnn { world in
            try await login(
                world, status, body: #"{"error": "canary-password is wrong"}"#)
            try await lock(world, "token-1")
            try await world.drain()
            let job = try await world.job("ann")
            #expect(job.text("state") == "needs_reauth")
            #expect(job.text("last_error") == "the login was answered with \(status)")
            #expect(try await world.source.asked("token").isEmpty)
            #expect(try await canaries(world) == [])
            try await login(world, body: #"{"data": {"token": "token-1"}}"#)
            try await world.store("another", as: "password", of: "ann")
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }

    @Test(arguments: [
        (503, "{}", "failed unavailable"),
        (429, #"{"Retry-After": "1800"}"#, "deferred rate_limited"),
        (200, "{}", "failed malformed"),
    ])
    func `a login that can't be had at present is no refusal`(
        status: Int, headers: String, end: String
    ) async throws {
        try await withAnn { world in
            try await login(world, status, headers: headers)
            try await world.drain()
            #expect(try await world.outcomes("ann") == [end])
        }
    }

    @Test(arguments: [
        ("{ header: X-Session }", #"{"X-Session": "token-1"}"#),
        ("{ cookie: sid }", #"{"Set-Cookie": "sid=\"token-1\"; Path=/; HttpOnly"}"#),
    ])
    func `a token comes in a header field or a cookie, and is sent as the file says`(
        place: String, headers: String
    ) async throws {
        let send = #"{ header: X-Key, value: "key {session.token}" }"#
        try await withAnn(Self.yaml(token: place, send: send)) { world in
            try await login(world, body: "", headers: headers)
            try await world.source.command(
                "POST", "auth",
                #"{"user": "ann", "type": "header", "name": "X-Key", "value": "key token-1"}"#)
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await world.holdsAllItems(of: "ann"))
        }
    }

    @Test func `a login below an address of its own, signed with a password, serves the runs`()
        async throws
    {
        let yaml = World.heard(
            request: "path: /generic/{user.hub_user_id}/heard", page: "style: single",
            source: """
                auth:
                  type: session
                  login: { method: POST, path: "/{user.hub_user_id}/login" }
                  base: HUB_BASE/generic
                  basic: { user: "{secret.login}", password: "{secret.password}" }
                  token_at: data.token
                """)
        try await withAnn(yaml) { world in
            try await login(world, body: #"{"data": {"token": "canary-token"}}"#)
            for id in ["a", "b"] {
                try await world.answerNext(#"{"items": [{"id": "\#(id)", "seq": 1}]}"#)
                try await world.runAgain()
                #expect(try await world.job("ann").text("last_outcome") == "complete")
            }
            #expect(try await logins(world) == 1)
            #expect(try await canaries(world) == [])
        }
    }

    @Test func `a token in the query stays out of the next address that is stored`() async throws {
        let yaml = World.heard(
            request: "path: /generic/{user.hub_user_id}/heard",
            page: "style: next_url, url_at: next",
            source: """
                auth:
                  type: session
                  login: { path: "/generic/{user.hub_user_id}/login", query: { k: "{secret.login}" } }
                  token_at: token
                  send: { query: sid }
                """)
        try await withAnn(yaml) { world in
            try await login(world, body: #"{"token": "canary-token"}"#)
            try await world.answerNext(
                #"{"items": [{"id": "a", "seq": 1}], "next": "?page=2&sid=canary-token"}"#)
            try await world.source.fault(
                #"{"kind": "status", "path": "/generic/*/heard", "status": 400}"#)
            try await world.drain()
            #expect(try await world.checkpoint("ann").text("cursor")?.hasSuffix("?page=2") == true)
            try await world.answerNext(#"{"items": [{"id": "b", "seq": 2}]}"#)
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(
                try await world.heard().last { $0.contains("page=2") }
                    == "page=2&sid=canary-token")
            #expect(try await canaries(world) == [])
        }
    }

    @Test func `a password is shown to a token server for a token`() async throws {
        let yaml = World.heard(
            request: "path: /generic/{user.hub_user_id}/heard", page: "style: single",
            source: """
                auth:
                  type: oauth2_password
                  token_url: HUB_BASE/generic/ann/heard
                  client_id: app
                  user: "{secret.login}"
                  password: "{secret.password}"
                  parameters: { tenant: "{user.hub_user_id}" }
                """)
        try await withAnn(yaml) { world in
            try await world.answerNext(
                #"{"access_token": "canary-token", "expires_in": 0}"#,
                #"{"items": [{"id": "a", "seq": 1}]}"#)
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(
                try await world.heard().first
                    == "grant_type=password&username=canary-login&password=canary-password&tenant=ann&client_id=app"
            )
            #expect(try await canaries(world) == [])
            try await world.source.heal()
            try await world.source.fault(
                #"{"kind": "status", "status": 400, "body": "{\"error\": \"invalid_grant\"}"}"#)
            try await world.runAgain()
            #expect(try await world.job("ann").text("state") == "needs_reauth")
        }
    }
}
