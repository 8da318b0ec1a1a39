import Basics
import CSodium

/// A key of the key file: it wraps the keys of tenants, and seals nothing itself.
public struct MasterKey: Sendable {
    /// Bytes of a key.
    public static let bytesCount = 32
    static let idBytesCount = 8

    let value: SecretValue
    /// The first 8 bytes of the key's BLAKE2b-256: recognises a key, tells nothing of it.
    public let idBytes: [UInt8]

    /// `idBytes` in hex.
    public var id: String { Hex.encode(idBytes) }

    /// Takes 32 bytes; throws `keyLength` for any other number of them.
    public init(_ value: SecretValue) throws(SecretError) {
        guard value.count == Self.bytesCount else { throw .keyLength(value.count) }
        try readySodium()
        self.value = value
        idBytes = value.withBytes { fingerprint(of: $0) }
    }

    /// A new random key.
    public static func random() throws(SecretError) -> MasterKey {
        try readySodium()
        let value = SecretValue(count: bytesCount) { randombytes_buf($0, bytesCount) }
        return try MasterKey(value)
    }
}

/// The keys of a key file: the newest wraps, and each unwraps what it has wrapped.
public struct KeyRing: Sendable {
    private let keys: [MasterKey]

    /// The last of the file.
    public let newest: MasterKey

    /// `older` in the order of the file.
    public init(_ newest: MasterKey, older: [MasterKey] = []) {
        self.newest = newest
        keys = older + [newest]
    }

    /// The key of that id; nil when the file has it not.
    public func key(_ id: [UInt8]) -> MasterKey? { keys.first { $0.idBytes == id } }

    /// Ids of all, in hex.
    public var ids: [String] { keys.map(\.id) }
}

/// The first bytes of a BLAKE2b-256 hash.
func fingerprint(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: Int(crypto_generichash_BYTES))
    _ = crypto_generichash(
        &hash, hash.count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
        UInt64(bytes.count), nil, 0)
    return Array(hash.prefix(MasterKey.idBytesCount))
}

/// Makes the library ready; it may be called any number of times, from any thread.
func readySodium() throws(SecretError) {
    guard sodium_init() >= 0 else { throw .libraryUnusable }
}
