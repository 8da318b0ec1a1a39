import Glibc
import Telemetry

/// Where a command's words go: results to standard output, complaints to standard error.
struct Output: Sendable {
    /// Writes a result.
    ///
    /// Throws `OutputError` when nobody takes it.
    func print(_ text: String) throws(OutputError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { throw OutputError(errno: errno) }
            rest = rest.dropFirst(written)
        }
    }

    /// Writes one line about a mistake; whatever the text holds, it stays one line.
    func complain(_ line: String) {
        let screen = TerminalView(descriptor: STDERR_FILENO, environment: environmentVariable)
        let bytes = Array((screen.marked(Escaping.readable(line)) + "\n").utf8)
        // There is nowhere to tell that standard error is gone.
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// What standard output is now.
    var screen: TerminalView {
        TerminalView(descriptor: STDOUT_FILENO, environment: environmentVariable)
    }
}

/// Standard output doesn't take what is written.
struct OutputError: Error {
    let errno: Int32

    /// The reader has seen enough, as `head` does.
    var isClosed: Bool { errno == EPIPE }
}
