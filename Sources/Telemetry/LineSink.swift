import Glibc

/// Where lines go: takes one whole line, newline included, and answers whether it took it.
public struct LineSink: Sendable {
    /// Takes the line and how long to wait for a slow reader, in milliseconds.
    let write: @Sendable ([UInt8], Int32) -> Bool

    /// Makes a sink of a closure, which is never called twice at once by one log.
    public init(_ write: @escaping @Sendable ([UInt8]) -> Bool) {
        self.write = { line, _ in write(line) }
    }

    private init(waiting write: @escaping @Sendable ([UInt8], Int32) -> Bool) {
        self.write = write
    }

    /// Standard error of the process.
    public static let standardError = LineSink.descriptor(STDERR_FILENO)

    /// A file descriptor that stays the caller's; a line that its reader doesn't make room for is refused.
    ///
    /// A pipe that is ready takes a line (at most PIPE_BUF bytes) whole and without waiting. A
    /// closed reader is seen by `poll` before writing; the process must still ignore SIGPIPE, for
    /// the reader that closes between the two.
    public static func descriptor(_ descriptor: Int32) -> LineSink {
        LineSink(waiting: { line, milliseconds in
            isReady(descriptor, within: milliseconds)
                && line.withUnsafeBytes { writeAll($0, to: descriptor) }
        })
    }
}

private func isReady(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
    var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while true {
        let count = poll(&watched, 1, milliseconds)
        if count < 0 && errno == EINTR { continue }
        return count == 1 && watched.revents == Int16(POLLOUT)
    }
}

/// One write as a rule; more only where the kernel took a part (a full disk, a terminal).
private func writeAll(_ line: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var rest = line[...]
    while !rest.isEmpty {
        let count = Glibc.write(
            descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}
