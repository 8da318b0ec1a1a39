import Basics
import CSodium

/// Whose secret it is: a sealed value opens in its own place only.
public struct SecretOwner: Sendable, Equatable {
    /// `tenants.id`.
    public var tenantID: Int64
    /// `users.id`; 0 for a secret of the tenant itself.
    public var userID: Int64
    /// Name of the secret, compared byte by byte.
    public var name: String

    /// Names the place of a secret.
    public init(tenantID: Int64, userID: Int64, name: String) {
        self.tenantID = tenantID
        self.userID = userID
        self.name = name
    }
}

/// Seals secrets for their table with XChaCha20-Poly1305, whose nonces may be random.
///
/// A sealed value is `version (1) ‖ key id (8) ‖ nonce (24) ‖ ciphertext and tag (length + 16)`. What
/// it is bound to is `version ‖ tenant (8) ‖ user (8) ‖ name ‖ key id (8)`, big-endian; the name alone
/// has no fixed length, so no two places give the same bytes.
public struct Sealer: Sendable {
    /// The format version this program writes and reads.
    public static let version = SealedFormat.version

    private static let nonceCount = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
    private static let tagCount = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)
    private static let headerCount = 1 + SealingKey.idBytesCount
    /// How many bytes sealing adds.
    public static let overheadBytes = headerCount + nonceCount + tagCount

    private let key: SealingKey

    /// Seals and opens with this key.
    public init(key: SealingKey) {
        self.key = key
    }

    /// Id of the key in use.
    public var keyID: String { key.id }

    /// Seals the bytes for their place; twice the same gives two different values.
    public func seal(_ plaintext: SecretValue, for owner: SecretOwner) -> [UInt8] {
        var nonce = [UInt8](repeating: 0, count: Self.nonceCount)
        randombytes_buf(&nonce, nonce.count)
        let bound = boundBytes(owner)
        var box = [UInt8](repeating: 0, count: plaintext.count + Self.tagCount)
        _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
            &box, nil, plaintext.start, UInt64(plaintext.count), bound, UInt64(bound.count), nil,
            nonce, key.value.start)
        return [Self.version] + key.idBytes + nonce + box
    }

    /// Opens a sealed value in its place.
    ///
    /// Throws `unknownVersion`, `truncated`, `wrongKey` (told from the key's id, without trying) or
    /// `tampered`.
    public func open(
        _ sealed: [UInt8], for owner: SecretOwner
    ) throws(SecretError) -> SecretValue {
        guard let version = sealed.first else { throw .truncated(bytes: 0) }
        guard version == Self.version else { throw .unknownVersion(version) }
        guard sealed.count >= Self.overheadBytes else { throw .truncated(bytes: sealed.count) }
        let id = sealed[1..<Self.headerCount]
        guard id.elementsEqual(key.idBytes) else {
            throw .wrongKey(sealedWith: Hex.encode(id), have: key.id)
        }
        let nonce = Array(sealed[Self.headerCount..<Self.headerCount + Self.nonceCount])
        let box = Array(sealed[(Self.headerCount + Self.nonceCount)...])
        let bound = boundBytes(owner)
        return try SecretValue(count: box.count - Self.tagCount) { plain throws(SecretError) in
            let result = crypto_aead_xchacha20poly1305_ietf_decrypt(
                plain, nil, nil, box, UInt64(box.count), bound, UInt64(bound.count), nonce,
                key.value.start)
            guard result == 0 else { throw .tampered(name: owner.name) }
        }
    }

    private func boundBytes(_ owner: SecretOwner) -> [UInt8] {
        [Self.version] + bigEndian(owner.tenantID) + bigEndian(owner.userID)
            + Array(owner.name.utf8) + key.idBytes
    }
}

private func bigEndian(_ number: Int64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
}
