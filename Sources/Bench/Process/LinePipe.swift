import CLinux
import Glibc

/// Lines of a program's log with the times when they were read, through a named pipe.
///
/// For one reader, who may block: whoever calls `next` waits on the calling thread.
final class LinePipe {
    private let path: String
    private let descriptor: Int32
    private var bytes: [UInt8] = []

    /// Makes the pipe; it must exist before the program is started.
    init(_ path: String) throws {
        self.path = path
        unlink(path)
        guard mkfifo(path, 0o600) == 0 else { throw BenchError("no pipe can be made at \(path)") }
        // For writing too, so that opening does not wait for the program and its end is no end.
        descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw BenchError("\(path) can't be opened") }
    }

    /// The system's clock, in seconds since 1970, when the next line with a text has been read.
    func next(containing text: String, within seconds: Double) throws -> Double {
        let end = now() + seconds
        while true {
            while let index = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: bytes[..<index], as: UTF8.self)
                bytes.removeSubrange(...index)
                if line.contains(text) { return lastRead }
            }
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard now() < end, poll(&watched, 1, 1000) >= 0 else {
                throw BenchError("the worker wrote no line with \(text) within \(seconds) s")
            }
            var buffer = [UInt8](repeating: 0, count: 1 << 14)
            let count = read(descriptor, &buffer, buffer.count)
            lastRead = now()
            if count > 0 { bytes += buffer[..<count] }
        }
    }

    private var lastRead = 0.0

    /// Removes the pipe; its writer has a reader no more.
    func close() {
        Glibc.close(descriptor)
        unlink(path)
    }

    private func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
