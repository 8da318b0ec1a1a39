import Foundation
import JSON
import TestSupport
import Testing

@testable import Commands

private func table(_ rows: [[JSONValue]]) -> Table {
    var table = Table([
        Table.Column(name: "user"), Table.Column(name: "pages", alignsRight: true),
        Table.Column(name: "last_error"),
    ])
    rows.forEach { table.add($0) }
    return table
}

@Suite struct TableTests {
    @Test func `columns are aligned, numbers at the right, and lines end at their last word`() {
        let text = table([
            [.string("ann"), .number("7"), .null],
            [.string("bébé-user"), .number("12345"), .string("a\n\u{1b}[2Jb")],
            [.string("c"), .number("1"), .string("")],
        ]).text()
        #expect(
            text == """
                USER       PAGES  LAST ERROR
                ann            7  –
                bébé-user  12345  a\\n\\u001b[2Jb
                c              1

                """)
    }

    @Test func `a table without rows is its heading`() {
        #expect(table([]).text() == "USER  PAGES  LAST ERROR\n")
        #expect(table([]).json() == "[]\n")
    }

    @Test func `JSON is one array of objects with the columns' names`() throws {
        let json = table([
            [.string("a\"\\\n\u{1b}\u{202e}é😀"), .number("123456789012345678901234567890"), .null],
            [
                .bool(true), .array([.number("1"), .bool(false)]),
                .object([JSONMember("k", .null)]),
            ],
        ]).json()
        #expect(
            json == """
                [{"user":"a\\"\\\\\\n\\u001b‮é😀","pages":123456789012345678901234567890,\
                "last_error":null},{"user":true,"pages":[1,false],"last_error":{"k":null}}]

                """)
        let read = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
        #expect(read?.first?["user"] as? String == "a\"\\\n\u{1b}\u{202e}é😀")
    }
}

@Suite struct ProgressLineTests {
    @Test func `progress goes to a terminal, over itself, and never wraps`() throws {
        let terminal = try Pseudoterminal(columns: 20)
        let line = ProgressLine(descriptor: terminal.terminal)
        line.show("3 of 9 users, the last one at noon")
        #expect(terminal.shown() == "\r\u{1b}[K3 of 9 users, the l")
        line.show("a\nb")
        #expect(terminal.shown().hasSuffix("\r\u{1b}[Ka\\nb"))
        line.clear()
        #expect(terminal.shown().hasSuffix("b\r\u{1b}[K"))
    }

    @Test func `progress goes nowhere else`() throws {
        var ends: [Int32] = [0, 0]
        let result = pipe(&ends)
        try #require(result == 0)
        let line = ProgressLine(descriptor: ends[1])
        line.show("3 of 9 users")
        line.clear()
        close(ends[1])
        var byte: UInt8 = 0
        #expect(read(ends[0], &byte, 1) == 0)
        close(ends[0])
    }
}
