import Foundation
import JSON
import Postgres
import Testing

/// A source whose address each user chooses.
@Suite struct PersonalBaseTests {
    /// The hub answers at every name of this machine but 127.0.0.2.
    private static func file(
        hosts: String = "[localhost, 127.0.0.1, 127.0.0.2]", inputs: String = "{ host: {} }",
        base: String = "http://{user.host}:HUB_PORT", source: String = "",
        query: String = #"cursor: "{page.token}""#,
        path: String = "token", style: String = "style: token, token_at: next_token",
        incremental: String = ""
    ) -> String {
        World.generic(
            path, page: "\(style), size: 20", query: query,
            source: "hosts: \(hosts)\n\(source)", incremental: incremental
        )
        .replacing("job: generic.items\n", with: "job: generic.items\ninputs: \(inputs)\n")
        .replacing("http://127.0.0.1:1", with: base)
        .replacing("attempts: 3, first: 10ms", with: "attempts: 1")
    }

    /// No tenant has an address of its own.
    private func withHosts(
        _ yaml: String, sealer: Bool = false, _ body: (World) async throws -> Void
    ) async throws {
        try await withWorld(yaml, sealer: sealer, videos: 25) { world in
            try await world.sql("select jobrunner.set_source('acme', 'generic', null)")
            try await body(world)
        }
    }

    private func choose(_ host: String, _ user: String, _ world: World) async throws {
        let attributes = JSONValue.object([JSONMember("host", .string(host))]).text
        try await world.given(.attributes(attributes, of: user))
    }

    private func end(_ user: String, _ world: World) async throws -> String {
        let job = try await world.job(user)
        return [job.text("last_outcome"), job.text("last_error")].compactMap(\.self)
            .joined(separator: ": ")
    }

    private func items(_ user: String, _ world: World) async throws -> String? {
        try await world.value(
            """
            select count(*) from synced.generic_item as i join jobrunner.users as u on u.id = i.user_id
            where u.key = $1
            """, .text(user))
    }

