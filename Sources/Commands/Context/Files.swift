import Glibc

/// Reads a whole file that the command line names, or standard input.
///
/// Throws a `Failure` that names the file and holds nothing of what is in it.
func readFile(_ path: String?, limit: Int) throws(Failure) -> [UInt8] {
    let name = path ?? "standard input"
    let descriptor = path.map { open($0, O_RDONLY | O_CLOEXEC) } ?? STDIN_FILENO
    guard descriptor >= 0 else {
        throw Failure(.noInput, "\(name): \(systemMessage(errno))")
    }
    defer { if path != nil { close(descriptor) } }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    defer { explicit_bzero(&chunk, chunk.count) }
    while bytes.count <= limit {
        let count = read(descriptor, &chunk, chunk.count)
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw Failure(.noInput, "\(name): \(systemMessage(errno))") }
        if count == 0 { return bytes }
        bytes += chunk[..<count]
    }
    throw Failure(.data, "\(name) is larger than \(limit) bytes")
}
