import Foundation
import Testing

@testable import Commands

/// What a program made of its input.
private struct Answer {
    let code: Int32
    let output: String
    let errors: String
}

/// Runs a program of the system with the text in a file, whose path is its last argument.
private func run(_ program: String, _ arguments: [String], on text: String) throws -> Answer {
    let folder = FileManager.default.temporaryDirectory
        .appending(path: "jobrunner-completion-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "text")
    try text.write(to: file, atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments + [file.path()]
    process.currentDirectoryURL = folder
    let streams = try ["output", "errors"].map { name in
        let url = folder.appending(path: name)
        try Data().write(to: url)
        return (url: url, handle: try FileHandle(forWritingTo: url))
    }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = streams[0].handle
    process.standardError = streams[1].handle
    try process.run()
    process.waitUntilExit()
    let texts = try streams.map { String(decoding: try Data(contentsOf: $0.url), as: UTF8.self) }
    return Answer(code: process.terminationStatus, output: texts[0], errors: texts[1])
}

private func isInstalled(_ program: String) -> Bool {
    ["/usr/bin/", "/bin/", "/usr/local/bin/"].contains {
        FileManager.default.isExecutableFile(atPath: $0 + program)
    }
}

private let script = BashCompletion(commands: allCommands).text

/// What bash offers for the last of these words.
private func offered(_ typed: [String]) throws -> Set<String> {
    let quoted = typed.map { "'\($0)'" }.joined(separator: " ")
    // As bash itself calls it, and in a folder that has one file.
    let question = """
        touch a.yaml; COMP_WORDS=(\(quoted)); COMP_CWORD=\(typed.count - 1); source "$0"
        complete -p jobrunner | grep -qx 'complete -F _jobrunner jobrunner' || exit 1
        _jobrunner; printf '%s\\n' "${COMPREPLY[@]}"
        """
    let answer = try run("bash", ["--norc", "-c", question], on: script)
    #expect(answer.errors.isEmpty, "\(answer.errors)")
    return Set(answer.output.split(separator: "\n").map(String.init))
}

@Suite struct BashCompletionTests {
    @Test func `bash finds no mistake in the script`() throws {
        let answer = try run("bash", ["-n"], on: script)
        #expect(answer.code == 0)
        #expect(answer.errors.isEmpty, "\(answer.errors)")
    }

    @Test func `bash offers every first word, and those that begin as typed`() throws {
        let all = try offered(["jobrunner", ""])
        #expect(all == Set(allCommands.map { $0.words[0] } + ["help", "--help", "--version"]))
        #expect(try offered(["jobrunner", "re"]) == ["retry", "resume", "reset", "repair"])
        #expect(try offered(["jobrunner", "xyzzy"]).isEmpty)
    }

    @Test func `bash offers the second words of each group, also behind help`() throws {
        for group in FirstWord.all(allCommands) where group.command == nil {
            #expect(try offered(["jobrunner", group.word, ""]) == Set(group.seconds))
            #expect(try offered(["jobrunner", "help", group.word, ""]) == Set(group.seconds))
        }
        #expect(try offered(["jobrunner", "help", "run"]) == ["runs"])
        #expect(try offered(["jobrunner", "help", "runs", ""]).isEmpty)
    }

    @Test func `bash offers every option of every command`() throws {
        for command in allCommands {
            let names = try offered(["jobrunner"] + command.words + ["--"])
            #expect(
                names == Set(command.options.map { "--\($0.name)" } + ["--help"]), "\(command.name)"
            )
        }
    }

    @Test func `bash offers the words of an option, after a space and after an equals sign`() throws
    {
        #expect(
            try offered(["jobrunner", "runs", "--outcome", ""])
                == ["complete", "partial", "deferred", "skipped", "needs_reauth", "failed"])
        #expect(try offered(["jobrunner", "runs", "--outcome", "=", "pa"]) == ["partial"])
        #expect(try offered(["jobrunner", "runs", "--outcome", "="]).count == 6)
    }

    @Test func `bash offers files where a path belongs, and nothing where nobody can know`() throws
    {
        #expect(try offered(["jobrunner", "validate", "a"]) == ["a.yaml"])
        #expect(try offered(["jobrunner", "validate", "--against", "a"]) == ["a.yaml"])
        #expect(try offered(["jobrunner", "validate", "--js"]) == ["--json"])
        #expect(try offered(["jobrunner", "runs", "--tenant", ""]).isEmpty)
    }
}

@Suite struct ZshCompletionTests {
    private let text = ZshCompletion(commands: allCommands).text

    @Test func `every command and option is in the script`() throws {
        for command in allCommands {
            let start = try #require(text.range(of: "(\'\(command.name)\')\n"), "\(command.name)")
            let rest = text[start.upperBound...]
            let end = try #require(rest.range(of: "\n            ;;\n"))
            let block = rest[..<end.lowerBound]
            for option in command.options {
                #expect(block.contains("--\(option.name)"), "\(option.name)")
            }
            #expect(block.contains("--help"))
        }
        for group in FirstWord.all(allCommands) { #expect(text.contains("'\(group.word):")) }
    }

    @Test(.enabled(if: isInstalled("zsh")))
    func `zsh finds no mistake in the script`() throws {
        let answer = try run("zsh", ["-n"], on: text)
        #expect(answer.code == 0)
        #expect(answer.errors.isEmpty, "\(answer.errors)")
    }
}

@Suite struct ManPageTests {
    private let page = ManPage(commands: allCommands, version: "0.1.0").text

    @Test func `every command, option and exit code is on the page`() throws {
        let sections = page.components(separatedBy: "\n.SS jobrunner ").dropFirst()
        #expect(sections.count == allCommands.count)
        for (command, section) in zip(allCommands, sections) {
            let plain = section.replacing("\\-", with: "-").replacing("\\[u2026]", with: "…")
            #expect(plain.hasPrefix(command.name + "\n"))
            #expect(plain.contains(command.usage))
            for option in command.options { #expect(plain.contains("\\fB\(option.usage)\\fR\n")) }
            for positional in command.positionals {
                #expect(plain.contains("\\fB\(positional.name)\\fR\n"))
            }
        }
        for code in ExitCode.allCases { #expect(page.contains("\\fB\(code.rawValue)\\fR\n")) }
    }

    @Test func `the page is ASCII, and no line of text is taken for a command`() {
        #expect(page.utf8.allSatisfy { $0 < 0x80 })
        let known: Set = [".\\\"", ".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".I", ".br"]
        for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(known.contains(String(line.prefix { $0 != " " })), "\(line)")
        }
    }

    @Test(.enabled(if: isInstalled("groff")))
    func `groff sets the page without a warning, with hyphens that a shell knows`() throws {
        let answer = try run("groff", ["-man", "-ww", "-Tutf8", "-P-cbou"], on: page)
        #expect(answer.code == 0)
        #expect(answer.errors.isEmpty, "\(answer.errors)")
        for command in allCommands { #expect(answer.output.contains("jobrunner \(command.name)")) }
        #expect(answer.output.contains("--take-job JOB"))
        #expect(answer.output.contains("tenants' users"))
    }

    @Test(.enabled(if: isInstalled("mandoc")))
    func `mandoc finds nothing but that the page has no date`() throws {
        let answer = try run("mandoc", ["-T", "lint", "-W", "warning"], on: page)
        let findings = answer.output.split(separator: "\n")
        #expect(findings.allSatisfy { $0.contains("missing date") }, "\(answer.output)")
    }
}
