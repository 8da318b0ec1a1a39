import Basics
import HTTP
import JSON
import JobFiles
import TestJobFiles
import Testing

@testable import Reading

@Suite struct NextPositionTests {
    func position(
        _ page: String, _ body: String, at position: String? = nil, records: Int = 2,
        headers: [HTTPHeader] = [], seen: [Int64] = [], signIn: String? = nil
    ) throws -> NextPosition {
        let request =
            page.contains("next_url") || page.contains("link_header")
            ? "{ path: /feed }" : "{ path: /feed, query: { c: \"{page.token}\" } }"
        let fields = """
            { id: { at: id, type: text, required: true }, seq: { at: seq, type: int, required: true } }
            """
        let entity = try entity(page: page, request: request, fields: fields)
        var positions = SeenPositions()
        for number in seen { positions.add(.int(number)) }
        let facts = PageFacts(
            root: try node(body), response: HTTPResponse(status: 200, headers: headers),
            url: "https://h.example/v1/feed?c=1", position: position, recordCount: records,
            positions: positions)
        return try entity.page.position(after: facts, signInName: signIn)
    }

    @Test(arguments: [
        ("{\"next\": \"abc\"}", "abc"), ("{\"next\": 12}", "12"), ("{\"next\": \"\"}", nil),
        ("{\"next\": null}", nil), ("{}", nil), ("{\"next\": false}", nil), ("[]", nil),
    ]) func `token: the pass ends where the token is absent, null, false or empty`(
        _ body: String, _ next: String?
    ) throws {
        // An empty page does not end it (invariant 5).
        for records in [0, 2] {
            let found = try position(
                "{ style: token, token_at: next }", body, records: records)
            #expect(found == NextPosition(next: next))
        }
    }

    @Test(arguments: [
        // page, body, asked at, records, next
        ("style: offset", "{}", "10", 2, "12"), ("style: offset", "{}", "10", 0, nil),
        ("style: offset, total_at: total", "{\"total\": 13}", "10", 2, "12"),
        ("style: offset, total_at: total", "{\"total\": 12}", "10", 2, nil),
        ("style: offset, total_at: total", "{\"total\": \"12\"}", "10", 2, nil),
        ("style: offset, total_at: total", "{\"total\": 12.0}", "10", 2, nil),
        ("style: offset, total_at: total", "{\"total\": 1.3e1}", "10", 2, "12"),
        ("style: offset, total_at: total", "{\"total\": null}", "10", 2, "12"),
        ("style: offset, total_at: total", "{\"total\": 10}", "10", 0, nil),
        ("style: offset, size: 3", "{}", "10", 2, "12"),
        ("style: offset, size: 3, end: short_page", "{}", "10", 2, nil),
        ("style: offset, size: 2, end: short_page", "{}", "10", 2, "12"),
        ("style: page", "{}", "4", 2, "5"), ("style: page", "{}", "4", 0, nil),
        ("style: page, last_at: last", "{\"last\": 4}", "4", 2, nil),
        ("style: page, last_at: last", "{\"last\": 5}", "4", 2, "5"),
        ("style: page, last_at: last", "{\"last\": true}", "4", 2, nil),
        ("style: page, last_at: last", "{\"last\": false}", "4", 2, "5"),
        ("style: page, last_at: last", "{\"last\": \"4\"}", "4", 2, nil),
        ("style: page, last_at: last", "{\"last\": 0}", "1", 0, nil),
        ("style: page, last_at: last", "{}", "4", 0, nil),
        ("style: page, next_at: next", "{\"next\": \"https://h.example/?page=5\"}", "4", 2, "5"),
        ("style: page, next_at: next", "{\"next\": \"https://h.example/?page=5\"}", "4", 0, "5"),
        ("style: page, next_at: next", "{\"next\": 7}", "4", 2, "7"),
        ("style: page, next_at: next", "{\"next\": 7.0}", "4", 2, "7"),
        ("style: page, next_at: next", "{\"next\": \"5\"}", "4", 0, "5"),
        ("style: page, next_at: next", "{\"next\": true}", "4", 2, "5"),
        ("style: page, next_at: next", "{\"next\": false}", "4", 2, nil),
        ("style: page, next_at: next", "{\"next\": null}", "4", 2, nil),
        ("style: page, next_at: next", "{\"next\": \"\"}", "4", 2, nil),
        ("style: page, next_at: next", "{}", "4", 2, nil),
        ("style: page, total_at: count", "{\"count\": 5}", "1", 2, "2:2"),
        ("style: page, total_at: count", "{\"count\": 5}", "2:2", 2, "3:4"),
        ("style: page, total_at: count", "{\"count\": 4}", "2:2", 2, nil),
        ("style: page, total_at: count", "{\"count\": 3}", "2:2", 2, nil),
        ("style: page, total_at: count", "{\"count\": 0}", "1", 0, nil),
        ("style: page, total_at: count", "{}", "2:2", 2, "3"),
        ("style: page, total_at: count", "{\"count\": 99}", "3", 0, nil),
        ("style: page", "{}", "4:250", 2, "5"),
        ("style: page, size: 3, end: short_page", "{}", "4", 2, nil),
    ]) func `offset and page: the position counts on to the empty page, the total or a short page`(
        _ style: String, _ body: String, _ at: String, _ records: Int, _ next: String?
    ) throws {
        let found = try position("{ \(style) }", body, at: at, records: records)
        #expect(found == NextPosition(next: next))
    }

