import JobFiles
import JSON
import Postgres
import Testing

@Suite struct SecretsTests {
    /// With everything that some encoding changes.
    private static let canary = "cAn4ry+/=&\"\\ é%~zZ9"

    private static let ways: [(auth: String, hub: String)] = [
        (#"{ type: bearer, token: "{secret.canary}" }"#, "bearer"),
        (#"{ type: query, name: api_key, value: "{secret.canary}" }"#, "query"),
        (#"{ type: header, name: X-Api-Key, value: "{secret.canary}" }"#, "header"),
        (#"{ type: basic, user: "{user.hub_user_id}", password: "{secret.canary}" }"#, "basic"),
    ]

    /// Everything that leaves the worker: its log and every text of the database but the sealed ones.
    private func leaks(_ world: World) async throws -> [String] {
        var texts = world.lines.all
        for table in [
            "jobrunner.jobs", "jobrunner.runs", "jobrunner.checkpoints", "jobrunner.call_memory",
            "jobrunner.sources", "jobrunner.workers", "public.trail", "synced.generic_item",
        ] {
            texts += try await world.rows("select t::text as text from \(table) as t")
                .compactMap { $0.text("text") }
        }
        for user in try await world.rows("select key from jobrunner.users") {
            texts.append(
                try await world.value(
                    "select jobrunner.explain_job('acme', $1, $2)", .text(user.text("key") ?? ""),
                    .text(world.file.name)) ?? "")
        }
        // Any piece long enough to mean something, in the forms a server may repeat it.
        let pieces = ["cAn4ry", "zZ9", "Y0FuNHJ5"]
        return texts.filter { text in pieces.contains { text.contains($0) } }
    }

    /// What the hub is told to expect of user `good`.
    private static func credential(_ hub: String, _ secret: String) -> [JSONMember] {
        var credential: [JSONMember] = [
            JSONMember("user", .string("good")), JSONMember("type", .string(hub)),
        ]
        switch hub {
        case "bearer": credential.append(JSONMember("token", .string(secret)))
        case "query":
            credential += [
                JSONMember("name", .string("api_key")), JSONMember("value", .string(secret)),
            ]
        case "header":
            credential += [
                JSONMember("name", .string("X-Api-Key")), JSONMember("value", .string(secret)),
            ]
        default:
            credential += [
                JSONMember("name", .string("good")), JSONMember("password", .string(secret)),
            ]
        }
        return credential
    }

    @Test(arguments: 0..<4)
    func `AL4 a secret is in no line, error, row or cursor, though the server repeats it`(
        way: Int
    ) async throws {
        let (auth, hub) = Self.ways[way]
        let secret =
            hub == "header" || hub == "bearer"
            ? Self.canary.replacing("é", with: "e") : Self.canary
        let yaml = World.generic(
            "next_url", page: "style: next_url, url_at: next, size: 10",
            source: "auth: \(auth)\nexcerpts: true")
        try await withWorld(yaml, sealer: true) { world in
            try await world.keepTrail()
            for user in ["good", "echo400", "echo401", "echo503", "wrong", "moved"] {
                try await world.addUser(user, videos: 35)
                try await world.store(secret, as: "canary", of: user)
            }
            // Pages of another length move the place where the excerpt is cut.
            for number in 0..<8 {
                let user = "cut" + String(repeating: "x", count: number * 7)
                try await world.addUser(user, videos: 5)
                try await world.store(secret, as: "canary", of: user)
                try await world.source.fault(#"{"kind": "echo", "user": "\#(user)", "times": 0}"#)
            }
            let credential = Self.credential(hub, secret)
            try await world.source.command("POST", "auth", JSONValue.object(credential).text)
            for status in [400, 401, 503] {
                try await world.source.fault(
                    #"{"kind": "echo", "status": \#(status), "user": "echo\#(status)", "times": 0}"#
                )
            }
            try await world.source.command(
                "POST", "auth", #"{"user": "wrong", "type": "bearer", "token": "something else"}"#)
            try await world.source.fault(
                #"{"kind": "redirect", "user": "moved", "location": "http://127.0.0.1:1/elsewhere"}"#
            )
            // Stopped in the middle, so that a cursor is stored.
            try await world.source.fault(
                #"{"kind": "echo", "status": 400, "user": "good", "nth": 3}"#)
            try await world.drain()
            #expect(try await leaks(world) == [])
            #expect(try await world.job("echo400").text("last_error")?.contains("•••") == true)
            #expect(try await world.checkpoint("good").text("cursor")?.contains("cursor=") == true)
            #expect(try await world.outcomes("echo401") == ["needs_reauth unauthorised"])
            #expect(try await world.outcomes("wrong") == ["needs_reauth unauthorised"])
            try await world.runAgain()
            #expect(try await world.job("good").text("last_outcome") == "complete")
            #expect(try await world.holdsAllItems(of: "good"))
            #expect(try await leaks(world) == [])
        }
    }
}
