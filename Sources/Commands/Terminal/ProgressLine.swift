import Glibc
import Telemetry

/// One line of progress that is written over itself, on a terminal only; silent anywhere else.
struct ProgressLine {
    private let descriptor: Int32
    private let isTerminal: Bool

    /// Writes to standard error unless told otherwise; the descriptor stays the caller's.
    init(descriptor: Int32 = STDERR_FILENO) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
    }

    /// Puts the text in the line's place, cut to the terminal's width so that it never wraps.
    func show(_ text: String) {
        put("\r\u{1b}[K" + Escaping.readable(text).prefix(windowWidth(descriptor) - 1))
    }

    /// Leaves the line empty, for whatever prints next.
    func clear() { put("\r\u{1b}[K") }

    private func put(_ text: String) {
        guard isTerminal else { return }
        let bytes = Array(text.utf8)
        // Progress that can't be shown is no failure of what progresses.
        _ = write(descriptor, bytes, bytes.count)
    }
}