    @Test(
        arguments: [
            "{ style: token, token_at: next }", "{ style: next_url, url_at: next }",
            "{ style: keyset, token_at: next, start: \"0\" }",
            "{ style: sync_token, token_at: next, more_at: more }",
        ], ["{}", "{\"a\": 1}", "true", "[1]", "\"a\\u0000b\"", "\"\\ud800\""])
    func `a position that is no text and no number is malformed, never the end of a pass`(
        _ page: String, _ next: String
    ) throws {
        #expect {
            try position(page, "{\"next\": \(next), \"more\": true}", at: "0")
        } throws: { ($0 as? PageError)?.word == "malformed" }
    }

    @Test(arguments: [
        // page, body, asked at, records, kind
        ("style: offset, total_at: total", "{\"total\": 99}", "10", 0, "truncated"),
        ("style: offset, total_at: total", "{\"total\": -1}", "10", 2, "malformed"),
        ("style: offset, total_at: total", "{\"total\": {}}", "10", 2, "malformed"),
        ("style: page, total_at: count", "{\"count\": 9}", "3:4", 0, "truncated"),
        ("style: page, total_at: count", "{\"count\": true}", "3:4", 2, "malformed"),
        ("style: page, last_at: last", "{\"last\": 5}", "4", 0, "truncated"),
        ("style: page, last_at: last", "{\"last\": false}", "4", 0, "truncated"),
        ("style: page, last_at: last", "{\"last\": \"soon\"}", "4", 2, "malformed"),
        ("style: page, next_at: next", "{\"next\": 4}", "4", 2, "cursor_loop"),
        ("style: page, next_at: next", "{\"next\": \"1\"}", "4", 2, "cursor_loop"),
        ("style: page, next_at: next", "{\"next\": 1.5}", "4", 2, "malformed"),
        ("style: page, next_at: next", "{\"next\": [5]}", "4", 2, "malformed"),
    ]) func `a source whose words about its end contradict each other or say nothing ends no pass`(
        _ style: String, _ body: String, _ at: String, _ records: Int, _ word: String
    ) throws {
        #expect {
            try position("{ \(style) }", body, at: at, records: records)
        } throws: { ($0 as? PageError)?.word == word }
    }

    @Test(arguments: [
        "{\"t\": \"a\"}", "{\"t\": \"a\", \"more\": null}", "{\"t\": \"a\", \"more\": \"yes\"}",
        "{\"t\": \"a\", \"more\": 2}",
    ]) func `sync_token: a feed that does not say whether more comes is malformed, and no end`(
        _ body: String
    ) throws {
        #expect {
            try position("{ style: sync_token, token_at: t, more_at: more }", body)
        } throws: { ($0 as? PageError)?.word == "malformed" }
    }

    @Test func `the records counted on the way to a total are not sent`() throws {
        let page = try entity(
            page: "{ style: page, total_at: count }",
            request: "{ path: /feed, query: { p: \"{page.token}\" } }"
        ).page
        #expect(page.sent("3:250") == "3")
        #expect(page.sent("3") == "3")
    }

    @Test(arguments: ["offset", "page"], [nil, "", "x", "9223372036854775807"])
    func `a stored position that can't be counted on is an error, not a crash`(
        _ style: String, _ at: String?
    ) throws {
        #expect {
            try position("{ style: \(style) }", "{}", at: at)
        } throws: { ($0 as? PageError)?.word == "malformed" }
    }

    @Test
    func
        `keyset: it ends without progress or at a declared page, and goes on while the source's position moves`()
        throws
    {
        let body = "{ style: keyset, token_at: max, start: 0 }"
        let short = "{ style: keyset, token_at: max, start: 0, size: 3, end: short_page }"
        let empty = "{ style: keyset, token_at: max, start: 0, end: empty_page }"
        let table: [(String, String, String?, Int, NextPosition)] = [
            (body, "{\"max\": 9}", "0", 2, NextPosition(next: "9", reached: "9")),
            (body, "{\"max\": 9}", "0", 0, NextPosition(next: "9", reached: "9")),
            (body, "{\"max\": 9}", "9", 0, NextPosition(reached: "9")),
            (body, "{\"max\": 0}", "9", 0, NextPosition(reached: "9")),
            (body, "{}", "9", 0, NextPosition(reached: "9")),
            (empty, "{\"max\": 9}", "0", 0, NextPosition(reached: "9")),
            (empty, "{\"max\": 9}", "0", 2, NextPosition(next: "9", reached: "9")),
            (body, "{\"max\": 9}", "9", 2, NextPosition(reached: "9")),
            (body, "{}", "5", 2, NextPosition(reached: "5")),
            (short, "{\"max\": 9}", "0", 2, NextPosition(reached: "9")),
            (short, "{\"max\": 9}", "0", 3, NextPosition(next: "9", reached: "9")),
        ]
        for (page, answer, at, records, expected) in table {
            #expect(try position(page, answer, at: at, records: records) == expected)
        }
        let field = "{ style: keyset, by: seq, start: 0 }"
        #expect(
            try position(field, "{}", at: "0", seen: [3, 7])
                == NextPosition(next: "7", reached: "7"))
        #expect(
            try position(field, "{}", at: "7", records: 0)
                == NextPosition(reached: "7"))
        #expect {
            try position(field, "{}", at: "7")
        } throws: { ($0 as? PageError)?.word == "malformed" }
    }

    @Test(arguments: [
        ("https://h.example/v1/feed?c=2", "https://h.example/v1/feed?c=2"),
        ("?c=2", "https://h.example/v1/feed?c=2"), ("more", "https://h.example/v1/more"),
        ("/x", "https://h.example/x"), ("//h.example/x", "https://h.example/x"),
        ("HTTPS://H.EXAMPLE:443/x", "https://h.example/x"), ("/x#part", "https://h.example/x"),
        ("/x?key=secret&c=2", "https://h.example/x?c=2"),
        ("/x?%6Bey=secret", "https://h.example/x"),
    ]) func `next address: it is made whole, and the sign-in it repeats is taken out`(
        _ reference: String, _ expected: String
    ) throws {
        let inBody = try position(
            "{ style: next_url, url_at: next }", "{\"next\": \"\(reference)\"}", signIn: "key")
        let inHeader = try position(
            "{ style: next_url, url_header: X-Next }", "{}",
            headers: [HTTPHeader("x-next", reference)], signIn: "key")
        let inLink = try position(
            "{ style: link_header }", "{}",
            headers: [HTTPHeader("link", "<\(reference)>; rel=next")], signIn: "key")
        for found in [inBody, inHeader, inLink] { #expect(found == NextPosition(next: expected)) }
    }

    @Test(arguments: [
        ("http://inside:8080/v1/feed?c=2", "https://h.example/v1/feed?c=2"),
        ("https://h.example/v1/feed?c=2", "https://h.example/v1/feed?c=2"),
        ("http://h.example?c=2", "https://h.example/?c=2"), ("//other/x", "https://h.example/x"),
        ("http://inside/a//b?url=http://x/y#z", "https://h.example/a//b?url=http://x/y"),
        ("/x", "https://h.example/x"),
    ])
    func `next address: the file may have it asked for at the source's own origin`(
        _ reference: String, _ expected: String
    ) throws {
        let found = try position(
            "{ style: next_url, url_at: next, origin: base }", "{\"next\": \"\(reference)\"}")
        #expect(found == NextPosition(next: expected))
        let link = try position(
            "{ style: link_header, origin: base }", "{}",
            headers: [HTTPHeader("link", "<\(reference)>; rel=next")])
        #expect(link == NextPosition(next: expected))
    }

    @Test func `next address: another origin is named when it is refused`() throws {
        let error = #expect(throws: PageError.self) {
            try position(
                "{ style: next_url, url_at: next }",
                #"{"next": "http://other.example:81/x?key=secret"}"#)
        }
        guard case .foreignOrigin(let words)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(words.contains("http://other.example:81") && !words.contains("secret"))
    }

    @Test(arguments: [
        // page, records, whether the pass ends although a next position is named
        ("style: token, token_at: n", 0, false),
        ("style: token, token_at: n, end: empty_page", 0, true),
        ("style: token, token_at: n, end: empty_page", 1, false),
        ("style: token, token_at: n, end: short_page, size: 3", 2, true),
        ("style: token, token_at: n, end: short_page, size: 3", 3, false),
        ("style: token, token_at: n, end: short_page, size: 3", 0, true),
        ("style: next_url, url_at: n, end: empty_page", 0, true),
        ("style: next_url, url_at: n, end: short_page, size: 3", 2, true),
        ("style: next_url, url_at: n", 0, false),
    ])
    func `a list whose position never ends ends by the sign that the file names`(
        _ page: String, _ records: Int, _ ends: Bool
    ) throws {
        let found = try position("{ \(page) }", #"{"n": "/more"}"#, records: records)
        #expect((found.next == nil) == ends)
    }

    @Test(arguments: [
        ("results=\"false\"", true), ("results=\"true\"", false), ("results=false", true),
        ("", false),
        ("results=\"false\"; results=\"true\"", true),
    ])
    func `links: the file may name the parameter that says that nothing follows`(
        _ parameters: String, _ ends: Bool
    ) throws {
        let found = try position(
            "{ style: link_header, end_if: { results: \"false\" } }", "{}",
            headers: [HTTPHeader("link", "</more>; rel=\"next\"; \(parameters)")])
        #expect((found.next == nil) == ends)
    }

    @Test(arguments: [
        ("https://evil.example/x", "rejected"), ("http://h.example/x", "rejected"),
        ("https://h.example:8443/x", "rejected"), ("//evil.example", "rejected"),
        ("https://h.example@evil.example/", "malformed"), ("javascript:alert(1)", "malformed"),
        ("https://", "malformed"),
    ]) func `a next address elsewhere is refused`(_ reference: String, _ word: String) throws {
        #expect {
            try position("{ style: next_url, url_at: next }", "{\"next\": \"\(reference)\"}")
        } throws: { ($0 as? PageError)?.word == word }
    }

    @Test(arguments: [
        ("{ style: single }", nil, nil), ("{ style: token, token_at: n }", nil, nil),
        ("{ style: offset }", nil, "0"), ("{ style: offset, start: 1 }", nil, "1"),
        ("{ style: page }", nil, "1"), ("{ style: keyset, token_at: n, start: 0 }", nil, "0"),
        ("{ style: keyset, token_at: n, start: 0 }", "88", "88"),
    ]) func `a pass begins where its style does`(
        _ page: String, _ persisted: String?, _ first: String?
    ) throws {
        let sends = page.contains("single") ? "" : ", query: { c: \"{page.token}\" }"
        let entity = try entity(page: page, request: "{ path: /feed\(sends) }")
        #expect(entity.page.firstPosition(persisted: persisted) == first)
    }
}

