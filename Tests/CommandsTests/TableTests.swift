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

    private func narrow(_ width: Int?) -> [String] {
        var table = Table([
            .name("user"), .prose("why"), .time("ended"), .number("pages"), .prose("error"),
        ])
        table.add([
            .string("a-user-with-a-long-name"),
            .string("It does not run because it is due in 2 s."),
            .string("2026-01-02T03:04:05+00:00"), .number("123456789"),
            .string("rejected: HTTP 500"),
        ])
        return table.text(width: width).split(separator: "\n").map(String.init)
    }

    @Test func `a line fits its window: the widest prose is cut, and no name, number or time`() {
        let whole = narrow(nil)
        #expect(
            whole[1].hasSuffix(
                "It does not run because it is due in 2 s.  2026-01-02 03:04:05  123456789  rejected: HTTP 500"
            ))
        for width in [120, 100, 90, 82] {
            let lines = narrow(width)
            #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
            for kept in ["a-user-with-a-long-name", "2026-01-02 03:04:05", "123456789"] {
                #expect(lines[1].contains(kept), "\(lines)")
            }
        }
        // The widest goes first, and the other only when it is as wide.
        #expect(
            narrow(100)[1]
                == "a-user-with-a-long-name  It does not run becaus…  2026-01-02 03:04:05  123456789  rejected: HTTP 500"
        )
        #expect(!narrow(85)[1].hasSuffix("rejected: HTTP 500"))
        // No narrower than says anything, whatever the window.
        #expect(
            narrow(10)[1]
                == "a-user-with-a-long-name  It does…  2026-01-02 03:04:05  123456789  rejecte…")
        #expect(narrow(1000) == whole)
    }

    @Test func `letters and pictures of two columns are counted as two`() {
        #expect(displayWidth("abc") == 3)
        #expect(displayWidth("日本語") == 6)
        #expect(displayWidth("e\u{301}é") == 2)
        #expect(displayWidth("👍🏽") == 2)
        var table = Table([.name("user"), .prose("error")])
        table.add([.string("日本"), .string("日本語日本語日本語")])
        #expect(table.text(width: 15).split(separator: "\n").last == "日本  日本語日…")
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

@Suite struct ScreenTests {
    private func screen(_ environment: [String: String], columns: UInt16 = 90) throws
        -> TerminalView
    {
        let terminal = try Pseudoterminal(columns: columns)
        return TerminalView(descriptor: terminal.terminal) { environment[$0] }
    }

    @Test func `a window's width is its own, or what COLUMNS says`() throws {
        #expect(try screen(["TERM": "xterm"]).width == 90)
        #expect(try screen(["COLUMNS": "60"]).width == 60)
        #expect(try screen(["COLUMNS": "0"]).width == 90)
        #expect(try screen(["COLUMNS": "many"]).width == 90)
        #expect(try screen([:], columns: 0).width == 80)
    }

    @Test func `severity words have colours on a terminal that has some, unless nobody wants them`()
        throws
    {
        let coloured = try screen(["TERM": "xterm", "NO_COLOR": ""])
        #expect(coloured.marked("error: x: y\n") == "\u{1b}[31merror\u{1b}[0m: x: y\n")
        #expect(coloured.marked("urgent: x").hasPrefix("\u{1b}[31murgent"))
        #expect(coloured.marked("warning: x").hasPrefix("\u{1b}[33mwarning"))
        #expect(coloured.marked("healthy: x").hasPrefix("\u{1b}[32mhealthy"))
        for plain in ["note: error: x", "errors: x", "info: x", "no colon", ""] {
            #expect(coloured.marked(plain) == plain)
        }
        for environment in [["TERM": "dumb"], ["TERM": "xterm", "NO_COLOR": "1"], [:]] {
            #expect(try screen(environment).marked("error: x") == "error: x")
        }
    }

    @Test func `what is no terminal is neither cut nor coloured`() {
        let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nowhere) }
        let screen = TerminalView(descriptor: nowhere) { ["COLUMNS": "20", "TERM": "xterm"][$0] }
        #expect(screen == .none)
    }
}

@Suite struct ProgressTests {
    @Test
    func `what a long command does is shown after a second, with how far it is, until it ends`()
        throws
    {
        let terminal = try Pseudoterminal()
        let progress = Progress(
            "adding users", line: ProgressLine(descriptor: terminal.terminal))
        progress.tell("0 of 9")
        progress.tick(.milliseconds(900))
        #expect(terminal.shown().isEmpty)
        progress.tick(.seconds(2))
        #expect(terminal.shown() == "\r\u{1b}[Kadding users: 0 of 9, 2.0 s")
        progress.tell("3 of 9")
        #expect(terminal.shown().hasSuffix("\r\u{1b}[Kadding users: 3 of 9, 2.0 s"))
        progress.hide()
        progress.end()
        progress.tick(.seconds(3))
        #expect(terminal.shown().hasSuffix("3 of 9, 2.0 s\r\u{1b}[K"))
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
