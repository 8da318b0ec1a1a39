import JSON
import Postgres
import Testing

@Suite struct SignInTests {
    private static func yaml(_ source: String = "") -> String {
        World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}""#, source: source)
    }

    private static let bearer = #"auth: { type: bearer, token: "{secret.key}" }"#

    private func lock(_ user: String, _ key: String, _ world: World) async throws {
        try await world.source.command(
            "POST", "auth", #"{"user": "\#(user)", "type": "bearer", "token": "\#(key)"}"#)
    }

    @Test func `a refused credential parks the job after one request until a new secret comes`()
        async throws
    {
        try await withWorld(Self.yaml(Self.bearer), sealer: true, videos: 30) { world in
            try await world.addUser("bob", videos: 30)
            try await lock("ann", "new-secret", world)
            for user in ["ann", "bob"] { try await world.store("old-secret", as: "key", of: user) }
            try await world.drain()
            let job = try await world.job("ann")
            #expect(job.text("state") == "needs_reauth")
            #expect(job.int("consecutive_failures") == 0)
            #expect(job.text("last_error_kind") == "unauthorised")
            #expect(try await world.source.asked(by: "ann").count == 1)
            // Being due does not wake it.
            try await world.runAgain()
            #expect(try await world.enqueue("ann", force: true) == "needs_reauth")
            try await world.drain()
            #expect(try await world.source.asked(by: "ann").count == 1)
            // Another user's secret does not, its own does.
            try await world.store("new-secret", as: "key", of: "bob")
            #expect(try await world.job("ann").text("state") == "needs_reauth")
            try await world.store("new-secret", as: "key", of: "ann")
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await world.holdsAllItems(of: "ann"))
        }
    }

    @Test func `a credential that is refused in the middle keeps the pages and goes on after it`()
        async throws
    {
        try await withWorld(Self.yaml(Self.bearer), sealer: true, videos: 95) { world in
            try await world.store("secret-one", as: "key", of: "ann")
            try await world.source.fault(#"{"kind": "status", "status": 401, "nth": 3}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["needs_reauth unauthorised"])
            try await world.store("secret-two", as: "key", of: "ann")
            try await world.drain()
            #expect(try await world.holdsAllItems(of: "ann"))
            #expect(try await world.source.asked().count == 6)
        }
    }

    @Test func `401 without a credential to renew is a refusal like any other`() async throws {
        try await withWorld(Self.yaml(), videos: 30) { world in
            try await lock("ann", "x", world)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["failed rejected"])
            #expect(try await world.job("ann").text("state") == "waiting")
            #expect(try await world.source.asked().count == 1)
        }
    }

    @Test func `a job without its secret asks nothing and waits for it`() async throws {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}""#, source: Self.bearer,
            schedule: ", requires: [{ secret: key }]")
        try await withWorld(yaml, sealer: true, videos: 30) { world in
            try await lock("ann", "the-secret", world)
            try await world.drain()
            #expect(try await world.job("ann").text("state") == "needs_reauth")
            #expect(try await world.source.asked().isEmpty)
            try await world.store("the-secret", as: "key", of: "ann")
            try await world.drain()
            #expect(try await world.holdsAllItems(of: "ann"))
        }
    }
}
