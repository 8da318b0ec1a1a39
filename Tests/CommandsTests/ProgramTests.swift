import JSON
import JobFiles
import Postgres
import JobQueue
import Schema
import Secrets
import Telemetry
import Testing

@testable import Commands

@Suite struct ProgramTests {
    @Test func `every command has a body, and every body a command`() {
        #expect(Set(bodies.keys) == Set(allCommands.map(\.name)))
    }

    @Test func `an empty variable is as good as none`() throws {
        let settings = try Settings { _ in "" }
        #expect(settings.jobsFolder == "jobs")
        #expect(!settings.hasKeyFile)
        #expect(settings.log == LogSettings())
        let named = try Settings { ["JOBRUNNER_JOBS": "here", "JOBRUNNER_LOG": "json"][$0] }
        #expect(named.jobsFolder == "here")
        #expect(named.log.format == .json)
    }

    private static let failures: [(any Error, ExitCode)] = [
        (UsageError(command: "x", message: "m"), .usage),
        (QueueError.refused(message: "no tenant", hint: nil), .data),
        (QueueError.lost, .software),
        (SchemaError.older("lacks it"), .configuration),
        (SchemaError.incompatible(["a", "b"]), .data),
        (SchemaError.edited(file: "f"), .configuration),
        (SchemaError.misnumbered(file: "f"), .software),
        (SecretError.keyFileUnfit(path: "p", .mode(0o644, isMounted: false)), .configuration),
        (OutputError(errno: 32), .ok),
        (OutputError(errno: 28), .failure),
        (CancellationError(), .software),
    ]

    @Test func `each error has a code, and at least a line unless all is well`() {
        for (error, code) in Self.failures {
            let failure = Failure(error)
            #expect(failure.exitCode == code, "\(error)")
            #expect(failure.lines.isEmpty == (code == .ok), "\(error)")
        }
        #expect(Failure(SchemaError.incompatible(["a", "b"])).lines == ["a", "b"])
    }

    @Test func `a job file that can't be read is another code than one with mistakes`() {
        for (read, code) in [
            (JobFile.load(files: ["/nowhere.yaml"]), ExitCode.noInput),
            (JobFile.load(files: ["/dev/null"]), .data),
        ] {
            do {
                _ = try read.get()
                Issue.record("it was read")
            } catch { #expect(Failure(error).exitCode == code) }
        }
    }

    @Test func `a connection string that can't be read is a configuration, and is not repeated`()
        throws
    {
        let settings = try Settings { $0 == "DATABASE_URL" ? "postgres://u:sesame@[::1" : nil }
        do {
            _ = try settings.databaseConfiguration()
            Issue.record("it was accepted")
        } catch {
            let failure = Failure(error)
            #expect(failure.exitCode == .configuration)
            #expect(failure.lines.allSatisfy { !$0.contains("sesame") })
        }
    }

    @Test func `a table of objects takes the members its columns name`() {
        let rows: [JSONValue] = [
            .object([
                JSONMember("secret", .string("x")),
                JSONMember("ended", .string("2026-01-02T03:04:05.6+00:00")),
                JSONMember("took", .number("7200")), JSONMember("detail", .array([])),
            ]),
            .object([]),
        ]
        let table = Table(
            [.time("ended"), .span("took", "took so long"), .detail("detail")], of: rows)
        #expect(
            table.text() == """
                ENDED (UTC)          TOOK SO LONG
                2026-01-02 03:04:05           2 h
                –                               –

                """)
        #expect(
            table.json()
                == #"[{"ended":"2026-01-02T03:04:05.6+00:00","took":7200,"detail":[]},"#
                + #"{"ended":null,"took":null,"detail":null}]"# + "\n")
    }
}

/// Ways to spoil a command line that was right, by its command's own options.
private func spoiled(_ command: CommandSpec) -> [[String]] {
    let right = Array(words(command.example).dropFirst())
    var lines: [[String]] = [
        right + ["--xyzzy"], right + ["-z"], right + ["--=1"],
        right + ["--help=1"], right + ["\u{1b}[2J"], right + ["--tenant", "a", "--tenant", "b"],
        [command.words[0] + "x"] + right.dropFirst(),
        [command.words[0].uppercased()] + right.dropFirst(), ["--"] + right, ["-v"] + right,
    ]
    for option in command.options {
        let name = "--\(option.name)"
        lines += [
            right + [String(name.dropLast())], right + [name + "s"], right + ["-" + option.name],
            right + [name.uppercased()],
        ]
        switch option.form {
        case .flag: lines += [right + [name + "=yes"], right + [name + "="]]
        case .value(let kind, _):
            lines += [right + [name + "="], right + [name, "a", name, "b"], right + [name, "\n"]]
            if kind != .text {
                lines += ["x", "-1", "1e3", "99999999999999999999", "٣"].map { right + [name, $0] }
            }
        case .repeated(let kind, _):
            lines += [right + [name + "="], right + [name]]
            if kind != .text { lines += ["x", "=y", "a\n=b"].map { right + [name, $0] } }
        }
    }
    if command.positionals.contains(where: { $0.count != .any }) || command.positionals.isEmpty {
        lines += (1...30).map { right + Array(repeating: "extra\($0)", count: $0 + 1) }
        lines += [right + ["--", "a", "b", "c"], right + ["-", "x", "x"]]
    } else {
        lines += (1...30).map { right + Array(repeating: "a\u{07}", count: $0) }
    }
    return lines
}

@Suite struct SpoiledLineTests {
    @Test(arguments: allCommands.map(\.name))
    func `forty ways to spoil a command line are each a usage error of one line`(
        name: String
    ) throws {
        let command = try #require(allCommands.first { $0.name == name })
        let lines = spoiled(command)
        #expect(lines.count >= 40)
        for line in lines {
            do {
                _ = try parse(line, allCommands)
                Issue.record("accepted: \(line)")
            } catch {
                #expect(error.exitCode == .usage)
                #expect(!error.description.unicodeScalars.contains { $0.value < 0x20 })
            }
        }
    }
}
