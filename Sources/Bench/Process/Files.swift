import Glibc

/// A file's text, also of /proc, where sizes are 0; throws `BenchError`.
func readFile(_ path: String) throws -> String {
    // A pipe that nobody writes to any more must not keep its reader.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw fileError(path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw fileError(path) }
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += buffer[..<count]
    }
}

/// Writes a file anew; throws `BenchError`.
func writeFile(_ path: String, _ text: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw fileError(path) }
    defer { close(descriptor) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { throw fileError(path) }
        rest = rest.dropFirst(count)
    }
}

/// Makes a folder and those above it; throws `BenchError`.
func makeFolder(_ path: String) throws {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
        made += "/\(part)"
        guard mkdir(made, 0o755) == 0 || errno == EEXIST else { throw fileError(made) }
    }
}

func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

private func fileError(_ path: String) -> BenchError {
    BenchError("\(path): \(String(cString: strerror(errno)))")
}
