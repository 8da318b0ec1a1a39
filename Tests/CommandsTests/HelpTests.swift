import Foundation
import Testing

@testable import Commands

private func help(_ line: String) throws -> String {
    guard case .help(let topic) = try parse(words(line), allCommands) else {
        throw UsageError(command: "", message: "no help was asked for")
    }
    return helpText(about: topic, allCommands)
}

@Suite struct HelpTests {
    @Test(arguments: allCommands.map(\.name))
    func `the help of a command tells each of its options and arguments`(name: String) throws {
        let command = try #require(allCommands.first { $0.name == name })
        let text = try help("help \(name)")
        #expect(text.hasPrefix(command.summary + ".\n\nusage: jobrunner \(name)"))
        for option in command.options {
            let line = text.split(separator: "\n").first { $0.hasPrefix("  \(option.usage)  ") }
            #expect(line?.contains(option.help) == true, "--\(option.name)")
            #expect(command.usage.contains("--\(option.name)"))
        }
        for positional in command.positionals {
            #expect(text.contains("  \(positional.name)  "))
            #expect(text.contains(positional.help))
        }
        #expect(text.contains("\nexample:\n  \(command.example)\n"))
        #expect(text.contains("  --help"))
    }

    @Test(arguments: allCommands.map(\.name))
    func `the example of a command is a command line that works`(name: String) throws {
        let command = try #require(allCommands.first { $0.name == name })
        guard
            case .command(let parsed) = try parse(
                Array(words(command.example).dropFirst()), allCommands)
        else {
            Issue.record("the example asks for help")
            return
        }
        #expect(parsed.command.name == name)
    }

    @Test(arguments: allCommands.map(\.name))
    func `help is the same wherever it is asked for`(name: String) throws {
        let text = try help("help \(name)")
        #expect(try help("\(name) --help") == text)
        #expect(try help("\(name) -h") == text)
        #expect(try help("\(name) x y --wrong --help z") == text)
    }

    @Test func `the overview lists every command, variable and exit code`() throws {
        let text = try help("--help")
        #expect(try help("help") == text)
        for command in allCommands {
            #expect(text.contains("  \(command.name)  ") || text.contains("  \(command.name) "))
            #expect(text.contains(command.summary))
        }
        for word in ["DATABASE_URL", "JOBRUNNER_KEY_FILE", "JOBRUNNER_LOG_LEVEL", "  78  "] {
            #expect(text.contains(word))
        }
        #expect(text.hasSuffix("prints the version.\n"))
    }

    @Test func `a group's help lists its commands`() throws {
        let text = try help("help tenant")
        #expect(try help("tenant --help") == text)
        for command in allCommands {
            #expect(text.contains("  \(command.name) ") == command.name.hasPrefix("tenant "))
        }
    }

    @Test func `the version is asked for by an option`() throws {
        guard case .version = try parse(["--version"], allCommands) else {
            Issue.record("not the version")
            return
        }
    }

    @Test func `a usage line shows what may be left out, repeated or chosen`() throws {
        let usage = Dictionary(uniqueKeysWithValues: allCommands.map { ($0.name, $0.usage) })
        #expect(
            usage["enqueue"]
                == "jobrunner enqueue JOB [--user KEY | --all] --tenant T [--full] [--entity E] "
                + "[--force] [--wait]")
        #expect(usage["validate"] == "jobrunner validate [FILE]… [--against PATH]… [--json]")
        #expect(
            usage["user set"]
                == "jobrunner user set KEY --tenant T [--set NAME=VALUE]… [--secret NAME=@FILE|-]… "
                + "[--origin URL]… [--list NAME=@FILE]…")
    }

    @Test func `every command that a hint of the database names exists`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "sql")
        let names = Set(allCommands.map(\.name))
        var named = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where path.hasSuffix(".sql") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            // What is said in a text, to people; comments speak of the schema, too.
            for text in text.matches(of: /(?:hint = |, *)'((?:[^'\n]|'')*)'/).map(\.1) {
                for match in text.matches(of: /jobrunner ([a-z-]+)(?: ([a-z]+))?/) {
                    named += 1
                    let both = "\(match.1) \(match.2 ?? "")"
                    #expect(
                        names.contains(both) || names.contains(String(match.1)),
                        "\(path): jobrunner \(both)")
                }
            }
        }
        #expect(named > 5)
    }

    @Test func `the specs are sound`() {
        #expect(Set(allCommands.map(\.name)).count == allCommands.count)
        for command in allCommands {
            #expect((1...2).contains(command.words.count))
            #expect(!command.summary.hasSuffix("."))
            #expect(Set(command.options.map(\.name)).count == command.options.count)
            for rule in command.rules {
                let names =
                    switch rule {
                    case .exactlyOne(let names), .atMostOne(let names), .some(let names): names
                    case .needs(let name, let other): [name, other]
                    }
                for name in names { #expect(command.option(name) != nil) }
            }
            let singles = allCommands.filter { $0.words[0] == command.words[0] }
            #expect(command.words.count == 2 || singles.count == 1)
        }
    }
}
