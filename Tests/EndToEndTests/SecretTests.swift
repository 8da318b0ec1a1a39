import Foundation
import JSON
import Testing

private let secret = "correct-horse-battery"

@Suite struct SecretTests {
    @Test func `a secret stands in no output, no error and no argument of the process`()
        async throws
    {
        try await Installation.with { installation in
            try await installation.ok("tenant add acme --job shop.orders")
            // A pipe with a name keeps the program reading while we look at it.
            let path = installation.folder.path + "/token"
            try #require(mkfifo(path, 0o600) == 0)
            let end = open(path, O_RDWR)
            try #require(end >= 0)
            let running = try installation.start(
                "user add ann --tenant acme --secret token=@@token --origin https://shop.example")
            var arguments = ""
            try await eventually("the program's arguments") {
                arguments = try String(
                    contentsOfFile: "/proc/\(running.process.processIdentifier)/cmdline",
                    encoding: .utf8)
                return arguments.contains("ann")
            }
            #expect(arguments.contains("token=@\(path)"))
            #expect(!arguments.contains(secret))
            let text = Array((secret + "\n").utf8)
            let written = write(end, text, text.count)
            #expect(written == text.count)
            try await eventually("the program took the secret") {
                var waiting: Int32 = 0
                return ioctl(end, UInt(FIONREAD), &waiting) == 0 && waiting == 0
            }
            close(end)
            let ran = try await running.end()
            #expect(ran.code == 0, "\(ran.errors)")
            #expect(!(ran.output + ran.errors).contains(secret))
            for line in ["user list", "tenant list", "status --tenant acme --user ann", "doctor"] {
                let plain = try await installation.run(line)
                let json = try await installation.run(line + " --json")
                #expect(!(plain.output + plain.errors + json.output).contains(secret))
            }
            #expect(
                try await installation.value(
                    "select bool_or(position('\(secret)'::bytea in sealed) > 0)"
                        + " from jobrunner.secrets") == "false")
        }
    }

    @Test func `a secret may come from standard input, without its last newline`() async throws {
        try await Installation.with { installation in
            try await installation.ok("tenant add acme")
            let input = Pipe()
            let running = try installation.start(
                "user add ann --tenant acme --secret token=- --origin https://shop.example",
                input: input)
            input.fileHandleForWriting.write(Data((secret + "\r\n").utf8))
            try input.fileHandleForWriting.close()
            let ran = try await running.end()
            #expect(ran.code == 0, "\(ran.errors)")
            // Version, key id, box, the place in JSON and a newline: the rest is as long as the secret.
            let place = #"{"user":"ann","name":"token","origins":["https://shop.example"]}"#
            #expect(
                try await installation.value("select octet_length(sealed) from jobrunner.secrets")
                    == "\(1 + 8 + 48 + place.utf8.count + 1 + secret.utf8.count)")
        }
    }

    @Test(
        arguments: [
            ("missing", nil, 0o600, "No such file"), ("open", "0f", 0o644, "chmod 600"),
            ("short", "0f0f", 0o600, "32 bytes"), ("empty", "", 0o600, "is empty"),
            ("folder", nil, 0o600, "is not a regular file"),
            ("unset", nil, 0o600, "has no key yet"),
        ] as [(String, String?, Int, String)])
    func `without a good key no secret is taken and nothing is made`(
        name: String, content: String?, mode: Int, words: String
    ) async throws {
        try await Installation.with { installation in
            let added = try await installation.run("tenant add acme", ["JOBRUNNER_KEY_FILE": ""])
            #expect(added.code == 0)
            _ = try installation.write("token", secret)
            var path = installation.folder.path + "/other-key"
            if name == "folder" { path = installation.folder.path }
            if name == "unset" { path = "" }
            if let content {
                let text = name == "open" ? String(repeating: content, count: 32) : content
                _ = try installation.write("other-key", text, mode: mode)
            }
            let before = try await installation.fingerprint()
            for line in ["user add ann --tenant acme", "tenant set acme", "tenant add b"] {
                let ran = try await installation.run(
                    line + " --secret token=@@token --origin https://shop.example",
                    ["JOBRUNNER_KEY_FILE": path])
                #expect(ran.code == (name == "unset" ? 75 : 78), "\(name): \(ran.errors)")
                #expect(ran.errorLines.count == 1)
                #expect(ran.errors.contains(words.lowercased()) || ran.errors.contains(words))
                #expect(!ran.errors.contains(secret))
            }
            #expect(try await installation.fingerprint() == before)
        }
    }

    @Test func `a user that fails half way is not made at all`() async throws {
        try await Installation.with { installation in
            try await installation.ok("tenant add acme --job shop.orders")
            _ = try installation.write("token", secret)
            _ = try installation.write("stores", "1\n2\n")
            let before = try await installation.fingerprint()
            let ran = try await installation.run(
                "user add ann --tenant acme --set a=b --list store_ids=@@stores"
                    + " --secret token=@@token --secret Bad=@@token --origin https://shop.example")
            #expect(ran.code == 65)
            #expect(try await installation.fingerprint() == before)
        }
    }

    @Test func `a secret that no job names is refused, unless it is said where it may go`()
        async throws
    {
        try await Installation.with { installation in
            try await installation.addAnn()
            _ = try installation.write("token", secret)
            let line = "user set ann --tenant acme --secret tokn=@@token"
            let ran = try await installation.run(line)
            #expect(ran.code == 65)
            #expect(ran.errors.contains("no job of the tenant names secret \"tokn\""))
            for origin in [
                "shop.example", "https://shop.example/", "ftp://shop.example", "https://a@b",
            ] {
                let wrong = try await installation.run(line + " --origin " + origin)
                #expect(wrong.code == 64 && wrong.errors.contains("--origin"), "\(wrong.errors)")
            }
            try await installation.ok(line + " --origin https://shop.example")
        }
    }

    @Test func `a secret whose address a user chooses is sealed when that is known`() async throws {
        try await Installation.with { installation in
            let file = """
                version: 1
                job: shop.own
                schedule: { every: 1h, deadline: 5m }
                inputs:
                  shop: { matches: host_label }
                source:
                  id: own
                  base: "https://{user.shop}.shop.example"
                  hosts: ["*.shop.example"]
                  auth: { type: bearer, token: "{secret.token}" }
                entities:
                  - entity: thing
                    request: { path: /things }
                    page: { style: single }
                    records:
                      at: things[]
                      key: [id]
                      fields:
                        id: { at: id, type: text, required: true }
                    write: { table: own_thing, mode: overwrite }

                """
            _ = try installation.write("jobs/shop/own.yaml", file, mode: 0o644)
            try await installation.ok("migrate")
            try await installation.ok("tenant add acme --job shop.own")
            _ = try installation.write("token", secret)
            let line = "user add ann --tenant acme --secret token=@@token"
            let ran = try await installation.run(line)
            #expect(ran.code == 65, "\(ran.errors)")
            #expect(ran.errors.contains("user attribute 'shop' is not set; set it first"))
            try await installation.ok(line + " --set shop=eu")
        }
    }

    @Test(arguments: ["worker", "user set ann --tenant acme --secret token=@@token"])
    func `a command that holds secrets leaves no core file`(_ line: String) async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            try #require(mkfifo(installation.folder.path + "/token", 0o600) == 0)
            let running = try installation.start(line)
            let path = "/proc/\(running.process.processIdentifier)/limits"
            try await eventually("no core file") {
                let limits = try String(contentsOfFile: path, encoding: .utf8)
                let words = limits.split(separator: "\n").first {
                    $0.hasPrefix("Max core file size")
                }?
                .split(separator: " ").dropFirst(4).prefix(2)
                return words.map(Array.init) == ["0", "0"]
            }
            kill(running.process.processIdentifier, SIGKILL)
            _ = try await running.end()
        }
    }
}
