import JSON
import Testing

/// Bombs cost no more than their bytes.
@Suite struct Limits {
    private func nested(_ depth: Int) -> [UInt8] {
        Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }

    @Test func `depth 64 is accepted and 65 is not`() throws {
        _ = try JSONDocument(parsing: nested(64))
        let error = #expect(throws: JSONError.self) { try JSONDocument(parsing: nested(65)) }
        #expect(error == JSONError("nested deeper than 64", at: 64))
    }

    @Test func `a million open brackets are refused at the limit`() {
        let bomb = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        let error = #expect(throws: JSONError.self) {
            try JSONDocument(parsing: bomb, limits: JSONLimits(depth: .max))
        }
        #expect(error?.offset == JSONLimits.depthMax)
    }

    @Test(arguments: ["a", "é", "\\n"])
    func `a string of exactly the limit is accepted and one byte more is not`(unit: String) throws {
        let limits = JSONLimits(stringBytes: 4096)
        let content = String(repeating: unit, count: 4096 / unit.utf8.count)
        let document = try JSONDocument(parsing: Array("\"\(content)\"".utf8), limits: limits)
        #expect(document.root.rawBytes.count == 4096 + 2)
        let error = #expect(throws: JSONError.self) {
            try JSONDocument(parsing: Array("\"\(content)a\"".utf8), limits: limits)
        }
        #expect(error == JSONError("string of more than 4096 bytes", at: 0))
    }

    @Test func `a number of exactly the limit is accepted and one digit more is not`() throws {
        _ = try JSONDocument(parsing: [UInt8](repeating: UInt8(ascii: "9"), count: 64))
        let error = #expect(throws: JSONError.self) {
            try JSONDocument(parsing: [UInt8](repeating: UInt8(ascii: "9"), count: 65))
        }
        #expect(error == JSONError("number of more than 64 bytes", at: 0))
    }

    @Test func `a million values are accepted and one more is not, whatever they take`() throws {
        func list(_ count: Int) -> [UInt8] {
            Array("[\(String(repeating: "[],", count: count - 2))[]]".utf8)
        }
        #expect(try JSONDocument(parsing: list(1_000_000)).root.count == 999_999)
        let error = #expect(throws: JSONError.self) { try JSONDocument(parsing: list(1_000_001)) }
        #expect(error?.message == "more than 1000000 values")
    }
}
