import Basics
import Glibc

/// A folder outside of the database for the wrapped keys of tenants, a file each.
///
/// What backups of the database hold of a tenant's secrets opens no more once its file is gone.
public struct KeyFolder: Sendable {
    private let path: String

    /// A folder that is there.
    public init(_ path: String) { self.path = path }

    /// The wrapped key of that id; nil when the folder lacks it.
    ///
    /// Throws `keyFolder`.
    public func read(_ id: [UInt8]) throws(SecretError) -> [UInt8]? {
        let descriptor = Glibc.open(file(id), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw failure(file(id)) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw failure(file(id)) }
        let digits = bytes[..<count].filter { $0 > UInt8(ascii: " ") }
        return Hex.decode(String(decoding: digits, as: UTF8.self)) ?? []
    }

    /// Keeps a wrapped key, on the disk when this returns.
    ///
    /// Throws `keyFolder`.
    public func write(_ wrapped: [UInt8], as id: [UInt8]) throws(SecretError) {
        let temporary = file(id) + ".new"
        let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(temporary) }
        defer { close(descriptor) }
        let text = Hex.digits(of: wrapped) + [UInt8(ascii: "\n")]
        guard Glibc.write(descriptor, text, text.count) == text.count, fsync(descriptor) == 0,
            rename(temporary, file(id)) == 0
        else { throw failure(temporary) }
        try syncFolder()
    }

    /// Removes a key; one that is not there is no mistake.
    ///
    /// Throws `keyFolder`.
    public func remove(_ id: [UInt8]) throws(SecretError) {
        guard unlink(file(id)) == 0 || errno == ENOENT else { throw failure(file(id)) }
        try syncFolder()
    }

    private func syncFolder() throws(SecretError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(path) }
    }

    private func file(_ id: [UInt8]) -> String { "\(path)/\(Hex.encode(id))" }

    private func failure(_ path: String) -> SecretError {
        .keyFolder(path: path, reason: String(cString: strerror(errno)).lowercased())
    }
}
