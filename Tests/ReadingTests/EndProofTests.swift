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
        return read.next.doubt == nil
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

    @Test(arguments: [
        ", \"has_more\": true", ", \"hasMore\": true", ", \"pageInfo\": {\"hasNextPage\": true}",
        ", \"next_page_token\": \"x\"", ", \"@odata.nextLink\": \"/x\"", ", \"total_count\": 21",
        ", \"links\": {\"next\": {\"href\": \"/x\"}}", ", \"meta\": {\"next_cursor\": 4}",
        ", \"pagination\": {\"total_count\": 30}",
    ])
    func
        `a short page that says that more follows, beside a path that leads nowhere, proves nothing`(
            _ sign: String
        ) throws
    {
        for page in [
            "{ style: token, token_at: slip }", "{ style: token, token_at: slip, size: 50 }",
        ] {
            #expect(try !isProven(20, sign, page: page))
        }
        // The file says how the list ends, and the source says that it does.
        #expect(
            try isProven(20, sign + ", \"slip\": null", page: "{ style: token, token_at: slip }"))
    }

    @Test(arguments: [
        ", \"has_more\": false", ", \"pageInfo\": {\"hasNextPage\": false, \"endCursor\": \"x\"}",
        ", \"next_page_token\": \"\"", ", \"nextSyncToken\": \"x\"", ", \"total\": 20",
        ", \"links\": {\"self\": \"/x\", \"next\": null}", ", \"total\": 99", ", \"count\": 99",
        ", \"total_count\": \"many\"",
        ", \"prices\": {\"total\": 99}",
        ", \"paging\": {\"cursors\": {\"after\": \"x\"}}",
    ])
    func `what a page says besides is no sign of more`(_ word: String) throws {
        #expect(try isProven(20, word, page: "{ style: token, token_at: slip }"))
    }

    @Test func `a link in the header is a sign of more for who looks elsewhere`() throws {
        let entity = try TestJobFiles.entity(
            page: "{ style: token, token_at: next }",
            request: "{ path: /f, query: { c: \"{page.token}\" } }", at: "items[]",
            fields: "{ id: { at: id, type: text, required: true } }",
            write: "{ table: video, mode: overwrite }")
        let read = try PageReader(entity).read(
            try self.page(3),
            of: HTTPResponse(status: 200, headers: [HTTPHeader("Link", "</f?c=2>; rel=next")]),
            from: "http://127.0.0.1/f", at: nil, begun: 0)
        #expect(read.next.doubt?.contains("Link") == true)
    }

    @Test func `a keyset's empty text on a full page proves nothing`() throws {
        let page = "{ style: keyset, token_at: max, start: \"\", size: 20 }"
        #expect(try !isProven(20, ", \"max\": \"\"", page: page, at: "\"a\""))
        #expect(try isProven(19, ", \"max\": \"\"", page: page, at: "\"a\""))
    }
}
