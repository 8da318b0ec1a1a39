import Foundation
import JSON
import Testing

@testable import Pages

/// What can be on a page, and where a link can lead.
@Suite struct MarkupTests {
    static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
        "&lt;b&gt;", "javascript:alert(1)", "</title><svg/onload=alert(1)>", "\u{202e}evil",
        "\u{0}\u{1}\u{7f}\u{85}", "a\nb", "𝕏 ünïcode ✓", "]]>", "<!--",
    ]

    @Test(arguments: hostile)
    func `a text is escaped wherever it stands`(text: String) {
        let html: HTML = "<p title=\"\(text)\">\(text)</p>"
        let inner = html.text.dropFirst("<p title=\"".count)
        // Nothing of it is a sign of markup but what the literals say.
        #expect(inner.filter { $0 == "<" }.count == 1, "\(html.text)")
        #expect(inner.filter { $0 == "\"" }.count == 1, "\(html.text)")
        #expect(!inner.contains("'"))
        #expect(!html.text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
        #expect(!html.text.unicodeScalars.contains("\u{202e}"))
    }

    @Test func `a piece stands in another as it is, and nothing stands for nil`() {
        let piece: HTML = "<b>\("x & y")</b>"
        let absent: HTML? = nil
        let word: String? = nil
        let html: HTML = "\(piece)\(absent)\(word)\([piece, piece])\(7)"
        #expect(
            html.text == "<b>x &amp; y</b><b>x &amp; y</b><b>x &amp; y</b>7", "\(html.text)")
    }

    @Test(arguments: hostile)
    func `a link carries any text, and a request's is read back`(text: String) throws {
        let place = Place("/story", ["tenant": text, "user": text])
        #expect(place.text.hasPrefix("/story?tenant="))
        #expect(place.text.utf8.allSatisfy { $0 > 32 && $0 < 127 && !"\"'<>\\".utf8.contains($0) })
        let again = try #require(Place(named: place.text))
        #expect(again["tenant"] == text && again["user"] == text)
    }

    @Test(arguments: [
        "//evil.example", "https://evil.example/", "javascript:alert(1)", "/\\evil.example", "",
        "/act?act=reset", "/sign-out", "/nope", "runs", "/runs/../act", "/runs#x", "/runs%2f",
        "/runs?x=%zz", "/runs?x=%ff",
    ])
    func `the way back leads to a screen of ours and nowhere else`(text: String) {
        let place = Place(named: text)
        #expect(place == nil, "\(place?.text ?? "")")
    }

    @Test func `numbers and spans are written for people`() {
        #expect(number(.number("1234567.5")).text.contains("1\u{202f}234\u{202f}567.5"))
        #expect(number(.number("-1234")).text.contains("value=\"-1234\""))
        #expect(number(nil).text.contains("–"))
        #expect(number(.number("7"), orMore: true).text.hasPrefix("more than "))
        #expect(spanWords(0.05) == "50 ms" && spanWords(5.55) == "5.6 s")
        #expect(spanWords(90) == "90 s" && spanWords(7300) == "2 h" && spanWords(1e300) == "ages")
        #expect(
            time(.string("2026-11-28T10:00:00.123+00:00")).text.contains(
                ">2026-11-28 10:00:00 UTC<"))
    }

    /// The templates are read as text: the escaping holds within double quotes alone.
    @Test func `each value of an attribute stands in double quotes, and each link is a place`()
        throws
    {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/Pages")
        let files = try #require(
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        ).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        #expect(files.count > 10)
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(
                !text.contains(/[a-z]=\\\(/), "\(file.lastPathComponent): a value without quotes")
            #expect(!text.contains(/[ ]style=/), "\(file.lastPathComponent): a style of its own")
            #expect(
                !text.contains(/[ ]on[a-z]+=\\?"/), "\(file.lastPathComponent): a script of its own"
            )
            for link in text.matches(of: /(?:href|action|src)=\\?"([^"]*)"/) {
                let value = String(link.1)
                #expect(
                    value.hasPrefix("/") || value.hasPrefix("#") || value.hasPrefix("\\(Place")
                        || value.hasPrefix("\\(place") || value.hasPrefix("\\(back")
                        || value.hasPrefix("\\(failures(of: row)")
                        || value.hasPrefix("\\(FilesScreen.failures"),
                    "\(file.lastPathComponent): \(value)")
            }
        }
    }
}
