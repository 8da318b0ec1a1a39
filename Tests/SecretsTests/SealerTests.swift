import Basics
import Testing

@testable import Secrets

private let owner = SecretOwner(tenantID: 1, userID: 2, name: "token")

private func value(_ text: String) -> SecretValue { SecretValue(Array(text.utf8)) }

private func text(_ value: SecretValue) -> String {
    value.withBytes { String(decoding: $0, as: UTF8.self) }
}

private func failure(_ body: () throws(SecretError) -> SecretValue) -> SecretError? {
    do throws(SecretError) {
        _ = try body()
        return nil
    } catch { return error }
}

@Suite struct SealerTests {
    let sealer: Sealer

    init() throws { sealer = Sealer(key: try SealingKey.random()) }

    @Test(arguments: ["", "a", "hunter2", String(repeating: "é\u{0}", count: 5000)])
    func `what was sealed opens for its owner`(secret: String) throws {
        let sealed = sealer.seal(value(secret), for: owner)
        #expect(sealed.count == secret.utf8.count + Sealer.overheadBytes)
        #expect(text(try sealer.open(sealed, for: owner)) == secret)
    }

    @Test func `a sealed value starts with version and key id, and is never the same twice`() {
        let one = sealer.seal(value("hunter2"), for: owner)
        #expect(one[0] == 1)
        #expect(Hex.encode(one[1..<9]) == sealer.keyID)
        #expect(one != sealer.seal(value("hunter2"), for: owner))
    }

    @Test(arguments: [
        SecretOwner(tenantID: 3, userID: 2, name: "token"),
        SecretOwner(tenantID: 1, userID: 3, name: "token"),
        SecretOwner(tenantID: 2, userID: 1, name: "token"),
        SecretOwner(tenantID: 1, userID: 2, name: "tokem"),
        SecretOwner(tenantID: 1, userID: 2, name: "token2"),
        SecretOwner(tenantID: 1, userID: 2, name: ""),
        SecretOwner(tenantID: 1, userID: 0, name: "token"),
        SecretOwner(tenantID: -1, userID: 2, name: "token"),
    ])
    func `a value copied to another owner doesn't open`(other: SecretOwner) {
        let sealed = sealer.seal(value("hunter2"), for: owner)
        #expect(
            failure { () throws(SecretError) in try sealer.open(sealed, for: other) }
                == .tampered(name: other.name))
    }

    @Test func `names that only look alike are different places`() {
        let composed = SecretOwner(tenantID: 1, userID: 2, name: "caf\u{e9}")
        let decomposed = SecretOwner(tenantID: 1, userID: 2, name: "cafe\u{301}")
        let sealed = sealer.seal(value("hunter2"), for: composed)
        #expect(
            failure { () throws(SecretError) in try sealer.open(sealed, for: decomposed) } != nil)
    }

    @Test func `a value with any bit changed doesn't open`() {
        let sealed = sealer.seal(value("hunter2"), for: owner)
        for index in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[index] ^= 1 << bit
                let error = failure { () throws(SecretError) in try sealer.open(changed, for: owner)
                }
                switch (index, error) {
                case (0, .unknownVersion), (1..<9, .wrongKey), (9..., .tampered): break
                default: Issue.record("byte \(index), bit \(bit): \(String(describing: error))")
                }
            }
        }
    }

    @Test func `a value cut off or lengthened anywhere doesn't open`() {
        let sealed = sealer.seal(value("hunter2"), for: owner)
        for count in 0..<sealed.count {
            let cut = Array(sealed.prefix(count))
            let error = failure { () throws(SecretError) in try sealer.open(cut, for: owner) }
            let isShort = count < Sealer.overheadBytes
            #expect(error == (isShort ? .truncated(bytes: count) : .tampered(name: "token")))
        }
        #expect(
            failure { () throws(SecretError) in try sealer.open(sealed + [0], for: owner) } != nil)
    }

    @Test func `a wrong key is told by the ids of both keys`() throws {
        let other = Sealer(key: try SealingKey.random())
        let sealed = other.seal(value("hunter2"), for: owner)
        let error = failure { () throws(SecretError) in try sealer.open(sealed, for: owner) }
        #expect(error == .wrongKey(sealedWith: other.keyID, have: sealer.keyID))
        #expect(
            error?.description == "the secret was sealed with key \(other.keyID), but the key file "
                + "holds key \(sealer.keyID)")
    }

    @Test func `a key has 32 bytes`() {
        for count in [0, 31, 33] {
            #expect(throws: SecretError.keyLength(count)) {
                try SealingKey(SecretValue([UInt8](repeating: 1, count: count)))
            }
        }
    }
}

private struct Holder {
    let name = "token"
    let secret: SecretValue
    let key: SealingKey?
}

@Suite struct SecretValueTests {
    @Test func `a secret never prints`() throws {
        let bytes = Array("hunter2-hunter2-hunter2-hunter2-".utf8)
        let secret = SecretValue(bytes)
        let holder = Holder(secret: secret, key: try SealingKey(secret))
        var dumped = ""
        dump(holder, to: &dumped)
        dump([secret], to: &dumped)
        let printed = [
            "\(secret)", String(describing: secret), String(reflecting: secret), "\([secret])",
            "\(Optional(secret) as Any)", "\(holder)", String(reflecting: holder), dumped,
            "\(["key": secret])", "\(Mirror(reflecting: secret).children.map { $0 })",
        ]
        for text in printed {
            #expect(!text.contains("hunter2"))
            #expect(!text.contains("104, 117"))
            #expect(!text.contains("0x"), "an address of the secret")
        }
        #expect("\(secret)" == "•••")
        #expect(Mirror(reflecting: secret).children.isEmpty)
        #expect(!((secret as Any) is any Encodable))
    }

    @Test func `a secret lends exactly its bytes`() {
        let secret = SecretValue([1, 2, 3])
        #expect(secret.count == 3)
        #expect(secret.withBytes { Array($0) } == [1, 2, 3])
    }
}
