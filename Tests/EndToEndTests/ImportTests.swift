import Foundation
import Testing

@Suite struct ImportTests {
    private func secrets(_ installation: Installation) async throws -> String {
        try await installation.value(
            """
            select coalesce(string_agg(concat_ws(' ', u.key, s.name,
              octet_length(s.sealed) - 58 - octet_length(format('{"user":"%s","name":"%s","origins":["https://shop.example"]}', u.key, s.name))), ', '
              order by u.key, s.name), '')
            from jobrunner.secrets as s join jobrunner.users as u on u.id = s.user_id
            """)
    }

    @Test func `users come with their secrets, which are sealed and stay when they are there`()
        async throws
    {
        try await Installation.with { installation in
            try await installation.addAnn()
            _ = try installation.write(
                "users",
                """
                carl
                {"key": "ann", "secrets": {"refresh_token": "of-ann"}}
                {"key": "bob", "attributes": {"region": "eu"}, "secrets": {"api_key": "k\\n", "refresh_token": "of-bob"}}

                """)
            let path = installation.folder.path + "/users"
            #expect(
                try await installation.ok(
                    "user import \(path) --tenant acme --origin https://shop.example")
                    == "added 2 users to tenant acme and 3 secrets; 1 user was there already\n")
            let stored = "ann refresh_token 6, bob api_key 2, bob refresh_token 6"
            #expect(try await secrets(installation) == stored)
            #expect(
                try await installation.value(
                    "select attributes ->> 'region' from jobrunner.users where key = 'bob'") == "eu"
            )
            // What its source may have replaced since is not put back.
            let sealed =
                "select string_agg(md5(sealed), ' ' order by user_id, name) from jobrunner.secrets"
            let before = try await installation.value(sealed)
            let again = try await installation.ok(
                "user import \(path) --tenant acme --origin https://shop.example")
            #expect(again.contains("3 secrets were there already"))
            #expect(try await installation.value(sealed) == before)
        }
    }

    @Test func `a secret of many wakes a job that waits for it`() async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            try await installation.given(.needingSecret(.named("shop.orders")))
            let path = try installation.write(
                "users", #"{"key": "ann", "secrets": {"token": "t"}}"#)
            let output = try await installation.ok(
                "user import \(path) --tenant acme --origin https://shop.example")
            #expect(output.contains("1 job woken"))
            #expect(
                try await installation.value(
                    "select bool_and(state = 'waiting' and due_at <= now()) from jobrunner.jobs")
                    == "true")
        }
    }

    @Test(
        arguments: [
            (
                #"{"key": "b", "secret": {"t": "sesame"}}"#,
                #"unknown member "secret", expected key, attributes or secrets; did you mean secrets?"#
            ),
            (
                #"{"key": "b", "plan": "sesame"}"#,
                #"unknown member "plan", expected key, attributes or secrets"#
            ),
            (#"{"key": "b", "key": "c"}"#, #"member "key" is there twice"#),
            (#"{"kee": "b"}"#, "did you mean key?"),
            (#"{"secrets": {"t": "sesame"}}"#, "expected a key, or {"),
            (#"{"key": 7}"#, "expected a key, or {"),
            (#"{"key": "b", "attributes": []}"#, #"expected "attributes" to be an object"#),
            (#"{"key": "b", "secrets": ["sesame"]}"#, #"expected "secrets" to be an object"#),
            (#"{"key": "b", "secrets": {"Token": "sesame"}}"#, "a secret's name is 1 to 63"),
            (#"{"key": "b", "secrets": {"t": 7}}"#, #"secret "t" is no text"#),
            (#"{"key": "b", "secrets": {"t": ""}}"#, #"secret "t" is empty"#),
            (
                #"{"key": "b", "secrets": {"t": "sesame\u0007"}}"#,
                #"secret "t" holds a control character"#
            ),
            (#"{"key": "b", "secrets": {"t": "sesame", "t": "x"}}"#, #"secret "t" is there twice"#),
            (#"{"key": "b", "secrets": {"t": "sesame"}"#, "expected a key, or {"),
        ] as [(String, String)])
    func `a line that is none is told by its number, and nothing is added`(
        _ line: String, _ words: String
    ) async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            let path = try installation.write("users", "a\n\(line)\nd\n")
            let before = try await installation.fingerprint()
            let ran = try await installation.run(
                "user import \(path) --tenant acme --origin https://shop.example")
            #expect(ran.code == 65)
            #expect(ran.errorLines.count == 1)
            #expect(
                ran.errors.contains("\(path), line 2: ") && ran.errors.contains(words),
                "\(ran.errors)")
            #expect(!ran.errors.contains("sesame"))
            #expect(try await installation.fingerprint() == before)
        }
    }

    @Test func `a file of secrets is one itself, and needs no key file`() async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            let secret = #"{"key": "bob", "secrets": {"t": "sesame"}}"#
            let before = try await installation.fingerprint()
            let open = try installation.write("open", secret, mode: 0o644)
            let refused = try await installation.run(
                "user import \(open) --tenant acme --origin https://shop.example")
            #expect(refused.code == 65 && refused.errors.contains("chmod 600 \(open)"))
            #expect(try await installation.fingerprint() == before)
            // The database shows what it is sealed with.
            let path = try installation.write("users", secret)
            let keyless = try await installation.run(
                "user import \(path) --tenant acme --origin https://shop.example",
                ["JOBRUNNER_KEY_FILE": ""])
            #expect(keyless.code == 0, "\(keyless.errors)")
            // Keys alone may stand in any file.
            let keys = try installation.write("keys", "emil\n", mode: 0o644)
            try await installation.ok("user import \(keys) --tenant acme")
        }
    }
}
