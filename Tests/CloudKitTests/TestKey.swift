import COpenSSL

/// A key pair of a test, and OpenSSL's verdict on signatures.
final class TestKey {
    /// How a private key is written.
    enum Form { case sec1, pkcs8, encryptedSEC1, encryptedPKCS8 }

    private let key: OpaquePointer

    /// Makes a key; `group` only for EC.
    init?(_ algorithm: String = "EC", group: String? = "P-256") {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, algorithm, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            group.map({ EVP_PKEY_CTX_set_group_name(context, $0) == 1 }) ?? true,
            EVP_PKEY_generate(context, &made) == 1, let made
        else { return nil }
        key = made
    }

    /// Reads a public key.
    init?(publicPEM pem: String) {
        // A BIO copies nothing: the text must last as long.
        let read = pem.withCString { text -> OpaquePointer? in
            guard let bio = BIO_new_mem_buf(text, Int32(pem.utf8.count)) else { return nil }
            defer { BIO_free(bio) }
            return PEM_read_bio_PUBKEY(bio, nil, nil, nil)
        }
        guard let read else { return nil }
        key = read
    }

    deinit { EVP_PKEY_free(key) }

    func pem(_ form: Form) -> String {
        written { bio in
            switch form {
            case .sec1: PEM_write_bio_PrivateKey_traditional(bio, key, nil, nil, 0, nil, nil)
            case .pkcs8: PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil)
            case .encryptedSEC1:
                PEM_write_bio_PrivateKey_traditional(
                    bio, key, EVP_aes_256_cbc(), "word", 4, nil, nil)
            case .encryptedPKCS8:
                PEM_write_bio_PKCS8PrivateKey(bio, key, EVP_aes_256_cbc(), "word", 4, nil, nil)
            }
        }
    }

    var publicPEM: String { written { PEM_write_bio_PUBKEY($0, key) } }

    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        defer { ERR_clear_error() }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    private func written(_ write: (OpaquePointer) -> Int32) -> String {
        guard let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        guard write(bio) == 1 else { return "" }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = BIO_read(bio, &bytes, Int32(bytes.count))
        return String(decoding: bytes.prefix(Int(max(count, 0))), as: UTF8.self)
    }
}

/// The bytes of a base64 text.
func decoded(base64 text: String) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: text.utf8.count)
    let count = EVP_DecodeBlock(&bytes, text, Int32(text.utf8.count))
    let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    return Array(bytes.prefix(max(0, Int(count) - padding)))
}
