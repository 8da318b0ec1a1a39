import Telemetry

/// A mistake in a command line: one line saying what, and what would be right.
struct UsageError: Error, Equatable, CustomStringConvertible {
    /// The command that was understood, empty if none was.
    let command: String
    let message: String

    var exitCode: ExitCode { .usage }

    var description: String {
        (["jobrunner"] + (command.isEmpty ? [] : [command])).joined(separator: " ") + ": " + message
    }
}

/// What a person typed, between quotes and safe for a terminal.
func quoted(_ text: String) -> String { "\"\(Escaping.readable(text, limit: 80))\"" }

/// `a, b or c`.
func choices(_ words: [String], _ conjunction: String = "or") -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
}
