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
    /// The value was sealed with another key.
    case wrongKey(sealedWith: String, have: String)
    /// The value was changed, or copied from another tenant, user or name.
    case tampered(name: String)
    /// The value is shorter than any sealed value.
    case truncated(bytes: Int)
    /// The value was sealed by a later version of the program, or isn't sealed at all.
    case unknownVersion(UInt8)
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
            "key file \(path) \(reason); expected 32 bytes as 64 hex digits or in base64"
        case .keyLength(let count):
            "a key has \(count) bytes; expected \(SealedFormat.keyBytesCount)"
        case .wrongKey(let sealedWith, let have):
            "the secret was sealed with key \(sealedWith), but the key file holds key \(have)"
        case .tampered(let name):
            "the sealed secret \(name) doesn't open: it was changed, or copied from another"
                + " tenant, user or name"
        case .truncated(let bytes): "a sealed secret of \(bytes) bytes is cut off"
        case .unknownVersion(let version):
            "a sealed secret has format version \(version); expected \(SealedFormat.version)"
        case .libraryUnusable: "libsodium can't start"
        }
    }
}
