import HTTP
import Testing

@Suite struct HTTPDateTests {
    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
        ("Wednesday, 31-Dec-69 23:59:59 GMT", 3_155_759_999),
    ])
    func `a date is seconds since 1970`(_ text: String, _ seconds: Int) {
        #expect(HTTPDate.unixSeconds(text) == seconds)
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
        ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
    ])
    func `seconds since 1970 are written as a date`(_ text: String, _ seconds: Int) {
        #expect(HTTPDate.text(unixSeconds: seconds) == text)
    }
}

@Suite struct PercentEncodingTests {
    @Test(arguments: [
        ("abcXYZ019-._~", "abcXYZ019-._~"), ("a b", "a%20b"), ("a/b?c#d", "a%2Fb%3Fc%23d"),
        ("ü€", "%C3%BC%E2%82%AC"), ("100%", "100%25"), ("a\r\n\0", "a%0D%0A%00"),
        ("+&=", "%2B%26%3D"),
        ("", ""), ("...", "..."),
    ])
    func `all but unreserved bytes are encoded`(_ text: String, _ encoded: String) {
        #expect(percentEncode(pathSegment: text) == encoded)
        #expect(percentEncode(queryValue: text) == encoded)
    }

    @Test func `a path segment never steps up by its dots alone`() {
        #expect(percentEncode(pathSegment: ".") == "%2E")
        #expect(percentEncode(pathSegment: "..") == "%2E%2E")
        #expect(percentEncode(queryValue: "..") == "..")
    }
}

@Suite struct OriginTests {
    @Test(arguments: [
        ("http://Example.COM", "http://example.com:80/x?y"), ("https://a:443/", "HTTPS://A/b"),
        ("http://[::1]:8080/", "http://[::1]:8080?x"), ("http://a:/", "http://a/"),
    ])
    func `the same scheme, host and port are one origin`(_ left: String, _ right: String) {
        #expect(Origin(url: left) != nil)
        #expect(Origin(url: left) == Origin(url: right))
    }

    @Test(arguments: ["https://a/", "http://a:81/", "http://b/", "http://a./", "http://a.b/"])
    func `any difference is another origin`(_ url: String) {
        #expect(Origin(url: url) != nil)
        #expect(Origin(url: url) != Origin(url: "http://a/"))
    }

    @Test func `an origin prints as the start of its URLs`() {
        #expect(Origin(url: "HTTP://Example.com:80/a?b")?.description == "http://example.com")
        #expect(
            Origin(url: "https://[2001:DB8::1]:8443/")?.description == "https://[2001:db8::1]:8443")
    }

    /// The examples of RFC 3986, section 5.4, with http and without fragments.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"),
        (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
        ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
        ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/../x", "http://a/b/c/g?y/../x"), ("https://h:1/x", "https://h:1/x"),
        ("http://h", "http://h/"), ("é x", "http://a/b/c/%C3%A9%20x"),
        ("g?a:b", "http://a/b/c/g?a:b"),
    ])
    func `a reference resolves as the RFC says`(_ reference: String, _ url: String) {
        #expect(Origin.resolve(reference, against: "http://a/b/c/d;p?q") == url)
    }

    @Test(arguments: [
        "mailto:a@b", "file:///x", "http:g", "http://u@h/", "javascript:alert(1)", "/a\r\nb", "//",
        "http://h:99999/",
    ])
    func `a reference to anything but http is nothing`(_ reference: String) {
        #expect(Origin.resolve(reference, against: "http://a/b") == nil)
    }

    @Test func `a reference against a bare host keeps the slash`() {
        #expect(Origin.resolve("g", against: "https://a:8443") == "https://a:8443/g")
    }
}
