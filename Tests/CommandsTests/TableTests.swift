import Foundation
import JSON
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
    private func read(_ descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    }

    @Test func `progress goes to a terminal, over itself, and never wraps`() throws {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(master >= 0)
        defer { close(master) }
        // Unlock the other end, and ask for its number: TIOCSPTLCK and TIOCGPTN.
        var locked: Int32 = 0
        var number: UInt32 = 0
        let unlocked = ioctl(master, 0x4004_5431, &locked)
        let numbered = ioctl(master, 0x8004_5430, &number)
        try #require(unlocked == 0 && numbered == 0)
        let terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(terminal >= 0)
        defer { close(terminal) }
        var size = winsize(ws_row: 5, ws_col: 20, ws_xpixel: 0, ws_ypixel: 0)
        let sized = ioctl(terminal, UInt(TIOCSWINSZ), &size)
        try #require(sized == 0)
        let line = ProgressLine(descriptor: terminal)
        line.show("3 of 9 users, the last one at noon")
        #expect(read(master) == "\r\u{1b}[K3 of 9 users, the l")
        line.show("a\nb")
        #expect(read(master) == "\r\u{1b}[Ka\\nb")
        line.clear()
        #expect(read(master) == "\r\u{1b}[K")
    }

    @Test func `progress goes nowhere else`() throws {
        var ends: [Int32] = [0, 0]
        let result = pipe(&ends)
        try #require(result == 0)
        let line = ProgressLine(descriptor: ends[1])
        line.show("3 of 9 users")
        line.clear()
        close(ends[1])
        #expect(read(ends[0]).isEmpty)
        close(ends[0])
    }
}
