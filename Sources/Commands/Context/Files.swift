import Glibc
import Secrets

/// Reads a whole file that the command line names, or standard input.
///
/// `check` looks at the open file first. Throws a `Failure` that names the file and holds nothing of what is in it.
func readFile(
    _ path: String?, limit: Int, check: (Int32, String) throws(Failure) -> Void = { _, _ in }
) throws(Failure) -> [UInt8] {
    let name = path ?? "standard input"
    let descriptor = path.map { open($0, O_RDONLY | O_CLOEXEC) } ?? STDIN_FILENO
    guard descriptor >= 0 else {
        throw Failure(.noInput, "\(name): \(systemMessage(errno))")
    }
    defer { if path != nil { close(descriptor) } }
    if let path { try check(descriptor, path) }
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

/// Reads a file that holds a secret, if nobody else may read it; standard input is whoever's it is.
///
/// `credentials` is systemd's folder of them, `code` what a file that is unfit ends the command with.
func readSecretFile(
    _ path: String?, limit: Int, credentials: String?, unfit code: ExitCode
) throws(Failure) -> [UInt8] {
    try readFile(path, limit: limit) { descriptor, path throws(Failure) in
        if let failure = unfitness(descriptor, path, credentials: credentials, code) {
            throw failure
        }
    }
}

/// Why an open file may not hold a secret; nil when it may.
func unfitness(
    _ descriptor: Int32, _ path: String, credentials: String?, _ code: ExitCode
) -> Failure? {
    do throws(SecretFile.Fault) {
        try SecretFile.check(descriptor, at: path, credentials: credentials)
        return nil
    } catch {
        return Failure(code, error.words(path))
    }
}
