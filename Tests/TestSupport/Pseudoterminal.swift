import Glibc

/// A terminal of a test's own: what a program writes to `terminal` is read from it, and what is typed reaches it.
public final class Pseudoterminal: @unchecked Sendable {
    /// The end that a program has for its terminal.
    public let terminal: Int32
    private let master: Int32
    // By one task at a time.
    private var read: [UInt8] = []

    /// Opens one with a window of so many columns.
    public init(columns: UInt16 = 80) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        // Unlock the other end, and ask for its number: TIOCSPTLCK and TIOCGPTN.
        var locked: Int32 = 0
        var number: UInt32 = 0
        guard master >= 0, ioctl(master, 0x4004_5431, &locked) == 0,
            ioctl(master, 0x8004_5430, &number) == 0
        else { throw NeverHappened(description: "a pseudoterminal: errno \(errno)") }
        terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var size = winsize(ws_row: 5, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard terminal >= 0, ioctl(terminal, UInt(TIOCSWINSZ), &size) == 0 else {
            throw NeverHappened(description: "a pseudoterminal: errno \(errno)")
        }
    }

    deinit {
        close(terminal)
        close(master)
    }

    /// Types the text; the program reads it once a newline ends its line.
    public func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(master, bytes, bytes.count)
    }

    /// What the program has written so far, and the echo of what was typed; a newline is CR LF.
    public func shown() -> String {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(master, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: read, as: UTF8.self) }
            read += buffer[..<count]
        }
    }

    /// Waits until the program has written the text.
    public func shows(_ text: String) async throws {
        try await eventually("\(text) on the terminal") { shown().contains(text) }
    }
}
