import Foundation
import JobQueue
import Postgres
import Secrets
import TestSupport
import Testing

/// A secret goes where its seal allows, whatever rows and job files say.
@Suite("where secrets may go")
struct SealedTravelTests {
    private static let yaml = World.generic(
        "token", page: "style: token, token_at: next_token, size: 20",
        query: #"cursor: "{page.token}""#,
        source: #"auth: { type: bearer, token: "{secret.key}" }"#)

    /// This machine by another name is another origin.
    private func elsewhere(_ world: World) -> String { "http://localhost:\(world.source.port)" }

    private func withAnn(_ body: (World) async throws -> Void) async throws {
        try await withWorld(Self.yaml, sealer: true, videos: 5) { world in
            try await world.store("k3y-of-ann", as: "key", of: "ann")
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            try await body(world)
        }
    }

    @Test func `an address that a row has changed is sent nothing`() async throws {
        try await withAnn { world in
            try await world.sql(
                "select jobrunner.set_source('acme', 'generic', $1)", .text(elsewhere(world)))
            let asked = try await world.source.asked().count
            try await world.runAgain()
            let job = try await world.job("ann")
            #expect(job.text("state") == "needs_reauth")
            #expect(
                job.text("last_error")
                    == "secret 'key' may be sent to \(world.source.base), and the job would send it to \(elsewhere(world))"
            )
            #expect(try await world.source.asked().count == asked)
            // Whoever seals it for there is heard.
            try await world.store(
                "k3y-of-ann", as: "key", of: "ann", origins: [elsewhere(world)])
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }

    @Test func `another job file's header is sent nothing, and the tenant's own secret neither`()
        async throws
    {
        try await withAnn { world in
            try await world.store("t0ken-of-all", as: "shared", of: nil)
            let other = Self.yaml.replacing("generic.items", with: "generic.thief")
                .replacing("generic_item", with: "generic_stolen")
                .replacing("id: generic\n", with: "id: thief\n")
                .replacing(
                    #"auth: { type: bearer, token: "{secret.key}" }"#,
                    with: #"headers: { X-Stolen: "{secret.key} {secret.shared}" }"#)
            try await world.also(other)
            try await world.sql(
                "select jobrunner.set_source('acme', 'thief', $1)", .text(elsewhere(world)))
            let asked = try await world.source.asked().count
            try await world.drain()
            #expect(
                try await world.texts(
                    "select j.state || ' ' || coalesce(j.last_error, '') from jobrunner.jobs as j join jobrunner.users as u on u.id = j.user_id where j.name = 'generic.thief' and u.key = 'ann'"
                ) == [
                    "needs_reauth secret 'key' may be sent to \(world.source.base), and the job would send it to \(elsewhere(world))"
                ])
            #expect(try await world.source.asked().count == asked)
        }
    }

    /// What a token endpoint gives for a secret goes to the source, which is as good as the secret.
    @Test(arguments: ["client", "refresh"], [true, false])
    func `what signs in needs leave for the token endpoint and for the source, one is not enough`(
        _ name: String, _ isForSource: Bool
    ) async throws {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}""#,
            source: """
                auth:
                  type: oauth2_refresh
                  token_url: http://localhost:HUB_PORT/oauth/ann/token
                  client_id: me
                  client_secret: "{secret.client}"
                  refresh_token: "{secret.refresh}"
                """)
        try await withWorld(yaml, sealer: true, videos: 5) { world in
            let both = [world.source.base, elsewhere(world)]
            for secret in ["client", "refresh"] {
                try await world.store(
                    "of-ann", as: secret, of: "ann",
                    origins: secret == name ? [both[isForSource ? 0 : 1]] : both)
            }
            try await world.drain()
            let job = try await world.job("ann")
            #expect(job.text("state") == "needs_reauth")
            #expect(job.text("last_error")?.hasPrefix("secret '\(name)' may be sent to") == true)
            #expect(try await world.source.log().isEmpty)
        }
    }

    @Test func `a seal of another user or another name, or the tenant's, opens for nobody else`()
        async throws
    {
        try await withAnn { world in
            try await world.addUser("bob", videos: 5)
            for sealed in [
                try await world.sealed("x", as: "key", of: "ann"),
                try await world.sealed("x", as: "other", of: "bob"),
                try await world.sealed("x", as: "key", of: nil),
            ] {
                try await world.sql(
                    "select jobrunner.set_secret('acme', 'bob', 'key', $1)", .bytes(sealed))
                try await world.drain()
                let job = try await world.job("bob")
                #expect(job.text("state") == "needs_reauth")
                #expect(
                    job.text("last_error") == "secret 'key' was sealed for another user or name")
            }
        }
    }

    /// The page for applications is what runs.
    @Test func `what the page's Python seals is opened and sent`() async throws {
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "docs/APPLICATIONS.md"), encoding: .utf8)
        let code = try #require(
            page.split(separator: "```python\n").dropFirst().first?
                .split(separator: "```").first)
        try await withWorld(Self.yaml, sealer: true, videos: 5) { world in
            try await world.source.command(
                "POST", "auth", #"{"user": "ann", "type": "bearer", "token": "k\u00e9y-of-ann"}"#)
            // The worker makes the key: nobody has stored a secret yet.
            try await world.drain()
            let key = try #require(
                try await world.rows(
                    "select encode(prefix, 'hex') as prefix, encode(public_key, 'hex') as key from jobrunner.sealing_key('acme')"
                ).first)
            let script = """
                \(code)
                print(seal(bytes.fromhex("\(key.text("prefix") ?? "")"), bytes.fromhex("\(key.text("key") ?? "")"),
                           "ann", "key", ["\(world.source.base)"], "k\u{e9}y-of-ann").hex())
                """
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(filePath: "/usr/bin/python3")
            process.arguments = ["-c", script]
            process.standardOutput = output
            try process.run()
            let hex = try #require(try output.fileHandleForReading.readToEnd())
            process.waitUntilExit()
            try await world.sql(
                "select jobrunner.set_secret('acme', 'ann', 'key', decode($1, 'hex'))",
                .text(String(decoding: hex, as: UTF8.self).trimmingCharacters(in: .newlines)))
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }
}
