import Foundation
import Telemetry
import Testing

@testable import Commands

/// Where settings are found, and which of two counts.
@Suite struct SettingTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "jobrunner-settings-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func write(
        _ text: String, _ name: String, in folder: URL, mode: Int = 0o600
    ) throws -> String {
        let path = folder.appending(path: name)
        try text.write(to: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: path.path())
        return path.path()
    }

    private func found(
        _ setting: Setting, _ environment: [String: String]
    ) throws -> SettingReader.Found? {
        try SettingReader(environment: { environment[$0] }).find(setting)
    }

    @Test func `the environment comes before a named file, credentials and the settings' file`()
        throws
    {
        try withFolder { folder in
            let file = try write("from-file\n", "url", in: folder)
            _ = try write("from-credential\n", "database_url", in: folder)
            let settings = try write(
                "# ours\n\nDATABASE_URL=from-settings\n", "settings", in: folder)
            var environment = [
                "DATABASE_URL": "from-environment", "DATABASE_URL_FILE": file,
                "CREDENTIALS_DIRECTORY": folder.path(), "JOBRUNNER_SETTINGS": settings,
            ]
            for (name, value, origin) in [
                ("DATABASE_URL", "from-environment", SettingReader.Origin.environment),
                ("DATABASE_URL_FILE", "from-file", .file(file)),
                ("CREDENTIALS_DIRECTORY", "from-credential", .credential),
                ("JOBRUNNER_SETTINGS", "from-settings", .settingsFile(settings)),
            ] {
                let found = try found(.databaseURL, environment)
                #expect(found == SettingReader.Found(value: value, origin: origin))
                // An empty one is as good as none.
                environment[name] = name == "CREDENTIALS_DIRECTORY" ? nil : ""
            }
            #expect(try found(.databaseURL, environment) == nil)
        }
    }

    @Test func `a file with something secret in it must be nobody else's to read`() throws {
        try withFolder { folder in
            let url = try write(
                "postgres://a:sesame@b/c\n", "database_url", in: folder, mode: 0o644)
            let settings = try write(
                "DATABASE_URL=postgres://a:sesame@b/c\n", "settings", in: folder, mode: 0o644)
            let token = try write(
                String(repeating: "t", count: 20), "token", in: folder, mode: 0o644)
            let plain = try write("JOBRUNNER_LISTEN=:1\n", "plain", in: folder, mode: 0o644)
            for environment in [
                ["DATABASE_URL_FILE": url], ["CREDENTIALS_DIRECTORY": folder.path()],
                ["JOBRUNNER_SETTINGS": settings], ["JOBRUNNER_SERVE_TOKEN_FILE": token],
            ] {
                #expect {
                    _ = try Settings(environment: { environment[$0] }).serveTokens()
                } throws: { error in
                    Failure(error).exitCode == .configuration
                        && Failure(error).lines.count == 1
                        && Failure(error).lines[0].contains("has mode 0644, open to others")
                }
            }
            // What is no secret may be anybody's to read.
            let listen = try write(":2\n", "listen", in: folder, mode: 0o644)
            #expect(
                try found(.listen, ["JOBRUNNER_LISTEN_FILE": listen])?.value == ":2")
            #expect(try found(.listen, ["JOBRUNNER_SETTINGS": plain])?.value == ":1")
        }
    }

    @Test func `a file of tokens has one in each line, behind a name where there are several`()
        throws
    {
        try withFolder { folder throws in
            func tokens(_ text: String) throws -> [String] {
                let path = try write(text, "tokens", in: folder)
                let settings = try Settings { $0 == "JOBRUNNER_SERVE_TOKEN_FILE" ? path : nil }
                return try settings.serveTokens().map {
                    "\($0.name) \(String(decoding: $0.bytes, as: UTF8.self))"
                }
            }
            let long = "0123456789abcdef"
            #expect(try tokens(long + "\n") == ["token \(long)"])
            #expect(
                try tokens("ann \(long)1\r\n\n bob\t\(long)2 \n") == [
                    "ann \(long)1", "bob \(long)2",
                ])
            for wrong in [
                "", "\n", "short", "ann short", "ann \(long) more", "\(long)\n\(long)1",
                "ann \(long)\nann \(long)1",
            ] {
                #expect(throws: Failure.self, "\(wrong)") { try tokens(wrong) }
            }
        }
    }

    @Test func `a key is a file wherever it is named, and a credential is one`() throws {
        try withFolder { folder in
            let key = try write("00", "jobrunner_key", in: folder)
            let credentials = ["CREDENTIALS_DIRECTORY": folder.path()]
            #expect(try found(.keyFile, credentials)?.value == key)
            #expect(
                try found(.keyFile, ["JOBRUNNER_KEY_FILE": "/k"])
                    == SettingReader.Found(value: "/k", origin: .environment))
        }
    }

    @Test(arguments: [
        ("trace", "debug"), ("notice", "info"), ("CRITICAL", "error"), ("warning", "warning"),
    ])
    func `the words of swift-log are levels, and LOG_LEVEL holds where ours is not set`(
        word: String, level: String
    ) throws {
        #expect(
            try Settings(environment: { $0 == "LOG_LEVEL" ? word : nil }).log.level.rawValue
                == level)
        #expect(
            try Settings(environment: { ["LOG_LEVEL": word, "JOBRUNNER_LOG_LEVEL": "error"][$0] })
                .log.level == .error)
        #expect(
            try Settings(environment: { $0 == "LOG_LEVEL" ? "verbose" : nil }).log.level == .info)
        #expect(throws: (any Error).self) {
            try Settings(environment: { $0 == "JOBRUNNER_LOG_LEVEL" ? "verbose" : nil })
        }
    }

    @Test func `an option comes before its setting, which comes before the default`() throws {
        func concurrency(_ line: [String], _ environment: [String: String]) throws -> Int? {
            guard case .command(let parsed) = try parse(line, allCommands) else { return nil }
            let found = try Settings(environment: { environment[$0] }).found
            return try parsed.filled(from: found).integer("concurrency")
        }
        #expect(try concurrency(["worker"], [:]) == 50)
        #expect(try concurrency(["worker"], ["JOBRUNNER_CONCURRENCY": "7"]) == 7)
        #expect(
            try concurrency(["worker", "--concurrency", "8"], ["JOBRUNNER_CONCURRENCY": "7"]) == 8)
        try withFolder { folder in
            let path = try write("JOBRUNNER_CONCURRENCY=9\n", "settings", in: folder)
            #expect(try concurrency(["worker"], ["JOBRUNNER_SETTINGS": path]) == 9)
        }
        #expect {
            _ = try concurrency(["worker"], ["JOBRUNNER_CONCURRENCY": "many"])
        } throws: { error in
            Failure(error).exitCode == .configuration
                && Failure(error).lines == [
                    "JOBRUNNER_CONCURRENCY is \"many\"; expected a whole number from 1 to 10000"
                ]
        }
    }

    @Test func `an address of the settings is taken back on the command line`() throws {
        for (line, hears) in [(["worker"], true), (["worker", "--metrics", "none"], false)] {
            guard case .command(let parsed) = try parse(line, allCommands) else { continue }
            let found = try Settings(environment: { $0 == "JOBRUNNER_METRICS" ? ":9464" : nil })
                .found
            #expect((try parsed.filled(from: found).address("metrics") != nil) == hears)
        }
    }

    @Test func `every option with a setting has the default that the setting has`() throws {
        for command in allCommands {
            for option in command.options {
                guard let fallback = option.setting?.fallback,
                    case .value(let kind, _) = option.form
                else { continue }
                _ = try kind.parse(fallback)
            }
        }
    }

    @Test func `a wrong line of the settings' file is told with its place, and never its value`()
        throws
    {
        try withFolder { folder in
            let path = try write(
                "JOBRUNNER_LOG=json\nDATABASE_URI=canary\n", "settings", in: folder)
            #expect {
                _ = try Settings(environment: { $0 == "JOBRUNNER_SETTINGS" ? path : nil })
            } throws: { error in
                let line = Failure(error).lines.first ?? ""
                return line.hasPrefix("\(path):2: expected NAME=value") && !line.contains("canary")
            }
        }
    }

    private var table: String {
        let rows = Setting.allCases.map { "| `\($0.rawValue)` | \($0.meaning) | \($0.usual) |\n" }
        return "<!-- settings -->\n| Setting | Meaning | Default |\n| --- | --- | --- |\n"
            + rows.joined() + "<!-- end -->\n"
    }

    /// `JOBRUNNER_REFRESH_SNAPSHOT=1` makes it anew.
    @Test func `the manual's table of settings is the program's list`() throws {
        let manual = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/operating/settings.md")
        var text = try String(contentsOf: manual, encoding: .utf8)
        if ProcessInfo.processInfo.environment["JOBRUNNER_REFRESH_SNAPSHOT"] == "1" {
            let begin = try #require(text.range(of: "<!-- settings -->\n"))
            let end = try #require(
                text.range(of: "<!-- end -->\n", range: begin.upperBound..<text.endIndex))
            text.replaceSubrange(begin.lowerBound..<end.upperBound, with: table)
            try text.write(to: manual, atomically: true, encoding: .utf8)
        }
        #expect(text.contains(table))
    }
}
