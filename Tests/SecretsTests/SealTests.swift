import Basics
import CSodium
import Testing

@testable import Secrets

private let place = SecretPlace(
    user: "ann", name: "token", origins: ["https://api.example.com", "https://login.example.com"])

private func value(_ text: String) -> SecretValue { SecretValue(Array(text.utf8)) }

private func text(_ value: SecretValue) -> String {
    value.withBytes { String(decoding: $0, as: UTF8.self) }
}

private func failure(_ body: () throws -> Void) -> SecretError? {
    do {
        try body()
        return nil
    } catch { return error as? SecretError }
}

@Suite struct SealTests {
    let key: TenantKey

    init() throws { key = try TenantKey.random() }

    @Test(arguments: ["", "a", "hunter2", "two\nlines\n", String(repeating: "é\u{0}", count: 5000)])
    func `what was sealed opens with its place`(secret: String) throws {
        let sealed = try Seal.make(value(secret), for: place, with: key.publicKey)
        let opened = try Seal.open(sealed, named: "token", with: key)
        #expect(text(opened.secret) == secret)
        #expect(opened.place == place)
    }

    @Test(arguments: [
        SecretPlace(user: nil, name: "token", origins: []),
        SecretPlace(user: "*", name: "token", origins: ["x"], broughtBy: "app.tokens.token"),
        SecretPlace(user: "a\n\"b", name: "caf\u{e9}", origins: ["https://a.example"]),
    ])
    func `a place stands in the seal as it was said`(place: SecretPlace) throws {
        let sealed = try Seal.make(value("x"), for: place, with: key.publicKey)
        #expect(try Seal.open(sealed, named: place.name, with: key).place == place)
    }

    @Test func `a seal starts with version and key id, and is never the same twice`() throws {
        let one = try Seal.make(value("hunter2"), for: place, with: key.publicKey)
        #expect(one[0] == 2)
        #expect(Array(one[1..<9]) == key.publicKey.id)
        #expect(Seal.keyID(of: one) == key.publicKey.id)
        #expect(one != (try Seal.make(value("hunter2"), for: place, with: key.publicKey)))
    }

    @Test func `a seal with any bit changed doesn't open`() throws {
        let sealed = try Seal.make(value("hunter2"), for: place, with: key.publicKey)
        for index in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[index] ^= 1 << bit
                let error = failure { _ = try Seal.open(changed, named: "token", with: key) }
                switch (index, error) {
                case (0, .notSealed), (1..., .tampered): break
                default: Issue.record("byte \(index), bit \(bit): \(String(describing: error))")
                }
            }
        }
    }

    @Test func `a seal cut off or lengthened anywhere doesn't open`() throws {
        let sealed = try Seal.make(value("hunter2"), for: place, with: key.publicKey)
        for count in 0..<sealed.count {
            let cut = Array(sealed.prefix(count))
            #expect(failure { _ = try Seal.open(cut, named: "token", with: key) } != nil)
        }
        #expect(failure { _ = try Seal.open(sealed + [0], named: "token", with: key) } != nil)
    }

    @Test func `another tenant's key opens nothing, whatever id the seal names`() throws {
        let other = try TenantKey.random()
        var sealed = try Seal.make(value("hunter2"), for: place, with: key.publicKey)
        sealed.replaceSubrange(1..<9, with: other.publicKey.id)
        #expect(
            failure { _ = try Seal.open(sealed, named: "token", with: other) }
                == .tampered(name: "token"))
    }

    /// What an application may write by mistake in front of its secret.
    @Test(arguments: [
        "", "secret", "{}\nx", #"{"user":"ann","name":"token"}"# + "\nx",
        #"{"user":1,"name":"token","origins":[]}"# + "\nx",
        #"{"user":"ann","name":"token","origins":[1]}"# + "\nx",
        #"{"user":"ann","name":"token","origins":[],"until":"2027"}"# + "\nx",
        String(repeating: " ", count: 5000) + #"{"user":"ann","name":"token","origins":[]}"#
            + "\nx",
    ])
    func `a box that says nothing of its place is refused`(plain: String) throws {
        var box = [UInt8](repeating: 0, count: plain.utf8.count + 48)
        let bytes = Array(plain.utf8)
        _ = crypto_box_seal(&box, bytes, UInt64(bytes.count), key.publicKey.bytes)
        let sealed = [2] + key.publicKey.id + box
        #expect(failure { _ = try Seal.open(sealed, named: "token", with: key) } != nil)
    }

    @Test func `names and origins have a limit, and a secret has its own`() throws {
        let long = SecretPlace(
            user: "ann", name: "token",
            origins: (0..<200).map { "https://\($0).a-rather-long-name.example.com" })
        #expect(
            failure { _ = try Seal.make(value("x"), for: long, with: key.publicKey) }
                == .placeTooLong(name: "token"))
    }

    @Test func `the same secret sealed anew opens with the new key alone`() throws {
        let new = try TenantKey.random()
        let sealed = try Seal.make(value("hunter2"), for: place, with: key.publicKey)
        let again = try Seal.again(sealed, named: "token", from: key, to: new.publicKey)
        #expect(text(try Seal.open(again, named: "token", with: new).secret) == "hunter2")
        #expect(try Seal.open(again, named: "token", with: new).place == place)
        #expect(failure { _ = try Seal.open(again, named: "token", with: key) } != nil)
    }
}

