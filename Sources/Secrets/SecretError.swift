/// Why a key or a secret can't be used; each is one line and none holds a secret.
public enum SecretError: Error, Equatable, Sendable {
    /// The key file can't be opened, read or written; `reason` is the system's.
    case keyFileUnusable(path: String, reason: String)
    /// The path is a directory, device, pipe or socket.
    case keyFileNotRegular(path: String)
    /// The file belongs to somebody who could change it under us, or is open to others.
    case keyFileUnfit(path: String, SecretFile.Fault)
    /// The file doesn't hold 32 bytes in hex or base64.
    case keyFileContent(path: String, reason: String)
    /// A key has another length than 32 bytes.
    case keyLength(Int)
    /// The value was changed, or copied from another tenant.
    case tampered(name: String)
    /// The value has not the form of a seal.
    case notSealed(name: String)
    /// The wrapped key of a tenant was changed, or copied from another tenant.
    case keyTampered(id: String)
    /// The key file lacks the key that has wrapped a tenant's.
    case wrongKey(wrappedBy: String, have: [String])
    /// The key of a tenant is neither in the database nor where keys are kept outside of it, if they are.
    case keyLost(id: String, isKept: Bool)
    /// The folder of the tenants' keys can't be read or written; `reason` is the system's.
    case keyFolder(path: String, reason: String)
    /// The program that keeps the tenants' keys did not do what it was called for.
    case keyCommand(program: String, verb: String, reason: String)
    /// Names and origins are too long to be sealed with the secret.
    case placeTooLong(name: String)
    /// The system gives no thread to wait for the tenants' keys on.
    case noThread
    /// libsodium can't start.
    case libraryUnusable
}

extension SecretError: CustomStringConvertible {
    /// One line saying what is wrong and, where that is known, what would be right.
    public var description: String {
        switch self {
        case .keyFileUnusable(let path, let reason): "key file \(path): \(reason)"
        case .keyFileNotRegular(let path): "key file \(path) is not a regular file"
        case .keyFileUnfit(let path, let fault): "key file \(fault.words(path))"
        case .keyFileContent(let path, let reason):
            "key file \(path) \(reason); expected 32 bytes as 64 hex digits or in base64, a key a line, the newest last"
        case .keyLength(let count):
            "a key has \(count) bytes; expected \(MasterKey.bytesCount)"
        case .tampered(let name):
            "the sealed secret \(name) doesn't open: it was changed, or copied from another tenant"
        case .notSealed(let name): "what is stored as secret \(name) is no seal"
        case .keyTampered(let id):
            "the tenant's key \(id) doesn't unwrap: it was changed, or copied from another tenant"
        case .wrongKey(let wrappedBy, let have):
            "the tenant's key is wrapped by key \(wrappedBy), but the key file holds"
                + " \(have.joined(separator: ", "))"
        case .keyLost(let id, true):
            "the tenant's key \(id) is not where JOBRUNNER_KEY_FOLDER or JOBRUNNER_KEY_COMMAND keeps keys"
        case .keyLost(let id, false):
            "the tenant's key \(id) is kept outside of the database, and neither JOBRUNNER_KEY_FOLDER nor"
                + " JOBRUNNER_KEY_COMMAND is set"
        case .keyFolder(let path, let reason): "folder of the tenants' keys: \(path): \(reason)"
        case .keyCommand(let program, let verb, let reason):
            "the program that keeps the tenants' keys: \(program) \(verb): \(reason)"
        case .placeTooLong(let name):
            "the names and origins of secret \(name) are longer than 4 KiB together"
        case .noThread: "the tenants' keys can't be read: no thread is left"
        case .libraryUnusable: "libsodium can't start"
        }
    }
}
