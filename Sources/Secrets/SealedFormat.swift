import CSodium

/// What a sealed secret and its key are made of, in bytes.
enum SealedFormat {
    /// The version that this program writes and reads.
    static let version: UInt8 = 1
    /// Length of a key.
    static let keyBytesCount = Int(crypto_aead_xchacha20poly1305_ietf_KEYBYTES)
}