@Suite struct TenantKeyTests {
    @Test func `a wrapped key unwraps for its tenant, by its key, and for nobody else`() throws {
        let (master, other) = (try MasterKey.random(), try MasterKey.random())
        let key = try TenantKey.random()
        let id = key.publicKey.id
        let wrapped = key.wrapped(by: master, tenant: 7)
        #expect(wrapped.count == 72)
        #expect(
            try TenantKey(unwrapping: wrapped, by: master, id: id, tenant: 7).publicKey
                == key.publicKey)
        let tampered = SecretError.keyTampered(id: Hex.encode(id))
        #expect(throws: tampered) {
            try TenantKey(unwrapping: wrapped, by: master, id: id, tenant: 8)
        }
        #expect(throws: tampered) {
            try TenantKey(unwrapping: wrapped, by: other, id: id, tenant: 7)
        }
        #expect(throws: SecretError.self) {
            try TenantKey(
                unwrapping: wrapped, by: master, id: [UInt8](repeating: 1, count: 8), tenant: 7)
        }
        for count in 0..<wrapped.count {
            #expect(throws: tampered) {
                try TenantKey(
                    unwrapping: Array(wrapped.prefix(count)), by: master, id: id, tenant: 7)
            }
        }
    }

    @Test func `a ring wraps with its newest key and unwraps with all`() throws {
        let (old, new) = (try MasterKey.random(), try MasterKey.random())
        let before = KeyKeeper(ring: KeyRing(old))
        let made = try before.make(tenant: 1)
        let ring = KeyKeeper(ring: KeyRing(new, older: [old]))
        let key = try ring.unwrap(
            id: made.key.id, wrapped: made.wrapped, wrappedBy: made.wrappedBy, tenant: 1)
        #expect(key.publicKey == made.key)
        #expect(try ring.make(tenant: 1).wrappedBy == new.idBytes)
        #expect(
            throws: SecretError.wrongKey(wrappedBy: old.id, have: [new.id])
        ) {
            try KeyKeeper(ring: KeyRing(new)).unwrap(
                id: made.key.id, wrapped: made.wrapped, wrappedBy: made.wrappedBy, tenant: 1)
        }
    }

    @Test func `a key has 32 bytes`() {
        for count in [0, 31, 33] {
            #expect(throws: SecretError.keyLength(count)) {
                try MasterKey(SecretValue([UInt8](repeating: 1, count: count)))
            }
        }
    }
}
