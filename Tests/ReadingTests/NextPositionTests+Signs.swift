import Testing

@testable import Reading

// Numbers that make a position, and what a page says of the end beside it.
extension NextPositionTests {
    @Test(arguments: [
        (#"{"from": 10, "count": 5, "total": 20}"#, "15"),
        (#"{"from": "10", "count": 5.0, "total": "20"}"#, "15"),
        (#"{"from": 15, "count": 5, "total": 20}"#, nil), (#"{"from": 15, "count": 5}"#, "20"),
        (#"{"from": 10, "total": 20}"#, nil), (#"{"from": null, "count": 5}"#, nil),
        (#"{"from": 10, "count": 5, "total": 20, "is_last": true}"#, nil),
        (#"{"from": 10, "count": 5, "total": 20, "is_last": false}"#, "15"),
    ])
    func `sum: the pass goes on at what the numbers of the page come to, below the total`(
        _ body: String, _ next: String?
    ) throws {
        let page =
            "{ style: token, token_at: { sum: [from, count], below: total }, last_at: is_last }"
        #expect(try position(page, body).next == next)
    }

    @Test(arguments: [
        (#"{"n": 1, "links": {"next": "/more"}}"#, false),
        (#"{"n": 1, "links": {"next": {"a": 1}}}"#, false),
        (#"{"n": 1, "links": {"next": null}}"#, true), (#"{"n": 1, "links": {"next": ""}}"#, true),
        (#"{"n": 1, "links": {"next": 0}}"#, true), (#"{"n": 1, "links": {"next": false}}"#, true),
        (#"{"n": 1}"#, true),
    ])
    func `a list goes on as long as something stands where the file says`(
        _ body: String, _ ends: Bool
    ) throws {
        let found = try position("{ style: token, token_at: n, more_if: links.next }", body)
        #expect((found.next == nil) == ends)
    }

    @Test(arguments: [
        (#"{"n": 1}"#, 50, true), (#"{"n": 1}"#, 49, false),
        (#"{"n": 1, "links": {"next": null}}"#, 50, false),
    ])
    func `a full first page that has nothing where more is said proves no end`(
        _ body: String, _ records: Int, _ isDoubted: Bool
    ) throws {
        let page = "{ style: token, token_at: n, more_if: links.next }"
        let found = try position(page, body, records: records)
        #expect(found.next == nil && (found.doubt != nil) == isDoubted)
    }

    @Test(arguments: [
        #"{"from": "x", "count": 5}"#, #"{"from": 1.5, "count": 5}"#, #"{"from": [], "count": 5}"#,
    ])
    func `sum: what is no whole number is malformed, and no end`(_ body: String) throws {
        #expect {
            try position("{ style: token, token_at: { sum: [from, count] } }", body)
        } throws: { ($0 as? PageError)?.word == "malformed" }
    }

    @Test(arguments: [
        (#"{"next": "/b"}"#, "https://h.example/b"),
        (#"{"meta": {"next": "/a"}, "next": "/b"}"#, "https://h.example/a"),
        (#"{"meta": {"next": null}, "next": "/b"}"#, "https://h.example/b"),
        (#"{"meta": {}}"#, nil),
    ])
    func `next address: of several places the first that has something counts`(
        _ body: String, _ next: String?
    ) throws {
        #expect(try position("{ style: next_url, url_at: [meta.next, next] }", body).next == next)
    }
}
