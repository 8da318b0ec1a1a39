import HTTP
import JobQueue
import Testing

@testable import Asking

@Suite struct SourceErrorsTests {
    @Test(arguments: [
        (401, "unauthorised", "rejected"), (403, "unauthorised", "rejected"),
        (421, "unauthorised", "rejected"), (408, "timed_out", "timed_out"),
        (429, "rate_limited", "rate_limited"), (500, "unavailable", "unavailable"),
        (503, "unavailable", "unavailable"), (599, "unavailable", "unavailable"),
        (600, "unavailable", "unavailable"), (999, "unavailable", "unavailable"),
        (400, "rejected", "rejected"), (404, "rejected", "rejected"), (409, "rejected", "rejected"),
        (304, "rejected", "rejected"), (204, "unexpected_status", "unexpected_status"),
    ]) func `a status parks the job only when there is a credential to renew`(
        _ status: Int, _ signedIn: String, _ anonymous: String
    ) {
        func end(_ hasCredential: Bool) -> RunEnd {
            classified(status: status, of: "GET /x", excerpt: "why", hasCredential: hasCredential)
        }
        #expect(end(true).errorKind == signedIn)
        #expect(end(false).errorKind == anonymous)
        #expect(end(true).message?.hasPrefix("GET /x was answered with \(status): why") == true)
        #expect((end(true).outcome == .needsReauth) == (signedIn == "unauthorised"))
    }

    @Test(arguments: [
        ("https://h.example/a/b?key=secret", "GET /a/b"), ("https://h.example", "GET /"),
        ("https://h.example/?key=secret", "GET /"), ("https://h.example?key=a/secret", "GET /"),
        ("nonsense", "GET /"), ("", "GET /"),
    ]) func `a request's label never holds its query`(_ url: String, _ expected: String) {
        #expect(requestLabel(HTTPRequest(url: url)) == expected)
    }

    @Test func `a request's label holds no query, whatever stands beside the question mark`() {
        for url in ["https://h.example/a\u{600}?key=s", "https://h.example/a?\u{301}key=s"] {
            let request = HTTPRequest(method: "GET", url: url, headers: [], body: nil)
            #expect(!requestLabel(request).contains("key"))
        }
    }
}
