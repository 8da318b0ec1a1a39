@testable import HTTP
import Testing

@Suite struct RefusedRequestTests {
    @Test(arguments: [
        HTTPHeader("X", "a\r\nY: b"), HTTPHeader("X", "a\nb"), HTTPHeader("X", "a\0b"),
        HTTPHeader("X", "a\u{7f}"), HTTPHeader("X\r\nY", "a"), HTTPHeader("X Y", "a"),
        HTTPHeader("X:", "a"), HTTPHeader("", "a"), HTTPHeader("Host", "elsewhere"),
        HTTPHeader("content-length", "1"), HTTPHeader("Transfer-Encoding", "chunked"),
    ])
    func `a header that would change the message is refused`(_ header: HTTPHeader) async {
        let request = HTTPRequest(url: "http://127.0.0.1:1/", headers: [header])
        guard case .invalidRequest(let why) = await HTTPClient().failure(of: request) else {
            Issue.record("expected a refusal")
            return
        }
        #expect(!why.contains("\n"))
        #expect(header.value.isEmpty || header.value == "a" || !why.contains(header.value))
    }

    @Test(arguments: ["", "GE T", "GET\r\n", "GET /x"])
    func `a method that is no word is refused`(_ method: String) async {
        let request = HTTPRequest(method: method, url: "http://127.0.0.1:1/")
        #expect(
            await HTTPClient().failure(of: request) == .invalidRequest("the method is not a word"))
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://127.0.0.1/", "127.0.0.1", "http:/127.0.0.1/", "http://",
        "http://user:password@127.0.0.1/", "http://127.0.0.1/a b", "http://127.0.0.1/\r\nX: y",
        "http://127.0.0.1/\0", "http://127.0.0.1:0/", "http://127.0.0.1:65536/", "http://é/",
        "http://127.0.0.1\\@elsewhere/", "http://[::1/", "http://[fe80::1%25eth0]/", "",
    ])
    func `a URL that is not plain http is refused`(_ url: String) async {
        guard case .invalidRequest(let why) = await HTTPClient().failure(of: url) else {
            Issue.record("expected a refusal")
            return
        }
        #expect(!why.contains("password"))
    }

    @Test func `every error is one line without the query`() {
        let errors: [HTTPError] = [
            .invalidRequest("a"), .timedOut(phase: .queued), .cancelled, .resolve("a"),
            .connect("a"), .tls("a"), .sendOrReceive("a"), .truncated, .badEncoding,
            .tooLarge(.wire, limit: 1), .redirectRefused(host: "a"), .tooManyRedirects,
            .addressRefused(AddressRefusal(address: "::1", range: "Loopback", canBeNamed: true)),
            .addressNotPublic,
        ]
        for error in errors {
            let line = error.description
            #expect(!line.isEmpty)
            #expect(!line.contains("\n"))
        }
    }
}
