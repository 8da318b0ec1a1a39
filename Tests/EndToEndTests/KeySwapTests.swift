import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct KeySwapTests {
    /// A source that nobody answers for: a run that gets as far has opened its secret.
    private let file = """
        version: 1
        job: shop.keyed
        schedule: { every: 1h, deadline: 5m }
        source:
          id: keyed
          base: "http://127.0.0.1:9"
          auth: { type: bearer, token: "{secret.token}" }
          retry: { attempts: 1 }
        entities:
          - entity: thing
            request: { path: /things }
            page: { style: single }
            records:
              at: things[]
              key: [id]
              fields:
                id: { at: id, type: text, required: true }
            write: { table: keyed_thing, mode: overwrite }

        """

    private func kind(_ user: String, _ installation: Installation) async throws -> String {
        try await installation.value(
            """
            select coalesce((
              select coalesce(j.last_outcome, '') || ' ' || coalesce(j.last_error_kind, '')
              from jobrunner.jobs as j join jobrunner.users as u on u.id = j.user_id
              where u.key = '\(user)' and j.worker_id is null and j.last_run_at is not null), '')
            """)
    }

    @Test
    func
        `a key file that is swapped opens nothing of the tenants it had keys for, until the key is back`()
        async throws
    {
        try await Installation.with { installation in
            _ = try installation.write("jobs/keyed.yaml", file)
            try await installation.ok("migrate")
            try await installation.ok("tenant add acme --job shop.keyed")
            _ = try installation.write("token", "t0k3n\n")
            let worker = try installation.start("worker")
            try await installation.ok("user add ann --tenant acme --secret token=@@token")
            try await eventually("ann's run asks the source") {
                try await kind("ann", installation) == "failed unavailable"
            }
            // Commands seal with what the database shows, whatever key file they have.
            _ = try installation.write("key", String(repeating: "a7", count: 32) + "\n")
            try await installation.ok("user add bob --tenant acme --secret token=@@token")
            try await eventually("bob's run asks the source") {
                try await kind("bob", installation) == "failed unavailable"
            }
            kill(worker.process.processIdentifier, SIGTERM)
            #expect(try await worker.end().code == 0)
            // One that begins with it says what it can't open.
            try await installation.ok("retry shop.keyed --tenant acme --all")
            let begun = try await installation.run("worker --drain")
            #expect(begun.code == 0)
            #expect(
                begun.errors.contains("error secrets locked count=2 reason=\"of tenants whose keys")
            )
            #expect(try await kind("ann", installation) == "deferred no_key")
            let doctor = try await installation.run("doctor")
            #expect(doctor.output.contains("key file: 2 secrets of 1 tenant need key "))
            let rotation = try await installation.run("key rotate")
            #expect(rotation.code == 1 && rotation.errors.contains("is wrapped by key "))
            // With both keys everything opens, and after a rotation the new one is enough.
            let (old, new) = (
                String(repeating: "0f", count: 32), String(repeating: "a7", count: 32)
            )
            _ = try installation.write("key", "\(old)\n\(new)\n")
            #expect(
                try await installation.ok("key rotate").hasPrefix("sealed 2 secrets of 1 tenant "))
            #expect(
                try await installation.ok("key rotate").hasPrefix("sealed 0 secrets of 0 tenants "))
            _ = try installation.write("key", new)
            try await installation.ok("retry shop.keyed --tenant acme --all")
            #expect(try await installation.run("worker --drain").errors.contains("locked") == false)
            #expect(try await kind("ann", installation) == "failed unavailable")
            #expect(try await kind("bob", installation) == "failed unavailable")
        }
    }

    @Test(arguments: ["", "other"])
    func `a worker whose key opens nothing says so and runs what needs no secret`(
        _ key: String
    ) async throws {
        try await Installation.with { installation in
            _ = try installation.write("jobs/keyed.yaml", file)
            let plain = file.replacingOccurrences(of: "shop.keyed", with: "shop.plain")
                .replacingOccurrences(of: "id: keyed", with: "id: plain")
                .replacingOccurrences(of: "keyed_thing", with: "plain_thing")
                .replacingOccurrences(
                    of: #"auth: { type: bearer, token: "{secret.token}" }"#,
                    with: "auth: { type: none }")
            _ = try installation.write("jobs/plain.yaml", plain)
            try await installation.ok("migrate")
            try await installation.ok("tenant add acme --job shop.keyed --job shop.plain")
            _ = try installation.write("token", "t0k3n\n")
            try await installation.ok("user add ann --tenant acme --secret token=@@token")
            _ = try installation.write("other", String(repeating: "a7", count: 32))
            let path = key.isEmpty ? "" : installation.folder.path + "/" + key
            let ran = try await installation.run("worker --drain", ["JOBRUNNER_KEY_FILE": path])
            #expect(ran.code == 0)
            #expect(ran.errors.contains("error secrets locked count=1"))
            #expect(
                ran.errors.contains(
                    key.isEmpty ? "JOBRUNNER_KEY_FILE is not set" : "but JOBRUNNER_KEY_FILE holds"))
            #expect(
                try await installation.value(
                    "select string_agg(name || ' ' || last_error_kind, ', ' order by name) from jobrunner.jobs"
                )
                    == "shop.keyed no_key, shop.plain unavailable")
        }
    }
}