@Suite struct LinkHeaderTests {
    @Test(arguments: [
        ("<https://a/2>; rel=\"next\"", "https://a/2"), ("<u>; rel=next", "u"),
        ("<u>;rel=next", "u"),
        ("<u> ; REL = \"NEXT\"", "u"), ("<u>; rel=\"prev next\"", "u"),
        ("<u>; rel=\"next last\"", "u"), ("<u>; title=\"a\"; rel=\"next\"", "u"),
        ("<u>; rel=\"next\"; title=\"a\"", "u"), ("<p>; rel=\"prev\", <n>; rel=\"next\"", "n"),
        ("<n>; rel=\"next\", <p>; rel=\"prev\"", "n"), (",,<n>; rel=next", "n"),
        ("<https://a/?ids=1,2;3>; rel=\"next\"", "https://a/?ids=1,2;3"),
        ("<u>; title=\"x, <v>; rel=next\"; rel=\"next\"", "u"),
        ("<u>; title=\"<b>\"; rel=\"next\"", "u"),
        ("<u>; title=\"\\\"; rel=prev\"; rel=\"next\"", "u"),
        ("<u>; crossorigin; rel=next", "u"), ("<u>\t;\trel=next", "u"), ("<>; rel=next", ""),
    ]) func `the next link is found whatever else stands around it`(_ value: String, _ next: String)
    {
        #expect(LinkHeader.next([value]) == next)
        #expect(LinkHeader.next(["<x>; rel=prev", value]) == next)
    }

