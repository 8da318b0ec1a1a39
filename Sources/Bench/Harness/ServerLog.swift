import Glibc

/// The durations in a server's log, of which ever more is read.
///
/// Lines as `… LOG:  duration: 1.234 ms  execute s3: select …`.
struct ServerLog {
    private let path: String
    private var offset: off_t = 0

    /// Begins at the log's present end.
    init(_ cluster: Cluster) {
        path = "\(cluster.folder)/log"
        skip()
    }

    /// Leaves out what was written up to now.
    mutating func skip() {
        var information = stat()
        if stat(path, &information) == 0 { offset = information.st_size }
    }

    /// Milliseconds of the statements with a word that were logged since the last call.
    mutating func milliseconds(of word: String) throws -> [Double] {
        var found: [Double] = []
        try readOn { found += durations(in: $0, of: word) }
        return found
    }

    /// What was logged since the last call.
    mutating func text() throws -> String {
        var text = ""
        try readOn { text += $0 + "\n" }
        return text
    }

    /// Whole lines, some at a time: a log may be longer than memory.
    private mutating func readOn(_ use: (String) -> Void) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BenchError("\(path) can't be read") }
        defer { close(descriptor) }
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = pread(descriptor, &buffer, buffer.count, offset)
            guard count > 0 else { break }
            offset += off_t(count)
            rest += buffer[..<count]
            guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { continue }
            use(String(decoding: rest[..<end], as: UTF8.self))
            rest.removeSubrange(...end)
        }
        offset -= off_t(rest.count)
    }
}

/// Milliseconds of the statements with a word, from a server's log.
func durations(in log: String, of word: String) -> [Double] {
    let mark = "duration: "
    return log.split(separator: "\n").compactMap { line in
        guard line.contains(word), let start = line.firstRange(of: mark) else { return nil }
        let number = line[start.upperBound...].prefix { $0 != " " }
        return Double(number)
    }
}
