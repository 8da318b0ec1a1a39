import Basics
import CSodium
import Telemetry

@testable import Secrets

extension FuzzTarget {
    private static let tenant = try? TenantKey.random()

    /// Seals: bytes as they are, behind the key's own name, and what somebody has sealed in a box that opens.
    static let seal = FuzzTarget(name: "seal") { bytes in
        guard let tenant else { throw Broken(description: "there is no key") }
        let key = tenant.publicKey
        try checkOpening(bytes, tenant)
        try checkOpening([Seal.version] + key.id + bytes, tenant)
        var box = [UInt8](repeating: 0, count: bytes.count + Int(crypto_box_sealbytes()))
        crypto_box_seal(&box, bytes, UInt64(bytes.count), key.bytes)
        let sealed = [Seal.version] + key.id + box
        if let opened = try checkOpening(sealed, tenant) {
            let end = bytes.firstIndex(of: 0x0a) ?? 0
            try expect(
                opened.secret.withBytes { $0.elementsEqual(bytes[(end + 1)...]) },
                "the secret is another one")
        }
        let again = try? Seal.again(sealed, named: "token", from: tenant, to: key)
        try expect((again == nil) == bytes.isEmpty, "a box is sealed again that has not the form")
        let master = try MasterKey.random()
        let wrapped = try? TenantKey(unwrapping: bytes, by: master, id: key.id, tenant: 1)
        try expect(wrapped == nil, "a key unwraps that nobody has wrapped")
    }

    /// The form and the opening agree; what opens is sealed anew and is the same.
    @discardableResult
    private static func checkOpening(
        _ sealed: [UInt8], _ tenant: TenantKey
    ) throws -> (secret: SecretValue, place: SecretPlace)? {
        let id = Seal.keyID(of: sealed)
        do throws(SecretError) {
            let opened = try Seal.open(sealed, named: "token", with: tenant)
            let anew = try Seal.make(opened.secret, for: opened.place, with: tenant.publicKey)
            let again = try Seal.open(anew, named: "token", with: tenant)
            guard id == tenant.publicKey.id, again.place == opened.place else {
                throw .wrongKey(wrappedBy: "", have: [])
            }
            return opened
        } catch {
            try expectLine(error.description)
            switch error {
            case .notSealed: try expect(id == nil, "it has the form and is told to have it not")
            case .tampered: try expect(id != nil, "it opens by its form alone")
            // A line that is escaped less than ours was may grow.
            case .placeTooLong: break
            default: throw Broken(description: "sealed anew it is of another place")
            }
            return nil
        }
    }

    /// A private key as a person pastes it: it signs, or is none.
    static let key = FuzzTarget(name: "key") { bytes in
        var bytes = bytes
        let labels = ["", "EC PRIVATE KEY", "PRIVATE KEY", "RSA PRIVATE KEY", "EC PARAMETERS"]
        let label = labels[bytes.takeChoice() % labels.count]
        // No key stands in a file of this repository: what is kept is what a PEM holds.
        let pem =
            label.isEmpty
            ? bytes.text
            : "-----BEGIN \(label)-----\n\(lines(Base64.encode(bytes)))\n-----END \(label)-----\n"
        guard let key = SigningKey(pem: pem, kinds: [.p256, .rsa]) else { return }
        let signature = key.joseSignature(of: Array("message".utf8))
        try expect(
            key.kind == .rsa || signature.map { $0.count == 64 } ?? true, "a signature is cut")
    }

    /// As PEM has base64: OpenSSL reads no longer lines.
    private static func lines(_ text: String) -> String {
        stride(from: 0, to: text.utf8.count, by: 64)
            .map { String(text.dropFirst($0).prefix(64)) }.joined(separator: "\n")
    }

    private static let secrets = ["hunter2hunter2", "p\u{e4}ss/w+rd \"x\"&y=1"].map {
        Array($0.utf8)
    }
    private static let redaction = Redactor(secrets: secrets)

    /// What a source repeats: no secret is left in it, and it is one line.
    static let redactor = FuzzTarget(name: "redactor") { bytes in
        for secret in secrets {
            let middle = bytes.count / 2
            for text in [bytes, bytes[..<middle] + secret + bytes[middle...]] {
                let told = redaction.sanitised(bytes: text)
                try expectLine(told + ".")
                try expect(told.utf8.count <= Redactor.sanitisedBytesMax, "it is too long")
                try expect(told.utf8.firstRange(of: secret) == nil, "a secret is told")
                try expect(!redaction.finds(in: redaction.redacted(text.text)), "a secret is left")
            }
        }
    }
}
