import HTTP
import JSON
import JobFiles
import TestJobFiles
import Testing

@testable import Reading

/// A first page that says nothing of a next one proves the list's end only where it is not full.
@Suite struct EndProofTests {
    private func page(_ count: Int, _ rest: String = "") throws -> JSONNode {
        let items = (0..<count).map { "{\"id\": \"\($0)\"}" }.joined(separator: ",")
        return try JSONDocument(parsing: Array("{\"items\": [\(items)]\(rest)}".utf8)).root
    }

    private func isProven(
        _ count: Int, _ rest: String = "",
        page: String = "{ style: token, token_at: next, size: 20 }",
        at position: String? = nil, fullPage: Int = 0
    ) throws -> Bool {
        let entity = try TestJobFiles.entity(
            page: page, request: "{ path: /f, query: { c: \"{page.token}\" } }", at: "items[]",
            fields: "{ id: { at: id, type: text, required: true } }",
            write: "{ table: video, mode: overwrite }")
        let read = try PageReader(entity).read(
            try self.page(count, rest), of: HTTPResponse(status: 200, headers: []),
            from: "http://127.0.0.1/f", at: position, begun: 0, fullPage: fullPage)
        return read.next.isProven
    }

    @Test func `a full page that says nothing proves nothing, a short one does`() throws {
        #expect(try !isProven(20))
        #expect(try !isProven(25))
        #expect(try isProven(19))
        #expect(try isProven(0))
    }

    @Test(arguments: ["null", "false", "\"\""])
    func `a source that says that there is no next page is believed`(_ word: String) throws {
        #expect(try isProven(20, ", \"next\": \(word)"))
    }

    @Test func `where pages were named before in the list, a page that names none is the last`()
        throws
    {
        #expect(try isProven(20, at: "t1"))
    }

    @Test func `a clamped page is as full as the pages that led on`() throws {
        let page = "{ style: token, token_at: next, size: 100 }"
        #expect(try isProven(20, page: page))
        #expect(try !isProven(20, page: page, fullPage: 20))
        #expect(try isProven(19, page: page, fullPage: 20))
    }

    @Test func `where no size is known, a round number of records looks full`() throws {
        let page = "{ style: token, token_at: next }"
        #expect(try !isProven(50, page: page))
        #expect(try !isProven(200, page: page))
        #expect(try isProven(49, page: page))
    }
}
