import Foundation
import JSON
import JobQueue
import Postgres
import Testing

/// One renewal per credential at a time, over all jobs, workers and processes.
@Suite("a credential's turn")
struct CredentialTurnTests {
    /// Two jobs over one source, or two, that spend the same refresh token; each worker of a test is a process of its own.
    private static func yaml(_ job: String, source: String, token: String = "any") -> String {
        World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}""#,
            source: """
                auth:
                  type: oauth2_refresh
                  token_url: HUB_BASE/oauth/\(token)/token
                  client_id: "{secret.client_id}"
                  client_secret: "{secret.client_secret}"
                  refresh_token: "{secret.refresh}"
                """
        )
        .replacing("generic.items", with: "generic.\(job)")
        .replacing("generic_item", with: "generic_\(job)")
        .replacing("id: generic\n", with: "id: \(source)\n")
    }

    private func add(_ key: String, to world: World, secret: String = "s3cret-of-me") async throws {
        try await world.addUser(key, videos: 3)
        try await world.source.command(
            "POST", "auth",
            """
            {"user": "\(key)", "type": "oauth2", "client_id": "me-\(key)", "client_secret": "\(secret)",
             "refresh_token": "first-\(key)", "rotates": true}
            """)
        try await world.store("me-\(key)", as: "client_id", of: key)
        try await world.store(secret, as: "client_secret", of: key)
        try await world.store("first-\(key)", as: "refresh", of: key)
    }

    /// Three workers at once, until nothing is due.
    private func drainByThree(_ world: World) async throws {
        var workers: [RunningWorker] = []
        for _ in 1...3 { workers.append(try await world.start(concurrency: 10, drains: true)) }
        for worker in workers { await worker.ended() }
    }

    private func outcomes(_ world: World) async throws -> [String] {
        try await world.texts(
            "select distinct outcome || coalesce(' ' || error_kind, '') from jobrunner.runs order by 1"
        )
    }

    private func requests(_ world: World, _ path: String) async throws -> [JSONNode] {
        try await world.source.log().filter { $0.text("path")?.hasPrefix(path) == true }
    }

    /// `bin/test --all` asks for all 1,000 renewals and sign-ins.
    private static let isLong = ProcessInfo.processInfo.environment["CREDENTIALS"] == "all"

    @Test(arguments: ["generic", "other"])
    func `as many expiries of a refresh token that serves once are as many renewals, whoever runs`(
        _ second: String
    ) async throws {
        try await withWorld(Self.yaml("one", source: "generic"), sealer: true) { world in
            try await world.also(Self.yaml("two", source: second))
            let users = (1...(Self.isLong ? 50 : 20)).map { "u\($0)" }
            for user in users { try await add(user, to: world) }
            let rounds = Self.isLong ? 20 : 3
            for _ in 1...rounds {
                try await world.given(.expiredToken())
                try await world.makeDue()
                try await drainByThree(world)
            }
            let renewals = try await requests(world, "/oauth/")
            #expect(renewals.count == rounds * users.count)
            #expect(renewals.allSatisfy { $0.int("status") == 200 })
            #expect(try await requests(world, "/generic/").allSatisfy { $0.int("status") == 200 })
            #expect(try await outcomes(world) == ["complete"])
        }
    }

    @Test func `an access token is another worker's too, and no request is made for it`()
        async throws
    {
        try await withWorld(Self.yaml("one", source: "generic"), sealer: true) { world in
            try await add("ann", to: world)
            try await world.drain()
            try await world.runAgain()
            #expect(try await outcomes(world) == ["complete"])
            #expect(try await requests(world, "/oauth/").count == 1)
            #expect(
                try await world.value(
                    "select bool_or(position('access-' in encode(access_token, 'escape')) > 0)::text from jobrunner.renewals"
                )
                    == "false")
        }
    }

    @Test func `a run whose worker died in the middle of a renewal keeps nobody waiting`()
        async throws
    {
        try await withWorld(Self.yaml("one", source: "generic"), sealer: true) { world in
            try await add("ann", to: world)
            // What such a run leaves: a lease of a run that no longer is.
            try await world.given(.renewing("refresh", of: "ann", job: "generic.one"))
            try await world.drain()
            #expect(try await outcomes(world) == ["complete"])
        }
    }

    @Test func `a run that finds another renewing is put off and asks nobody`() async throws {
        try await withWorld(Self.yaml("one", source: "generic"), sealer: true) { world in
            try await add("ann", to: world)
            try await world.given(.renewing("refresh", of: "ann"))
            let worker = try await world.start()
            try await eventually("it is put off") {
                try await world.job("ann").text("last_error_kind") == "credential_in_use"
            }
            await worker.stop()
            #expect(try await outcomes(world) == ["deferred credential_in_use"])
            #expect(try await requests(world, "/").isEmpty)
        }
    }

    @Test func `a new secret ends what came of the old one`() async throws {
        try await withWorld(Self.yaml("one", source: "generic"), sealer: true) { world in
            try await add("ann", to: world)
            try await world.drain()
            try await world.source.command(
                "POST", "auth",
                """
                {"user": "ann", "type": "oauth2", "client_id": "me-ann", "client_secret": "s3cret-of-me",
                 "refresh_token": "by-hand", "rotates": true}
                """)
            try await world.store("by-hand", as: "refresh", of: "ann")
            #expect(try await world.value("select count(*) from jobrunner.renewals") == "0")
            try await world.runAgain()
            #expect(try await outcomes(world) == ["complete"])
            #expect(try await requests(world, "/oauth/").count == 2)
        }
    }

    @Test func `clients of two users bring each user a token of its own`() async throws {
        let yaml = Self.yaml("one", source: "generic")
            .replacing("oauth2_refresh", with: "oauth2_client")
            .split(separator: "\n").filter { !$0.contains("refresh_token:") }
            .joined(separator: "\n")
        try await withWorld(yaml, sealer: true) { world in
            for user in ["ann", "bob"] {
                try await world.addUser(user, videos: 3)
                try await world.source.command(
                    "POST", "auth",
                    """
                    {"user": "\(user)", "type": "oauth2", "client_id": "me-\(user)", "client_secret": "s"}
                    """)
                try await world.store("me-\(user)", as: "client_id", of: user)
                try await world.store("s", as: "client_secret", of: user)
            }
            try await world.drain(concurrency: 1)
            #expect(try await outcomes(world) == ["complete"])
            #expect(try await requests(world, "/oauth/").count == 2)
            #expect(try await requests(world, "/generic/").allSatisfy { $0.int("status") == 200 })
        }
    }

    // MARK: Web auth tokens

    @Test func `web tokens that each serve once are used up by two jobs and three workers`()
        async throws
    {
        try await withStatuses(3, users: 20) { world in
            try await world.settings(#""token_mode": "strict""#)
            try await world.also(
                world.text.replacing("metube.status", with: "metube.again")
                    .replacing("watched_status", with: "watched_again"))
            var count = 0
            repeat {
                try await world.makeDue()
                try await drainByThree(world)
                count = try await world.source.log().count
            } while count < (Self.isLong ? 1000 : 200)
            #expect(try await world.source.log().allSatisfy { $0.int("status") == 200 })
            #expect(try await outcomes(world) == ["complete"])
        }
    }

    // MARK: Refusals

    @Test func `a refused credential that is no longer the stored one is read again`() async throws
    {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}""#,
            source: #"auth: { type: bearer, token: "{secret.token}" }"#)
        try await withWorld(yaml, sealer: true) { world in
            func set(_ token: String) async throws {
                try await world.source.command(
                    "POST", "auth", #"{"user": "ann", "type": "bearer", "token": "\#(token)"}"#)
                try await world.store(token, as: "token", of: "ann")
            }
            try await world.addUser("ann", videos: 3)
            try await set("old")
            let job = try await world.claim()
            try await set("new")
            let run = try await world.run(job)
            #expect(run?.error == nil)
            #expect(run?.outcome == .complete)
            #expect(
                try await world.source.log().compactMap { $0.int("status") } == [401, 200])
        }
    }

    @Test func `a worker without the key puts jobs off and parks nobody`() async throws {
        try await withWorld(Self.yaml("one", source: "generic"), sealer: true) { world in
            try await add("ann", to: world)
            try await world.given(.otherKey())
            let worker = try await world.start()
            try await eventually("it is put off") {
                try await world.job("ann").text("last_error_kind") == "no_key"
            }
            await worker.stop()
            #expect(try await world.job("ann").text("state") == "waiting")
            #expect(
                try await world.value("select jobrunner.explain_job('acme', 'ann', 'generic.one')")?
                    .contains("key") == true)
        }
    }
}
