import Basics
import COpenSSL

/// A private key on curve P-256, held for one signature.
///
/// Reading a PEM takes 0.2 ms and a signature 0.03 ms, little beside any request, so that no key is
/// kept between two. Asking OpenSSL for any sort of key takes 0.5 ms.
struct PrivateKey: ~Copyable {
    private let key: OpaquePointer

    /// Reads a PEM in SEC1 or PKCS#8 form; nil when it is no such key, of another curve, or encrypted.
    init?(pem: String) {
        guard let read = Self.read(pem) else { return nil }
        guard Self.isP256(read) else {
            EVP_PKEY_free(read)
            return nil
        }
        key = read
    }

    deinit { EVP_PKEY_free(key) }

    /// The DER form of an ECDSA signature of the message's SHA-256; nil when OpenSSL can't.
    func signature(of message: [UInt8]) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else { return nil }
        var count = Int(EVP_PKEY_get_size(key))
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else {
            return nil
        }
        return Array(signature.prefix(count))
    }

    /// The key of the first block that is one: parameters of its curve may stand before it.
    private static func read(_ pem: String) -> OpaquePointer? {
        // A failed reading leaves a note in the thread's queue, for whoever asks there next.
        defer { ERR_clear_error() }
        var pem = pem
        return pem.withUTF8 { text in
            guard let bio = BIO_new_mem_buf(text.baseAddress, Int32(clamping: text.count)) else {
                return nil
            }
            defer { BIO_free(bio) }
            while let block = Block(bio) {
                if let key = block.key() { return key }
            }
            return nil
        }
    }

    private static func isP256(_ key: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard EVP_PKEY_is_a(key, "EC") == 1,
            EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1
        else { return false }
        return name.prefix(count).elementsEqual("prime256v1".utf8.map { CChar($0) })
    }
}

/// One block of a PEM, still as it is written: OpenSSL would ask the terminal for a pass phrase.
private struct Block: ~Copyable {
    private var name: UnsafeMutablePointer<CChar>?
    private var header: UnsafeMutablePointer<CChar>?
    private var bytes: UnsafeMutablePointer<UInt8>?
    private var count = 0

    /// Reads the next block; nil when there is none.
    init?(_ bio: OpaquePointer) {
        guard PEM_read_bio(bio, &name, &header, &bytes, &count) == 1 else { return nil }
    }

    deinit {
        CRYPTO_free(name, nil, 0)
        CRYPTO_free(header, nil, 0)
        CRYPTO_clear_free(bytes, count, nil, 0)
    }

    /// The private key of an EC block; nil when it holds none.
    func key() -> OpaquePointer? {
        let structures = ["EC PRIVATE KEY": "type-specific", "PRIVATE KEY": "PrivateKeyInfo"]
        guard let name, let structure = structures[String(cString: name)] else { return nil }
        var key: OpaquePointer?
        // The decoder copies none of these: they must last until its last use.
        return "DER".withCString { form in
            structure.withCString { structure in
                withUnsafeMutablePointer(to: &key) { decoded(form, structure, $0) }
            }
        }
    }

    private func decoded(
        _ form: UnsafePointer<CChar>, _ structure: UnsafePointer<CChar>,
        _ key: UnsafeMutablePointer<OpaquePointer?>
    ) -> OpaquePointer? {
        let decoder = OSSL_DECODER_CTX_new_for_pkey(
            key, form, structure, "EC", OSSL_KEYMGMT_SELECT_PRIVATE_KEY, nil, nil)
        guard let decoder else { return nil }
        defer { OSSL_DECODER_CTX_free(decoder) }
        var start = UnsafePointer(bytes)
        var left = count
        return OSSL_DECODER_from_data(decoder, &start, &left) == 1 ? key.pointee : nil
    }
}

/// SHA-256 in base64; nil when OpenSSL can't.
func hash(_ bytes: [UInt8]) -> String? {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard EVP_Digest(bytes, bytes.count, &digest, &count, EVP_sha256(), nil) == 1 else {
        return nil
    }
    return Base64.encode(Array(digest.prefix(Int(count))))
}
