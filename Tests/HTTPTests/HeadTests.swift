import Testing

@testable import HTTP

/// The lines of a head, as curl hands them over.
@Suite struct HeadTests {
    @Test
    func `a line that begins with a blank goes on the one before, whatever follows the blank`() {
        let transfer = Transfer(request: HTTPRequest(url: "http://a.example/"), deadline: .now)
        for line in [
            "HTTP/1.1 200 OK\r\n", "X: a\r\n", " b\r\n", " \u{301}Y: c\r\n", " \t\r\n", "\r\n",
        ] {
            #expect(
                Array(line.utf8).withUnsafeBytes {
                    transfer.receive(headerLine: $0, limits: HTTPLimits())
                })
        }
        #expect(transfer.headers == [HTTPHeader("X", "a b \u{301}Y: c")])
    }
}
