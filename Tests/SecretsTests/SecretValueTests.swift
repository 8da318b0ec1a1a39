import Testing

@testable import Secrets

private struct Holder {
    let name = "token"
    let secret: SecretValue
    let key: MasterKey?
}

@Suite struct SecretValueTests {
    @Test func `a secret never prints`() throws {
        let bytes = Array("hunter2-hunter2-hunter2-hunter2-".utf8)
        let secret = SecretValue(bytes)
        let holder = Holder(secret: secret, key: try MasterKey(secret))
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
