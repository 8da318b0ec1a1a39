import Basics
import Foundation
import Testing

@Suite struct EncodingTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ]) func `base64 is what RFC 4648 has in its section 10`(plain: String, encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
    }

    @Test func `base64 of any bytes is what Foundation makes of them`() {
        var random = SplitMix(seed: 1)
        for count in 0...100 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = Data(bytes).base64EncodedString()
            #expect(Base64.encode(bytes) == text)
            let digits = String(decoding: Base64.digits(of: bytes), as: UTF8.self)
            #expect(digits == text.replacingOccurrences(of: "=", with: ""))
        }
    }

    @Test func `hexadecimal digits give every byte back, in either case`() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = Hex.encode(bytes)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff") && text.utf8.count == 512)
        #expect(Hex.decode(text) == bytes)
        #expect(Hex.decode(text.uppercased()) == bytes)
        #expect(Hex.decode("") == [])
    }

    @Test(arguments: ["0", "0g", "g0", "000", " 00", "0x00", "é1", "/0", ":0", "@0", "`0"])
    func `what is no pairs of digits is no bytes`(text: String) {
        #expect(Hex.decode(text) == nil)
    }
}
