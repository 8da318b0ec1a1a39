import Glibc
import Telemetry

/// Asks a person before a command takes away for good what they may not mean.
///
/// Which commands do so, their declarations say (`CommandSpec.loss`), and nothing else.
struct LossConfirmation {
    private let input: Int32
    private let output: Int32

    /// A terminal's line has at most so many bytes.
    private static let answerMax = 4096

    /// Reads from standard input and asks on standard error, so that standard output has results only.
    init(input: Int32 = STDIN_FILENO, output: Int32 = STDERR_FILENO) {
        self.input = input
        self.output = output
    }

    /// Returns when the command may go on.
    ///
    /// Throws `UsageError` where nobody can be asked and `--yes` is missing, and where the answer is another name.
    func check(_ arguments: ParsedArguments) throws(UsageError) {
        guard let loss = arguments.command.loss, !arguments.has("yes"),
            loss.option.map(arguments.has) ?? true
        else { return }
        let subject = arguments.subject
        let what = "\(loss.kind) \(subject) \(loss.words)"
        guard isatty(input) == 1, isatty(output) == 1 else {
            throw UsageError(
                command: arguments.command.name,
                message:
                    "\(verb(loss)) \(what), for good; without a terminal to ask on it needs --yes")
        }
        ask("This \(verb(loss)) \(what), for good. Type \(subject) to go on: ")
        let answer = readAnswer()
        guard answer == subject else {
            throw UsageError(
                command: arguments.command.name,
                message: "nothing was changed: the answer was \(quoted(answer)), and would be"
                    + " \(quoted(subject)); --yes asks nothing")
        }
    }

    private func verb(_ loss: Loss) -> String { loss.option == nil ? "removes" : "leaves" }

    private func ask(_ question: String) {
        let bytes = Array(Escaping.readable(question).utf8)
        // Who can't read the question gives no answer, which is none.
        _ = write(output, bytes, bytes.count)
    }

    /// One line, without its end; the end of the input answers nothing.
    private func readAnswer() -> String {
        var buffer = [UInt8](repeating: 0, count: Self.answerMax)
        var count: Int
        repeat { count = read(input, &buffer, buffer.count) } while count < 0 && errno == EINTR
        let line = buffer[..<max(0, count)].prefix { $0 != UInt8(ascii: "\n") }
        return trimmed(Substring(String(decoding: line, as: UTF8.self)))
    }
}
