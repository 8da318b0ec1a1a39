import JSON
import Testing

/// What RFC 8259 permits, what it forbids, and the words for it.
@Suite struct Conformance {
    static let valid: [String] = [
        "null", "true", "false", "0", "-0", "1", "-1", "10", "0.5", "-0.25", "1e3", "1E3", "1e+3",
        "1e-3", "0e0", "1.5E10", "123456789012345678901234567890", "1e400", "\"\"", "\"a\"",
        "\"abcdefghijklmnop\"", "\"\u{7f}\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0041\"",
        "\"\\uD83D\\uDE00\"", "\"\\ud83d\\ude00\"", "\"é\"", "\"日本\"", "\"😀\"", "\"\u{10FFFF}\"",
        "\"\u{2028}\"", "\"a\u{FEFF}b\"", "\"\\u0000\"", "\"\\uD800\"", "\"\\uDC00\"",
        "\"\\uD800\\uD800\"", "\"\\uD800x\"", "[]", "[ ]", "[1]", "[1,2]", "[[],[[]],{}]", "{}",
        "{ }", "{\"a\":1}", "{\"a\":1,\"a\":2}", "{\"\":0}", "{\"a\":{\"b\":[{}]}}",
        " \t\n1 \t\n", "[ 1 , 2 ]", "{ \"a\" : 1 , \"b\" : 2 }",
    ]

    @Test(arguments: valid) func `valid JSON is accepted whole`(text: String) throws {
        let document = try JSONDocument(parsing: Array(text.utf8))
        let trimmed = text.drop { " \t\n".contains($0) }
        #expect(trimmed.utf8.starts(with: document.root.rawBytes))
    }

    static let invalid: [(text: String, offset: Int, message: String)] = [
        ("", 0, "document ends where a value is expected"),
        ("   ", 3, "document ends where a value is expected"),
        ("nul", 0, "expected a value"), ("tru", 0, "expected a value"),
        ("True", 0, "expected a value"), ("NaN", 0, "expected a value"),
        ("Infinity", 0, "expected a value"), ("-Infinity", 1, "expected a digit"),
        ("undefined", 0, "expected a value"), ("'a'", 0, "expected a value"),
        ("nulll", 4, "expected the end"), ("1 2", 2, "expected the end"),
        ("[] []", 3, "expected the end"), ("{}}", 2, "expected the end"),
        ("1,", 1, "expected the end"), ("\"a\"b", 3, "expected the end"),
        ("01", 1, "expected the end"), ("-01", 2, "expected the end"),
        ("00", 1, "expected the end"),
        ("-", 1, "expected a digit"), ("+1", 0, "expected a value"), (".5", 0, "expected a value"),
        ("1.", 2, "expected a digit"), ("1.e3", 2, "expected a digit"),
        ("1e", 2, "expected a digit"), ("1e+", 3, "expected a digit"),
        ("0x10", 1, "expected the end"), ("1_000", 1, "expected the end"),
        ("--1", 1, "expected a digit"), ("[1,]", 3, "expected a value"),
        ("[,1]", 1, "expected a value"), ("[1 2]", 3, "expected ',' or ']'"),
        ("[1}", 2, "expected ',' or ']'"), ("[", 1, "ends where a value is expected"),
        ("[1", 2, "ends inside an array"), ("[1,", 3, "ends where a value is expected"),
        ("]", 0, "expected a value"), ("}", 0, "expected a value"),
        ("{", 1, "expected a member's name"), ("{\"a\"", 4, "expected ':'"),
        ("{\"a\":", 5, "ends where a value is expected"), ("{\"a\":1", 6, "ends inside an object"),
        ("{\"a\":1,}", 7, "expected a member's name"), ("{\"a\" 1}", 5, "expected ':'"),
        ("{a:1}", 1, "expected a member's name"), ("{1:1}", 1, "expected a member's name"),
        ("{\"a\":1]", 6, "expected ',' or '}'"), ("{,}", 1, "expected a member's name"),
        ("{\"a\"::1}", 5, "expected a value"), ("{\"a\":1 \"b\":2}", 7, "expected ',' or '}'"),
        ("\"", 1, "ends inside a string"), ("\"a", 2, "ends inside a string"),
        ("\"a\\", 3, "ends inside a string"), ("\"\\x\"", 1, "unknown escape"),
        ("\"\\'\"", 1, "unknown escape"), ("\"\\u12\"", 1, "four hexadecimal digits"),
        ("\"\\u12g4\"", 1, "four hexadecimal digits"), ("\"\\U0041\"", 1, "unknown escape"),
        ("\"\n\"", 1, "control character"), ("\"abcdefgh\t\"", 9, "control character"),
        ("\"\u{0}\"", 1, "control character"), ("\"\u{1f}\"", 1, "control character"),
        ("// a\n1", 0, "expected a value"),
        ("1 /* a */", 2, "expected the end"), ("\u{A0}1", 0, "expected a value"),
        ("<html></html>", 0, "expected a value"), ("[1\u{0C}]", 2, "expected ',' or ']'"),
        ("\u{0}", 0, "expected a value"), ("\"\\uD800\\u12\"", 7, "four hexadecimal digits"),
    ]

    @Test(arguments: invalid)
    func `invalid JSON is refused at the byte that breaks it`(
        row: (text: String, offset: Int, message: String)
    ) {
        let error = #expect(throws: JSONError.self) {
            try JSONDocument(parsing: Array(row.text.utf8))
        }
        #expect(error?.offset == row.offset)
        #expect(error?.message.contains(row.message) == true, "\(String(describing: error))")
    }

    static let invalidUTF8: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x9F, 0xBF],
        [0xE1, 0x80], [0xE1, 0x80, 0x41], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
        [0xF0, 0x8F, 0xBF, 0xBF], [0xF1, 0x80, 0x80], [0xF1, 0x80, 0x80, 0xC0],
        [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE],
    ]

    @Test(arguments: invalidUTF8) func `bytes that are no UTF-8 are refused`(bytes: [UInt8]) {
        for padding in [0, 7, 8, 20] {
            let before = [UInt8](repeating: UInt8(ascii: "a"), count: padding)
            let error = #expect(throws: JSONError.self) {
                try JSONDocument(parsing: [0x22] + before + bytes + [0x22])
            }
            #expect(error == JSONError("invalid UTF-8", at: padding + 1))
        }
    }

    @Test func `UTF-16 is refused by name`() {
        for start: [UInt8] in [[0xFE, 0xFF, 0, 0x31], [0xFF, 0xFE, 0x31, 0]] {
            let error = #expect(throws: JSONError.self) { try JSONDocument(parsing: start) }
            #expect(error?.message == "document is UTF-16, expected UTF-8")
        }
    }
}
