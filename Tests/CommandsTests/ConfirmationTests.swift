import Foundation
import TestSupport
import Testing

@testable import Commands

private let removal = "user remove ann --tenant acme"

/// What the command line is told on a terminal where `typed` is typed, and what the terminal shows.
private func ask(_ line: String, typing typed: String) throws -> (mistake: String?, shown: String) {
    guard case .command(let arguments) = try parse(words(line), allCommands) else {
        throw UsageError(command: "", message: "no command: \(line)")
    }
    let terminal = try Pseudoterminal()
    terminal.type(typed)
    do throws(UsageError) {
        try LossConfirmation(input: terminal.terminal, output: terminal.terminal).check(arguments)
        return (nil, terminal.shown())
    } catch { return (error.message, terminal.shown()) }
}

@Suite struct ConfirmationTests {
    @Test func `these commands take away what nothing brings back, and have --yes`() {
        let losing = allCommands.filter { $0.loss != nil }
        #expect(losing.map(\.name) == ["tenant set", "tenant remove", "user remove"])
        #expect(
            allCommands.filter { $0.option("yes") != nil }.map(\.name) == losing.map(\.name))
        for command in losing {
            #expect(command.positionals.first?.count == .one, "\(command.name) names what goes")
            if let option = command.loss?.option { #expect(command.option(option) != nil) }
        }
    }

    @Test func `the name typed again lets a removal go on`() throws {
        let (mistake, shown) = try ask(removal, typing: "ann\n")
        #expect(mistake == nil)
        #expect(
            shown.contains(
                "This removes user ann with its secrets and synced data, for good. Type ann to go on: "
            ))
    }

    @Test(arguments: ["bob\n", "y\n", "yes\n", "\n", "\u{4}", "ann acme\n"])
    func `any other answer changes nothing`(typed: String) throws {
        let mistake = try #require(try ask(removal, typing: typed).mistake)
        #expect(mistake.hasPrefix("nothing was changed: the answer was "))
        #expect(mistake.hasSuffix("and would be \"ann\"; --yes asks nothing"))
    }

    @Test(arguments: [
        "user remove ann --tenant acme --yes", "application remove acme_app", "tenant list",
        "tenant set acme --take-job metube.refresh",
        "tenant set acme --take-job metube.refresh --with-rows --yes",
    ])
    func `nobody is asked where --yes is given or nothing is lost`(line: String) throws {
        let (mistake, shown) = try ask(line, typing: "")
        #expect(mistake == nil)
        #expect(shown.isEmpty)
    }

    @Test func `rows that are deleted with a job are asked about`() throws {
        let line = "tenant set acme --take-job metube.refresh --with-rows"
        let (mistake, shown) = try ask(line, typing: "acme\n")
        #expect(mistake == nil)
        #expect(shown.contains("This leaves tenant acme without what the taken jobs have synced"))
    }

    @Test func `without a terminal the line says what is needed`() throws {
        guard case .command(let arguments) = try parse(words(removal), allCommands) else { return }
        let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nowhere) }
        #expect(throws: UsageError.self) {
            try LossConfirmation(input: nowhere, output: nowhere).check(arguments)
        }
        do throws(UsageError) {
            try LossConfirmation(input: nowhere, output: nowhere).check(arguments)
        } catch {
            #expect(error.exitCode == .usage)
            #expect(
                error.description
                    == "jobrunner user remove: removes user ann with its secrets and synced"
                    + " data, for good; without a terminal to ask on it needs --yes")
        }
    }
}
