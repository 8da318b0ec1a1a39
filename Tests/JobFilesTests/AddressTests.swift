@testable import JobFiles
import JSON
import Testing

/// What an attribute may make of an address.
@Suite struct AddressTests {
    @Test(arguments: [
        ("acme", "https://acme.zendesk.example:8443/v1/w/x"),
        ("ACME", "https://acme.zendesk.example:8443/v1/w/x"),
        ("eu.acme", "https://eu.acme.zendesk.example:8443/v1/w/x"),
        ("xn--e1afmkfd", "https://xn--e1afmkfd.zendesk.example:8443/v1/w/x"),
        ("127.0.0.1", "https://127.0.0.1.zendesk.example:8443/v1/w/x"),
    ])
    func `labels of the host are filled in`(_ value: String, _ address: String) throws {
        let template = try #require(
            AddressTemplate("https://{user.a}.zendesk.example:8443/v1/{user.b}/x"))
        let rendered = try template.rendered(
            with: user(value, "w"), hosts: ["*.zendesk.example"])
        #expect(rendered.text == address)
        #expect(rendered.isPublicOnly)
        #expect(rendered.chosenHost == String(address.split(separator: "/")[1].dropLast(5)))
    }

    @Test(arguments: [
        "", ".", "a.", ".a", "a..b", "-a", "a-", "a_b", "a b", "a/b", "a?b", "a#b", "a@b", "a:80",
        "a%2eb", "a\u{0}", "a\n", "пример", "a\u{301}", "evil.example#", "evil.example/", "[::1]",
        "*", "a\\b", String(repeating: "a", count: 64),
        String(repeating: "a.", count: 130) + "a",
    ])
    func `nothing else is a part of a host`(_ value: String) throws {
        let template = try #require(AddressTemplate("https://{user.a}.zendesk.example"))
        #expect(throws: InputProblem.self) {
            try template.rendered(with: user(value, "w"), hosts: ["*"])
        }
    }

    @Test(arguments: [
        "", ".", "..", "a/..", "../a", "a//b", "/a", "a/", "a?b", "a#b", "a b", "a%2f", "a\\b",
        "a\n", "é", "{x}", "a\"",
    ])
    func `nothing is a part of a path that moves its borders`(_ value: String) throws {
        let template = try #require(AddressTemplate("https://zendesk.example/{user.b}"))
        #expect(throws: InputProblem.self) {
            try template.rendered(with: user("a", value), hosts: [])
        }
    }

    @Test func `a path takes whole segments, and a host that the file names is no choice`() throws {
        let template = try #require(AddressTemplate("https://Zendesk.example/{user.b}"))
        let rendered = try template.rendered(with: user("a", "v1/acme:x@y.z"), hosts: [])
        #expect(rendered.text == "https://Zendesk.example/v1/acme:x@y.z")
        #expect(rendered.chosenHost == nil)
        #expect(!rendered.isPublicOnly)
    }

    @Test(arguments: [
        ("*.zendesk.example", "zendesk.example"),
        ("*.zendesk.example", "a.zendesk.example.evil.example"),
        ("*.zendesk.example", "azendesk.example"), ("api.zendesk.example", "a.zendesk.example"),
        ("*", "localhost"), ("*", "127.0.0.1"), ("*", "2130706433"), ("*", "0x7f.1"),
        ("*", "127.1"), ("*", "a.0x7f"), ("*", "017700000001"), ("*", "169.254.169.254"),
        ("127.0.0.1", "127.0.0.2"),
    ])
    func `a host that no entry allows is refused by its name`(_ entry: String, _ host: String)
        throws
    {
        let template = try #require(AddressTemplate("https://{user.a}"))
        do {
            _ = try template.rendered(with: user(host, "w"), hosts: [entry])
            Issue.record("expected a refusal")
        } catch {
            #expect(
                error.message
                    == "user attribute 'a' leads to host \"\(host)\", which source.hosts does not allow"
            )
        }
    }

    @Test(arguments: [
        (["*"], "a.example", true), (["*.example"], "a.b.example", true),
        (["*", "a.example"], "a.example", false), (["10.0.0.1"], "10.0.0.1", false),
        (["localhost"], "LOCALHOST", false),
    ])
    func `what only a pattern allows must be public, a name of the file's own need not`(
        _ entries: [String], _ host: String, _ isPublicOnly: Bool
    ) throws {
        let template = try #require(AddressTemplate("https://{user.a}"))
        let rendered = try template.rendered(with: user(host, "w"), hosts: entries)
        #expect(rendered.isPublicOnly == isPublicOnly)
    }

    @Test(arguments: [
        ("https://{user.a}/token", "https://evil.example/token", true),
        ("https://{user.a}.x/{user.b}/token", "https://a.x/b/token", true),
        ("https://{user.a}.x/{user.b}/token", "https://a.y/b/token", false),
        ("https://{user.a}/token", "https://a/tokens", false),
        ("https://a/token", "https://a/token", true), ("https://a/token", "https://b/token", false),
    ])
    func `a recording knows a token endpoint whatever its host`(
        _ tokenURL: String, _ url: String, _ isAsked: Bool
    ) {
        let client = OAuth2(tokenURL: tokenURL, clientID: Template(pieces: []))
        #expect(client.isAsked(at: url) == isAsked)
    }

    private func user(_ a: String, _ b: String) -> JSONValue {
        .object([JSONMember("a", .string(a)), JSONMember("b", .string(b))])
    }
}
