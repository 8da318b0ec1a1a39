import JobFiles
import Reading
import TestJobFiles
import Testing

/// What a source says inside an answer of a good status.
@Suite struct FailureSignsTests {
    private func failure(_ errors: String, in body: String) throws -> SaidFailure? {
        FailureSigns(try entity(errors: errors)).failure(in: try node(body), now: 1_767_322_800)
    }

    @Test(arguments: [
        #"{"error": "no"}"#, #"{"error": {"code": 5}}"#, #"{"error": ["a"]}"#, #"{"error": true}"#,
        #"{"error": 7}"#,
        #"{"error": 0.5, "videos": []}"#,
    ])
    func `a value that says something is a failure`(body: String) throws {
        #expect(try failure("[{ at: error }]", in: body) != nil)
    }

    @Test(arguments: [
        "{}", #"{"error": null}"#, #"{"error": false}"#, #"{"error": ""}"#, #"{"error": []}"#,
        #"{"error": {}}"#,
        #"{"error": 0}"#, #"{"error": -0.0}"#, "[]", #""error""#,
    ])
    func `a value that says nothing is none`(body: String) throws {
        #expect(try failure("[{ at: error }]", in: body) == nil)
    }

    @Test func `what must stand there is compared by its value, and nothing is a failure`() throws {
        let ok = "[{ at: ok, must_be: [true, 1] }]"
        #expect(try failure(ok, in: #"{"ok": true}"#) == nil)
        #expect(try failure(ok, in: #"{"ok": 1.0}"#) == nil)
        for body in [#"{"ok": false}"#, #"{"ok": "true"}"#, #"{"ok": null}"#, "{}", #"{"ok": 0}"#] {
            #expect(try failure(ok, in: body) != nil, "\(body)")
        }
        #expect(try failure("[{ at: status, must_be: \"OK\" }]", in: #"{"status": "OK"}"#) == nil)
        #expect(try failure("[{ at: code, must_be: \"0\" }]", in: #"{"code": 0}"#) != nil)
    }

    @Test func `the words and the wait are the source's own`() throws {
        let errors = "[{ at: ok, must_be: true, wait_at: retry.after, message_at: error.text }]"
        let found = try #require(
            try failure(
                errors,
                in: #"{"ok": false, "retry": {"after": "2.5"}, "error": {"text": "too busy"}}"#))
        #expect(found.wait == .milliseconds(2500))
        #expect(found.message == "the answer says at error.text: too busy")
        let silent = try #require(try failure(errors, in: "{}"))
        #expect(silent.wait == nil && silent.message == "the answer has nothing at ok")
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
            FailureSigns(try entity(request: request, at: at)).failure(
                in: try node(body), now: 1_767_322_800)
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
}