    @Test(arguments: [
        "", "<u>", "<u>; rel=prev", "u; rel=next", "<u; rel=next", "<u>; rel=\"nextpage\"",
        "<u>; rel=prev; rel=next", "<u>; title=\"rel=next\"", "<u>; title=\"x; rel=next\"",
        "<u>; rev=next", "<u>; rel", "<u>; rel=", "<u>; rel=\"", ";;;", "<", "<>", "\"",
    ]) func `without a link of that relation there is none`(_ value: String) {
        #expect(LinkHeader.next([value]) == nil)
    }

    @Test func `a bracket, a blank or a quote is one whatever mark stands behind it`() {
        for (value, next): (String, String?) in [
            ("<a>\u{301}; rel=prev, <b>; rel=next", nil), ("<\u{301}b>; rel=next", "\u{301}b"),
            ("<b>; title=\"x\u{301}\"; rel=next", "b"),
        ] {
            #expect(LinkHeader.next([value]) == next, "\(value)")
        }
    }

    @Test func `no value of any bytes breaks it`() {
        var random = SplitMix(seed: 3)
        let pieces = [
            "<", ">", ";", ",", "=", "\"", "\\", "rel", "next", " ", "\t", "é", "\r\n", "u",
        ]
        for _ in 0..<5000 {
            let count = Int.random(in: 0...20, using: &random)
            let value = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            _ = LinkHeader.next([value])
        }
    }
}

@Suite struct WithoutParameterTests {
    @Test(arguments: [
        ("https://a/x", "https://a/x"), ("https://a/x?key=1", "https://a/x"),
        ("https://a/x?a=1&key=2&b=3", "https://a/x?a=1&b=3"), ("https://a/x?key", "https://a/x"),
        ("https://a/x?key=1&key=2&a=1", "https://a/x?a=1"),
        ("https://a/x?keys=1", "https://a/x?keys=1"),
        ("https://a/x?k%65y=1", "https://a/x"), ("https://a/x?%6b%65%79=1", "https://a/x"),
        ("https://a/x?a=key", "https://a/x?a=key"), ("https://a/x?a=%", "https://a/x?a=%"),
        ("https://a/x?%=1&%zz=2&%+1=3", "https://a/x?%=1&%zz=2&%+1=3"),
    ]) func `only the named parameter goes, however it is written`(
        _ url: String, _ expected: String
    ) {
        #expect(withoutParameter("key", in: url) == expected)
    }
}
