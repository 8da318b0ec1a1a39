import JSON
import Postgres
import Testing

@Suite("OAuth 2.0")
struct OAuthTests {
    private static func yaml(_ type: String, more: String = "") -> String {
        World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}""#,
            source: """
                auth:
                  type: \(type)
                  token_url: HUB_BASE/oauth/ann/token
                  client_id: "{secret.client_id}"
                  client_secret: "{secret.client_secret}"
                \(more)
                """)
    }

    private func prepare(_ world: World, _ more: String = "") async throws {
        try await world.addUser("ann", videos: 50)
        try await world.source.command(
            "POST", "auth",
            #"{"user": "ann", "type": "oauth2", "client_id": "me", "client_secret": "s3cret-of-me"\#(more)}"#
        )
        try await world.store("me", as: "client_id", of: "ann")
        try await world.store("s3cret-of-me", as: "client_secret", of: "ann")
    }

    @Test func `client credentials fetch one token for many requests, and a new one after a 401`()
        async throws
    {
        try await withWorld(Self.yaml("oauth2_client"), sealer: true) { world in
            try await prepare(world)
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await world.holdsAllItems(of: "ann"))
            let log = try await world.source.log()
            #expect(log.count { $0.text("path") == "/oauth/ann/token" } == 1)
        }
    }

    @Test func `a refresh token that rotates is stored before the new one is used`() async throws {
        let more = #"  refresh_token: "{secret.refresh}""#
        try await withWorld(Self.yaml("oauth2_refresh", more: more), sealer: true) { world in
            try await prepare(world, #", "refresh_token": "refresh-first", "rotates": true"#)
            try await world.store("refresh-first", as: "refresh", of: "ann")
            // Each worker of a test is a process of its own, so that each fetches a token.
            for _ in 1...3 {
                try await world.runAgain()
                #expect(try await world.job("ann").text("last_outcome") == "complete")
            }
            #expect(try await world.holdsAllItems(of: "ann"))
        }
    }

    @Test func `a refused grant parks the job and shows no secret`() async throws {
        try await withWorld(Self.yaml("oauth2_client"), sealer: true) { world in
            try await prepare(world)
            try await world.store("wrong-secret", as: "client_secret", of: "ann")
            try await world.drain()
            let job = try await world.job("ann")
            #expect(job.text("state") == "needs_reauth")
            #expect(job.text("last_error")?.contains("invalid_client") == true)
            #expect(!world.lines.all.contains { $0.contains("wrong-secret") })
        }
    }

    @Test func `a client proves itself in the form and sends what else is wanted`() async throws {
        let yaml = Self.yaml(
            "oauth2_client",
            more: """
                  client_auth: body
                  parameters: { audience: "https://api.example/?a=b", resource: "{secret.resource}" }
                """)
        try await withWorld(yaml, sealer: true) { world in
            try await prepare(world, #", "in_form": true"#)
            try await world.store("of ann", as: "resource", of: "ann")
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await world.holdsAllItems(of: "ann"))
            let bodies = try await world.source.log()
                .filter { $0.text("path") == "/oauth/ann/token" }.map { $0.text("body") ?? "" }
            #expect(bodies.count == 1)
            #expect(
                bodies.first?.contains("audience=https%3A%2F%2Fapi.example%2F%3Fa%3Db") == true)
            #expect(bodies.first?.contains("resource=of%20ann") == true)
            #expect(!world.lines.all.contains { $0.contains("s3cret-of-me") })
        }
    }

    private static let assertion = World.generic(
        "token", page: "style: token, token_at: next_token, size: 20",
        query: #"cursor: "{page.token}""#,
        source: """
            auth:
              type: oauth2_jwt
              token_url: HUB_BASE/oauth/ann/token
              key: "{secret.key}"
              key_id: "7"
              claims: { iss: "{secret.account}", scope: read }
            """)

    @Test(arguments: ["rsa", "p256"])
    func `a service account's key signs for a token, which serves many requests`(_ kind: String)
        async throws
    {
        let key = try (kind == "rsa" ? TestKey.rsa : TestKey.shared).get()
        try await withWorld(Self.assertion, sealer: true) { world in
            try await world.addUser("ann", videos: 50)
            let pem = JSONValue.string(key.publicPEM).text
            try await world.source.command(
                "POST", "auth",
                #"{"user": "ann", "type": "oauth2", "client_id": "robot@a.example", "client_secret": "-", "public_key": \#(pem)}"#
            )
            try await world.store("robot@a.example", as: "account", of: "ann")
            try await world.store(key.privatePEM, as: "key", of: "ann")
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await world.holdsAllItems(of: "ann"))
            let asked = try await world.source.log()
                .filter { $0.text("path") == "/oauth/ann/token" }
            #expect(asked.count == 1)
            // Another account is refused, and its user is asked to mend it.
            try await world.store("other@a.example", as: "account", of: "ann")
            try await world.runAgain()
            let job = try await world.job("ann")
            #expect(job.text("state") == "needs_reauth")
            #expect(job.text("last_error")?.contains("invalid_grant") == true)
            #expect(!world.lines.all.contains { $0.contains("PRIVATE KEY") })
        }
    }

    @Test(arguments: ["no key", "-----BEGIN PRIVATE KEY-----\nMAo=\n-----END PRIVATE KEY-----\n"])
    func `what is no key parks the job, names its secret and asks for nothing`(_ text: String)
        async throws
    {
        try await withWorld(Self.assertion, sealer: true) { world in
            try await world.addUser("ann", videos: 1)
            try await world.store("robot@a.example", as: "account", of: "ann")
            try await world.store(text, as: "key", of: "ann")
            try await world.drain()
            let job = try await world.job("ann")
            #expect(job.text("state") == "needs_reauth")
            let words = "secret 'key' is no unencrypted private key in PEM form"
            #expect(job.text("last_error")?.hasPrefix(words) == true)
            #expect(
                try await world.source.log().allSatisfy { $0.text("path") != "/oauth/ann/token" })
        }
    }
}
