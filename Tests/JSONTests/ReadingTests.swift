import JSON
import Testing

/// What a parsed document says about its values.
@Suite struct Reading {
    private func root(_ text: String) throws -> JSONNode {
        try JSONDocument(parsing: Array(text.utf8)).root
    }

    @Test func `members and elements are found in their places`() throws {
        let page = try root(
            #"{"videos": [ {"id": "a", "n": [1, [2], 3]}, {"id": "b"} ], "nextCursor": null}"#)
        #expect(page.kind == .object)
        #expect(page.count == 2)
        #expect(page["videos"]?.count == 2)
        #expect(page["videos"]?.elements.compactMap { $0["id"]?.string } == ["a", "b"])
        #expect(page["nextCursor"]?.kind == .null)
        #expect(page["missing"] == nil)
        #expect(page["videos"]?["id"] == nil)
        let numbers = try #require(page["videos"]?.elements.first { _ in true }?["n"])
        #expect(numbers.elements.map(\.rawText) == ["1", "[2]", "3"])
        #expect(page.members.compactMap(\.name.string) == ["videos", "nextCursor"])
        #expect(Array(numbers.members).isEmpty)
        #expect(Array(page.elements).isEmpty)
    }

    @Test func `leaves of another kind are nil`() throws {
        #expect(try root("true").bool == true)
        #expect(try root("false").bool == false)
        #expect(try root("1").bool == nil)
        #expect(try root("12").int == 12)
        #expect(try root("1e2").int == nil)
        #expect(try root("1e400").numberText == "1e400")
        #expect(try root("\"1\"").int == nil)
        #expect(try root("1").string == nil)
        #expect(try root("1").count == 0)
    }

    @Test func `strings lose their escapes`() throws {
        let text = try root(#""a\"\\\/\b\f\n\r\tA\u00e9\uD83D\uDE00é""#)
        #expect(text.string == "a\"\\/\u{8}\u{c}\n\r\tAé😀é")
    }

    @Test func `half a surrogate pair and NUL are valid but no text`() throws {
        for escape in [
            "\\uD800", "\\uDC00", "\\u0000", "\\uD800\\uD800", "\\uD800\\n", "\\uD800\\u0041",
        ] {
            let node = try root("[{\"a\": \"x\(escape)\"}, \"fine\"]")
            let record = try #require(node.elements.first { _ in true })
            #expect(record["a"]?.string == nil)
            #expect(record["a"]?.isStorable == false)
            #expect(record.isStorable == false)
            #expect(node.isStorable == false)
            #expect(node.value == nil)
            #expect(node.elements.map(\.isStorable) == [false, true])
            #expect(record["a"]?.rawText == "\"x\(escape)\"")
        }
        let name = try root(#"{"a\u0000": 1, "b": 2}"#)
        #expect(name.isStorable == false)
        #expect(name["b"]?.int == 2)
        #expect(try root(#"["\uD83D\uDE00"]"#).isStorable)
    }

    @Test func `names are compared without their escapes and byte by byte`() throws {
        #expect(try root(#"{"\u0061b": 1}"#)["ab"]?.int == 1)
        #expect(try root("{\"e\u{301}\": 1}")["\u{e9}"] == nil)
        #expect(try root("{\"\u{e9}\": 1}")["\u{e9}"]?.int == 1)
    }

    @Test func `the last of two members with one name counts`() throws {
        let node = try root(#"{"a": 1, "b": 0, "a": [2]}"#)
        #expect(node["a"]?.rawText == "[2]")
        #expect(node.value?["a"] == .array([.integer(2)]))
    }

    @Test func `a value written and read again is the same`() throws {
        let text = #"{"a":[null,true,-1.50,"q\"\\\n\r\t\u0001é😀"],"b":{},"c":[]}"#
        let value = try #require(try root(text).value)
        #expect(value.text == text)
        #expect(try root(value.text).value == value)
        #expect(value["a"]?.elements?[3].string == "q\"\\\n\r\t\u{1}é😀")
        #expect(value["a"]?.elements?[2].numberText == "-1.50")
        #expect(value["a"]?.elements?[1].bool == true)
        #expect(value["b"]?.members == [])
        #expect(JSONValue.integer(7).int == 7)
    }
}
