internal import COpenSSL

/// Server-to-server signatures, checked for real.
enum CloudSignature {
    /// How far a signature's date may lie from now.
    static let window: Milliseconds = 600_000

    /// Whether this base64 of a DER signature is the key's over the message: ECDSA, SHA-256.
    static func isValid(_ signature: String, of message: String, publicKey pem: String) -> Bool {
        guard let bytes = Base64.bytes(of: signature), !bytes.isEmpty, let key = read(pem) else {
            return false
        }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        let text = Array(message.utf8)
        return EVP_DigestVerify(context, bytes, bytes.count, text, text.count) == 1
    }

    /// Whether this is a public key at all.
    static func isKey(_ pem: String) -> Bool {
        guard let key = read(pem) else { return false }
        EVP_PKEY_free(key)
        return true
    }

    private static func read(_ pem: String) -> OpaquePointer? {
        var text = Array(pem.utf8)
        if !pem.contains("-----BEGIN") {
            let begin = "-----BEGIN PUBLIC KEY-----\n"
            text = Array((begin + pem + "\n-----END PUBLIC KEY-----\n").utf8)
        }
        // A memory BIO copies nothing, so the text must outlive the reading.
        return text.withUnsafeBufferPointer { text in
            guard let memory = BIO_new_mem_buf(text.baseAddress, Int32(text.count)) else {
                return nil
            }
            defer { BIO_free(memory) }
            return PEM_read_bio_PUBKEY(memory, nil, nil, nil)
        }
    }

    /// Base64 of the SHA-256 of a body.
    static func hash(_ body: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        EVP_Digest(body, body.count, &digest, &length, EVP_sha256(), nil)
        return Base64.encode(digest)
    }
}
