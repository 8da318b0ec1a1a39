import Basics
import CSodium

/// The key that seals every secret, and the id by which a sealed one names it.
public struct SealingKey: Sendable {
    /// Bytes of a key.
    public static let bytesCount = SealedFormat.keyBytesCount
    static let idBytesCount = 8

    let value: SecretValue
    let idBytes: [UInt8]

    /// The first 8 bytes of the key's BLAKE2b-256, in hex: recognises a key, tells nothing of it.
    public var id: String { Hex.encode(idBytes) }

    /// Takes 32 bytes; throws `keyLength` for any other number of them.
    public init(_ value: SecretValue) throws(SecretError) {
        guard value.count == Self.bytesCount else { throw .keyLength(value.count) }
        try readySodium()
        var hash = [UInt8](repeating: 0, count: Int(crypto_generichash_BYTES))
        _ = crypto_generichash(&hash, hash.count, value.start, UInt64(value.count), nil, 0)
        self.value = value
        self.idBytes = Array(hash.prefix(Self.idBytesCount))
    }

    /// A new random key.
    public static func random() throws(SecretError) -> SealingKey {
        try readySodium()
        let value = SecretValue(count: bytesCount) { randombytes_buf($0, bytesCount) }
        return try SealingKey(value)
    }
}

/// Makes the library ready; it may be called any number of times, from any thread.
func readySodium() throws(SecretError) {
    guard sodium_init() >= 0 else { throw .libraryUnusable }
}