    @Test(arguments: ["", "rate: { per_second: 100000, concurrent: 500 }"])
    func `a host that is away blocks its own users, and nobody else's`(rate: String) async throws {
        try await withHosts(Self.file(source: rate)) { world in
            try await choose("localhost", "ann", world)
            try await world.addUser("bob", videos: 15)
            try await choose("127.0.0.1", "bob", world)
            for number in 0..<11 {
                try await world.addUser("u\(number)", videos: 5)
                try await choose("127.0.0.2", "u\(number)", world)
            }
            try await world.drain()
            #expect(try await items("ann", world) == "25")
            #expect(try await items("bob", world) == "15")
            #expect(
                try await world.texts("select source from jobrunner.blocked_sources")
                    == ["generic@127.0.0.2"])
            // Only what has a budget or has failed is kept.
            #expect(
                try await world.texts("select name from jobrunner.sources order by name")
                    == (rate.isEmpty
                        ? ["generic", "generic@127.0.0.2"]
                        : [
                            "generic", "generic@127.0.0.1", "generic@127.0.0.2",
                            "generic@localhost",
                        ]))
            try await world.runAgain()
            #expect(try await end("ann", world) == "complete")
            #expect(
                try await end("u0", world)
                    == "deferred: the breaker of source generic@127.0.0.2 is open")
            // Who goes to another host is not kept from it.
            try await choose("localhost", "u0", world)
            try await world.runAgain()
            #expect(try await end("u0", world) == "complete")
            #expect(try await items("u0", world) == "5")
            // It is back, and one probe finds out.
            for number in 1..<11 { try await choose("127.0.0.2", "u\(number)", world) }
            try await world.given(.blockOver())
            try await world.runAgain()
            #expect(
                try await world.value(
                    "select failed_openings from jobrunner.sources where name = 'generic@127.0.0.2'"
                ) == "2")
            #expect(
                try await world.value(
                    "select count(*) from jobrunner.jobs where last_error_kind = 'unavailable'")
                    == "1")
        }
    }

    @Test(arguments: [
        (
            "[\"*.desk.example\", api.desk.example]", "skipped",
            [
                "169.254.169.254", "10.0.0.1", "localhost", "LOCALHOST", "127.0.0.1", "[::1]",
                "evil.example#.desk.example", "a.desk.example.evil.example", "xn--e1afmkfd.example",
                "a.desk.example.", "%61.desk.example", "me@a.desk.example", "a.desk.example:80",
                "a.desk.example/x", "desk.example", "A..desk.example", "а.desk.example",
            ]
        ),
        ("[\"*\"]", "skipped", ["localhost", "127.0.0.1", "2130706433", "0x7f.1", "127.1"]),
        // These are names like any other until they are looked up.
        ("[\"*\"]", "failed", ["a.localhost", "A.LOCALHOST", "x.y.localhost"]),
        ("[\"*.localhost\"]", "failed", ["a.localhost"]),
    ])
    func `a host that nobody may choose is sent nothing, and no breaker counts it`(
        hosts: String, outcome: String, values: [String]
    ) async throws {
        let (listener, port) = try listenOnLoopback()
        defer { close(listener) }
        let yaml = Self.file(hosts: hosts, base: "https://{user.host}:\(port)")
        try await withHosts(yaml) { world in
            for (number, value) in values.enumerated() {
                try await world.addUser("u\(number)", videos: 1)
                try await choose(value, "u\(number)", world)
            }
            try await world.drain()
            for (number, value) in values.enumerated() {
                let words = try await end("u\(number)", world)
                #expect(words.hasPrefix(outcome), "\(value): \(words)")
                #expect(outcome == "skipped" || words.contains("is not public"), "\(words)")
            }
            let skips = world.lines.all.count { $0.contains("user attribute 'host' ") }
            #expect(skips == (outcome == "skipped" ? values.count + 1 : 1))
            #expect(
                try await world.value(
                    "select count(*) from jobrunner.sources where name like '%@%'") == "0")
        }
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        #expect(poll(&waiting, 1, 0) == 0, "somebody has connected")
    }

    @Test func `inputs have defaults, stand for others, and are resolved for every place`()
        async throws
    {
        let inputs = """
            { host: { default: here, map: { here: localhost, there: 127.0.0.1 } }, plan: { one_of: [a, b] } }
            """
        let yaml = Self.file(
            inputs: inputs,
            query: #"cursor: "{page.token}", at: "{user.host}", plan: "{user.plan}""#, path: "heard"
        )
        try await withHosts(yaml) { world in
            for user in ["bob", "eve", "joe", "kim"] { try await world.addUser(user, videos: 5) }
            for user in ["ann", "bob", "eve"] {
                try await world.given(.attributes(#"{"plan": "a"}"#, of: user))
            }
            try await choose("there", "bob", world)
            try await choose("localhost", "eve", world)
            try await world.given(.attributes(#"{"plan": "c"}"#, of: "joe"))
            try await world.answerNext(#"{"items": []}"#, #"{"items": []}"#)
            try await world.drain()
            for (user, outcome) in [
                ("ann", "complete"), ("bob", "complete"), ("eve", "skipped"), ("joe", "skipped"),
                ("kim", "skipped"),
            ] { #expect(try await end(user, world) == outcome) }
            for words in [
                "user attribute 'host' is \"localhost\", expected one of here, there",
                "user attribute 'plan' is \"c\", expected one of a, b",
                "user attribute 'plan' is not set",
            ] {
                let escaped = words.replacing("\"", with: "\\\"")
                #expect(
                    world.lines.all.count { $0.contains(words) || $0.contains(escaped) } == 1,
                    "\(words)")
            }
            func heard(_ user: String) async throws -> String {
                try await world.source.log(user: user).first?.text("query") ?? ""
            }
            #expect(try await heard("ann").contains("at=localhost"))
            #expect(try await heard("bob").contains("at=127.0.0.1"))
            #expect(try await world.source.log(user: "joe").isEmpty)
        }
    }

    @Test func `another host is another question, and its case is none`() async throws {
        let yaml = Self.file(
            query: #"cursor: "{page.token}", since: "{since}""#,
            incremental: "incremental: { watermark: run_start }")
        try await withHosts(yaml) { world in
            func forgotten() -> Int { world.lines.all.count { $0.contains("position forgotten") } }
            try await choose("localhost", "ann", world)
            try await world.drain()
            try await choose("LocalHost", "ann", world)
            try await world.runAgain()
            #expect(forgotten() == 0)
            try await choose("127.0.0.1", "ann", world)
            try await world.runAgain()
            #expect(forgotten() == 1)
            try await world.runAgain()
            #expect(forgotten() == 1)
            #expect(try await end("ann", world) == "complete")
        }
    }

    @Test func `a next page and a redirect to another host are refused`() async throws {
        let yaml = Self.file(query: "", path: "next_url", style: "style: next_url, url_at: next")
        try await withHosts(yaml) { world in
            try await choose("127.0.0.1", "ann", world)
            let next = "http://localhost:\(world.source.port)/generic/ann/next_url?page=2"
            try await world.answerNext(#"{"items": [], "next": "\#(next)"}"#)
            try await world.drain()
            #expect(try await end("ann", world).hasPrefix("failed:"))
            #expect(try await end("ann", world).contains("origin"))
            try await world.source.fault(
                #"{"kind": "status", "status": 302, "headers": {"Location": "\#(next)"}, "body": ""}"#
            )
            try await world.runAgain()
            #expect(try await end("ann", world).contains("redirect to localhost refused"))
            #expect(try await world.source.log(user: "ann").count == 2)
        }
    }

    @Test func `a tenant's own address stands in for the whole base, budget and breaker`()
        async throws
    {
        try await withHosts(Self.file(source: "rate: { per_second: 100000 }")) { world in
            try await choose("127.0.0.2", "ann", world)
            try await world.sql(
                "select jobrunner.set_source('acme', 'generic', $1)", .text(world.source.base))
            try await world.drain()
            #expect(try await items("ann", world) == "25")
            #expect(
                try await world.texts("select name from jobrunner.sources") == ["generic"])
        }
    }

    @Test(arguments: ["http://{user.host}:HUB_PORT", "HUB_BASE"])
    func `a token that was issued for one host is not sent to another`(
        server: String
    ) async throws {
        let yaml = Self.file(
            source: """
                auth:
                  type: oauth2_client
                  token_url: \(server)/oauth/ann/token
                  client_id: "{secret.client_id}"
                  client_secret: "{secret.client_secret}"
                """)
        try await withHosts(yaml, sealer: true) { world in
            try await choose("localhost", "ann", world)
            try await world.source.command(
                "POST", "auth",
                #"{"user": "ann", "type": "oauth2", "client_id": "me", "client_secret": "s3cret-of-me"}"#
            )
            let origins = [world.source.base, "http://localhost:\(world.source.port)"]
            try await world.store("me", as: "client_id", of: "ann", origins: origins)
            try await world.store(
                "s3cret-of-me", as: "client_secret", of: "ann", origins: origins)
            func issued() async throws -> Int {
                try await world.source.log().count { $0.text("path") == "/oauth/ann/token" }
            }
            try await world.drain()
            try await world.runAgain()
            #expect(try await issued() == 1)
            try await choose("127.0.0.1", "ann", world)
            try await world.runAgain()
            #expect(try await end("ann", world) == "complete")
            #expect(try await issued() == 2)
        }
    }
}
