internal import CSodium

/// 16 bytes of BLAKE2b (RFC 7693), which is several times as fast as SHA-256.
public func blake2b(_ bytes: [UInt8]) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: Int(crypto_generichash_BYTES_MIN))
    _ = crypto_generichash(&hash, hash.count, bytes, UInt64(bytes.count), nil, 0)
    return hash
}
