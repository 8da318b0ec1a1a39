import JSON
import Testing

/// Bombs cost no more than their bytes.
@Suite struct Limits {
    private func nested(_ depth: Int) -> [UInt8] {
        Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }

    @Test func `depth 512 is accepted and 513 is not`() throws {
        _ = try JSONDocument(parsing: nested(512))
        let error = #expect(throws: JSONError.self) { try JSONDocument(parsing: nested(513)) }
        #expect(error == JSONError("nested deeper than 512", at: 512))
    }

    @Test func `a million open brackets are refused at the limit`() {
        let bomb = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        let error = #expect(throws: JSONError.self) {
            try JSONDocument(parsing: bomb, limits: JSONLimits(depth: .max))
        }
        #expect(error?.offset == JSONLimits.depthMax)
    }

    @Test func `a string may be as long as the document`() throws {
        let text = String(repeating: "é\\n", count: 1 << 20)
        let document = try JSONDocument(parsing: Array("{\"a\": \"\(text)\", \"b\": 1}".utf8))
        #expect(document.root["b"]?.int == 1)
        #expect(document.root["a"]?.isStorable == true)
    }

    @Test func `a number of more than 64 digits is no value that is kept`() throws {
        for (count, isStorable) in [(64, true), (65, false), (100_000, false)] {
            let digits = String(repeating: "9", count: count)
            let document = try JSONDocument(parsing: Array("[\(digits), 1]".utf8))
            #expect(document.root.elements.first { _ in true }?.isStorable == isStorable)
        }
    }

    @Test func `a byte order mark costs nothing`() throws {
        #expect(try JSONDocument(parsing: [0xEF, 0xBB, 0xBF] + Array(" [1]".utf8)).root.count == 1)
        #expect(throws: JSONError.self) { try JSONDocument(parsing: [0xEF, 0xBB, 0xBF]) }
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
