import Basics
import CSodium

/// What seals for a tenant; anybody may have it.
public struct PublicKey: Sendable, Equatable {
    /// Of X25519, 32 bytes.
    public let bytes: [UInt8]
    /// By which a seal names it: the first 8 bytes of its BLAKE2b-256.
    public let id: [UInt8]

    /// Nil for another number of bytes than 32.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Int(crypto_box_PUBLICKEYBYTES) else { return nil }
        self.bytes = bytes
        id = bytes.withUnsafeBytes { fingerprint(of: $0) }
    }
}

/// The key pair of a tenant: whoever has the public half seals, and workers alone open.
public struct TenantKey: Sendable {
    private static let nonceCount = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
    private static let tagCount = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)
    private static let privateCount = Int(crypto_box_SECRETKEYBYTES)

    /// The half that seals.
    public let publicKey: PublicKey
    let privateKey: SecretValue

    private init(_ privateKey: SecretValue) throws(SecretError) {
        var bytes = [UInt8](repeating: 0, count: Int(crypto_box_PUBLICKEYBYTES))
        guard privateKey.count == Self.privateCount,
            crypto_scalarmult_base(&bytes, privateKey.start) == 0, let key = PublicKey(bytes)
        else { throw .keyLength(privateKey.count) }
        publicKey = key
        self.privateKey = privateKey
    }

    /// A new random pair.
    public static func random() throws(SecretError) -> TenantKey {
        try readySodium()
        return try TenantKey(
            SecretValue(count: privateCount) { randombytes_buf($0, privateCount) })
    }

    /// The private half, encrypted and bound to its tenant: nonce (24), ciphertext and tag (48).
    public func wrapped(by key: MasterKey, tenant: Int64) -> [UInt8] {
        var nonce = [UInt8](repeating: 0, count: Self.nonceCount)
        randombytes_buf(&nonce, nonce.count)
        let bound = Self.boundBytes(tenant, publicKey.id)
        var box = [UInt8](repeating: 0, count: Self.privateCount + Self.tagCount)
        _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
            &box, nil, privateKey.start, UInt64(privateKey.count), bound, UInt64(bound.count), nil,
            nonce, key.value.start)
        return nonce + box
    }

    /// Decrypts what `wrapped` has made of the key of that id.
    ///
    /// Throws `keyTampered` when it was changed, or is another tenant's or another key's.
    public init(
        unwrapping wrapped: [UInt8], by key: MasterKey, id: [UInt8], tenant: Int64
    ) throws(SecretError) {
        guard wrapped.count == Self.nonceCount + Self.privateCount + Self.tagCount else {
            throw .keyTampered(id: Hex.encode(id))
        }
        let nonce = Array(wrapped[..<Self.nonceCount])
        let box = Array(wrapped[Self.nonceCount...])
        let bound = Self.boundBytes(tenant, id)
        let value = try SecretValue(count: Self.privateCount) { plain throws(SecretError) in
            let result = crypto_aead_xchacha20poly1305_ietf_decrypt(
                plain, nil, nil, box, UInt64(box.count), bound, UInt64(bound.count), nonce,
                key.value.start)
            guard result == 0 else { throw .keyTampered(id: Hex.encode(id)) }
        }
        try self.init(value)
        guard publicKey.id == id else { throw .keyTampered(id: Hex.encode(id)) }
    }

    private static func boundBytes(_ tenant: Int64, _ id: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: tenant.bigEndian) { Array($0) } + id
    }
}
