import JobFiles
import Reading
import TestJobFiles
import Testing

/// What a source says inside an answer of a good status.
@Suite struct ErrorRulesTests {
    private func failure(_ errors: String, in body: String) throws -> SaidFailure? {
        try failure(ErrorRules(try entity(errors: errors)), body)
    }

    private func failure(_ rules: ErrorRules, _ body: String) throws -> SaidFailure? {
        switch rules.verdict(status: 200, try node(body), now: 1_767_322_800) {
        case .fail(let said), .retry(let said): said
        default: nil
        }
    }

    @Test(arguments: [
        #"{"error": "no"}"#, #"{"error": {"code": 5}}"#, #"{"error": ["a"]}"#, #"{"error": true}"#,
        #"{"error": 7}"#,
        #"{"error": 0.5, "videos": []}"#,
    ])
    func `a value that says something is a failure`(body: String) throws {
        #expect(try failure("[{ body: { at: error, filled: true }, then: fail }]", in: body) != nil)
    }

    @Test(arguments: [
        "{}", #"{"error": null}"#, #"{"error": false}"#, #"{"error": ""}"#, #"{"error": []}"#,
        #"{"error": {}}"#,
        #"{"error": 0}"#, #"{"error": -0.0}"#, "[]", #""error""#,
    ])
    func `a value that says nothing is none`(body: String) throws {
        #expect(try failure("[{ body: { at: error, filled: true }, then: fail }]", in: body) == nil)
    }

    @Test func `what must stand there is compared by its value, and nothing is a failure`() throws {
        let ok = "[{ body: { at: ok, not_in: [true, 1] }, then: fail }]"
        #expect(try failure(ok, in: #"{"ok": true}"#) == nil)
        #expect(try failure(ok, in: #"{"ok": 1.0}"#) == nil)
        for body in [#"{"ok": false}"#, #"{"ok": "true"}"#, #"{"ok": null}"#, "{}", #"{"ok": 0}"#] {
            #expect(try failure(ok, in: body) != nil, "\(body)")
        }
        #expect(
            try failure(
                "[{ body: { at: status, ne: \"OK\" }, then: fail }]", in: #"{"status": "OK"}"#)
                == nil)
        #expect(
            try failure("[{ body: { at: code, ne: \"0\" }, then: fail }]", in: #"{"code": 0}"#)
                != nil)
    }

    @Test func `the words and the wait are the source's own`() throws {
        let errors =
            "[{ body: { at: ok, ne: true }, then: retry, wait_at: retry.after, message_at: error.text }]"
        let found = try #require(
            try failure(
                errors,
                in: #"{"ok": false, "retry": {"after": "2.5"}, "error": {"text": "too busy"}}"#))
        #expect(found.wait == .milliseconds(2500))
        #expect(found.message == "the answer says at error.text: too busy")
        let silent = try #require(try failure(errors, in: "{}"))
        #expect(silent.wait == nil && silent.message == "the answer has nothing at error.text")
        for seconds in ["-1", "1e400", "1e300", "\"soon\"", "null"] {
            let wait = try failure(errors, in: "{\"retry\": {\"after\": \(seconds)}}")?.wait
            #expect(wait.map { $0 >= .zero } ?? true, "\(seconds)")
        }
    }

    @Test
    func `the errors of GraphQL are known by themselves, unless the records are read from them`()
        throws
    {
        let body = #"{"data": {"videos": []}, "errors": [{"message": "timeout"}]}"#
        let query = #"{ method: POST, path: /graphql, body: { query: "{{ videos {{ id }} }}" } }"#
        func failure(_ request: String, at: String = "data.videos[]", in body: String) throws
            -> SaidFailure?
        {
            try self.failure(ErrorRules(try entity(request: request, at: at)), body)
        }
        #expect(try failure(query, in: body) != nil)
        #expect(try failure(query, in: #"{"data": {"videos": []}, "errors": []}"#) == nil)
        #expect(try failure(query, in: #"{"data": {"videos": []}}"#) == nil)
        #expect(try failure(query, at: "errors[]", in: body) == nil)
        #expect(try failure("{ path: /feed }", in: body) == nil)
        #expect(try failure("{ method: POST, path: /feed, body: { q: x } }", in: body) == nil)
        let filled =
            #"{ method: POST, path: /g, body: { query: "{{ a }}", variables: { u: "{user.u}" } } }"#
        #expect(try failure(filled, in: body) != nil)
    }

    @Test func `the first rule that fits holds, and one without a status is for a list's status`()
        throws
    {
        let rules = ErrorRules(
            try entity(
                page: "{ style: page }", request: "{ path: /feed, query: { p: \"{page.token}\" } }",
                errors: """
                    [{ status: 404, body: { at: code, eq: 7 }, then: end }, { status: 404, then: skip }, \
                    { body: { at: error, contains: "gone" }, then: empty }, \
                    { status: 403, body: { at: code, filled: false }, then: skip }]
                    """))
        func verdict(_ status: Int, _ body: String?, asks: Bool = false) throws -> ErrorVerdict? {
            rules.verdict(
                status: status, try body.map(node), asksForPatience: asks, now: 1_767_322_800)
        }
        #expect(try verdict(404, #"{"code": 7.0}"#) == .end)
        #expect(try verdict(404, #"{"code": "7"}"#) == .skip("the answer has status 404"))
        #expect(try verdict(404, nil) == .skip("the answer has status 404"))
        #expect(try verdict(404, nil, asks: true) == nil)
        #expect(try verdict(404, #"{"code": 7}"#, asks: true) == .end)
        #expect(
            try verdict(200, #"{"error": "All Gone"}"#)
                == .empty("the answer says at error: All Gone"))
        #expect(try verdict(201, #"{"error": "gone"}"#) == nil)
        #expect(try verdict(400, #"{"error": "gone"}"#) == nil)
        #expect(
            try verdict(403, "{}")
                == .skip("the answer, which has status 403, has nothing at code"))
        // What is no JSON has nothing at any place, which says nothing.
        #expect(try verdict(403, nil) == nil)
        #expect(try verdict(403, #"{"code": 1}"#) == nil)
    }
}
