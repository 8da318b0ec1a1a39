import Asking
import JobQueue
import JSON
import Postgres
import Secrets
import Testing

/// Which secrets a run is given, and whose trouble it is when one can't be used.
@Suite("Secrets that a run is given")
struct GivenSecretTests {
    private static func yaml(_ auth: String, schedule: String = "") -> String {
        World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}""#, source: "auth: \(auth)", schedule: schedule)
    }

    private static let bearer = #"{ type: bearer, token: "{secret.key}" }"#
    /// The same source read without a sign-in, by a job that names another secret.
    private static let other = World.generic(
        "single", page: "style: single, size: 20",
        source: #"headers: { X-Other: "{secret.other}" }"#
    ).replacing("generic.items", with: "generic.others").replacing(
        "generic_item", with: "generic_other"
    ).replacing("id: generic\n", with: "id: others\n")

    private func ends(_ world: World) async throws -> [String] {
        try await world.texts(
            """
            select concat_ws(' ', name, state, last_outcome, last_error_kind) from jobrunner.jobs order by name
            """)
    }

    @Test func `a secret that is too long fails the jobs that name it and no other`() async throws {
        try await withWorld(Self.yaml(Self.bearer), sealer: true, videos: 5) { world in
            try await world.also(Self.other)
            try await world.store("good", as: "key", of: "ann")
            // As an older program stored it.
            try await world.given(
                .secret("other", bytes: 300_049), .secret("other", bytes: 300_049, of: "ann"))
            try await world.runAgain()
            #expect(
                try await ends(world) == [
                    "generic.items waiting complete",
                    "generic.others waiting failed malformed",
                ])
        }
    }

    @Test
    func `a secret sealed with another key puts off the jobs that name it until it is stored`()
        async throws
    {
        try await withWorld(Self.yaml(Self.bearer), sealer: true, videos: 5) { world in
            try await world.also(Self.other)
            let foreign = try testKeeper(8)
            let key = try foreign.newKey(ofTenant: 1)
            _ = try await world.queue.addKey(key)
            try await world.store("x", as: "other", of: "ann")
            // One of the tenant's that gives way to the user's own need not open.
            try await world.store("x", as: "key", of: nil)
            let own = try #require(world.keeper)
            #expect(try await world.queue.replaceKey(key.id, with: own.newKey(ofTenant: 1)))
            try await world.store("good", as: "key", of: "ann")
            try await world.makeDue()
            try await world.start(drains: true).ended()
            #expect(
                try await ends(world) == [
                    "generic.items waiting complete", "generic.others waiting deferred no_key",
                ])
            #expect(
                try await world.texts(
                    "select job || ' ' || coalesce(needs, '-') from jobrunner.status_of('acme', 'ann') order by 1"
                ) == ["generic.items -", "generic.others operator"])
            try await world.given(.deferred(.troubled("no_key"), times: 7, as: "no_key"))
            try await world.sql("select jobrunner.count_troubles(1000)")
            #expect(
                try await world.texts("select trouble from jobrunner.trouble_counts") == ["no_key"])
            #expect(
                try await world.texts(
                    "select trouble || ' ' || (detail like 'no_key: secret ''other'': %') from jobrunner.jobs_in_trouble"
                ) == ["no_key true"])
            try await world.store("right", as: "other", of: "ann")
            try await world.drain()
            #expect(try await ends(world)[1] == "generic.others waiting complete")
        }
    }

    @Test(arguments: [
        GivenSecretTests.bearer, #"{ type: header, name: X-Key, value: "{secret.key}" }"#,
        #"{ type: query, name: key, value: "{secret.key}" }"#,
        #"{ type: basic, user: "{secret.name}", password: "{secret.key}" }"#,
    ])
    func `a job without its secret waits for it, whether or not its file says that it requires it`(
        _ auth: String
    ) async throws {
        try await withWorld(Self.yaml(auth), sealer: true, videos: 5) { world in
            // One that the file does not name is no news to it.
            try await world.store("x", as: "unnamed", of: "ann")
            try await world.drain()
            #expect(
                try await ends(world) == ["generic.items needs_reauth needs_reauth unauthorised"])
            #expect(try await world.outcomes("ann").count == 1)
            #expect(try await world.source.asked().isEmpty)
            try await world.store("ann", as: "name", of: "ann")
            try await world.store("the-key", as: "key", of: "ann")
            try await world.drain()
            #expect(try await ends(world) == ["generic.items waiting complete"])
        }
    }

    @Test func `a secret that is nothing is as good as none`() async throws {
        try await withWorld(Self.yaml(Self.bearer), sealer: true, videos: 5) { world in
            try await world.store("", as: "key", of: "ann")
            try await world.drain()
            #expect(try await world.job("ann").text("last_error") == "secret 'key' is not set")
            #expect(try await world.job("ann").text("state") == "needs_reauth")
        }
    }

    @Test func `a key of the tenant's own that the source refuses is the operator's to mend`()
        async throws
    {
        try await withWorld(Self.yaml(Self.bearer), sealer: true, videos: 5) { world in
            try await world.source.command(
                "POST", "auth", #"{"user": "ann", "type": "bearer", "token": "right"}"#)
            try await world.store("wrong", as: "key", of: nil)
            try await world.drain()
            #expect(
                try await ends(world) == ["generic.items needs_reauth needs_reauth client_refused"])
            #expect(
                try await world.texts("select needs from jobrunner.status_of('acme', 'ann')") == [
                    "operator"
                ])
            #expect(
                try await world.value(
                    "select jobrunner.explain_job('acme', 'ann', 'generic.items')")?
                    .contains("the tenant's own credential") == true)
            try await world.store("right", as: "key", of: nil)
            try await world.drain()
            #expect(try await ends(world) == ["generic.items waiting complete"])
        }
    }

    @Test(arguments: [String(repeating: "t", count: 16 * 1024 + 1), "one\ttwo"])
    func `a web token that can be none is not stored`(_ token: String) async throws {
        try await withStatuses(50) { world in
            try await world.settings(#""token_mode": "none""#)
            let query = "select sealed from jobrunner.secrets where name = 'ck_web_auth_token'"
            let before = try await world.value(query)
            let headers = JSONValue.object([
                JSONMember("X-Apple-CloudKit-Web-Auth-Token", .string(token))
            ])
            try await world.source.fault(
                #"{"kind": "status", "status": 200, "op": "changes/zone", "body": "{}", "headers": \#(headers.text)}"#
            )
            try await world.drain()
            #expect(
                try await world.texts(
                    "select concat_ws(' ', last_outcome, last_error_kind) from jobrunner.jobs")
                    == ["failed malformed"])
            #expect(try await world.value(query) == before)
            #expect(!world.lines.all.contains { $0.contains("tttt") })
        }
    }
}
