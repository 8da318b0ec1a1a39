import HTTP
import JSON
@testable import JobFiles
import JobQueue
import Secrets
import TestJobFiles
import Testing

@testable import Asking

/// Values a run might hold.
private func someValues() -> Values {
    var values = Values(
        attributes: .object([
            JSONMember("id", .string("a/b c")), JSONMember("dots", .string("..")),
            JSONMember("dot", .string(".")), JSONMember("empty", .string("")),
            JSONMember("n", .number("7")), JSONMember("yes", .bool(true)),
            JSONMember("nothing", .null), JSONMember("map", .object([])),
        ]), now: 1_709_175_845_678_901)
    values.secrets = [
        "key": SecretValue(Array("s&c=ret".utf8)), "user": SecretValue([0xC3, 0xA9]),
    ]
    values.lists = ["ids": ["x", "y"], "none": []]
    values.pass.pageSize = 50
    return values
}

private func template(_ text: String) throws -> Template { try Template(parsing: text) }

@Suite struct RenderingTests {
    private let renderer = Renderer(values: someValues())

    @Test(arguments: [
        ("plain", "plain"), ("{user.id}", "a/b c"), ("n={user.n}", "n=7"), ("{user.yes}", "true"),
        ("{list.ids}", "x,y"), ("{list.none}", ""), ("{page.size}", "50"),
        ("{secret.key}", "s&c=ret"), ("{now}", "2024-02-29T03:04:05.678901Z"),
        ("to:{now.date}", "to:2024-02-29"), ("{now-30d.date}", "2024-01-30"),
        ("{now+1d.epoch_s}", "1709262245"), ("{now.epoch_ms}", "1709175845678"),
    ]) func `a text is filled with the plain form of a value`(_ text: String, _ expected: String)
        throws
    { #expect(try renderer.text(template(text)) == expected) }

    @Test(arguments: [
        ("{user.absent}", "missing"), ("{secret.absent}", "unauthorised"),
        ("{list.absent}", "missing"),
    ])
    func `a lone placeholder without a value takes its key away, inside a text it is an error`(
        _ text: String, _ kind: String
    ) throws {
        #expect(try renderer.text(template(text)) == nil)
        #expect {
            try renderer.text(template("x\(text)"))
        } throws: { ($0 as? RunEnd)?.errorKind == kind }
        #expect {
            try renderer.requiredText(template(text))
        } throws: { ($0 as? RunEnd)?.errorKind == kind }
    }

    @Test(arguments: ["{since}", "{until}", "{page.token}", "\"{since}\"", "after:{page.token}"])
    func `what a first page has no value for takes its key away, also inside a text`(
        _ text: String
    ) throws {
        #expect(try renderer.text(template(text)) == nil)
        #expect {
            try renderer.requiredText(template(text))
        } throws: { ($0 as? RunEnd)?.errorKind == "missing" }
    }

    @Test(arguments: ["{user.map}", "{user.nothing}"])
    func `an object or a null has no plain form`(_ text: String) throws {
        #expect(throws: RunEnd.self) { try renderer.text(template("a{user.map}")) }
        #expect(throws: RunEnd.self) { try renderer.text(template(text)) }
    }

    @Test func `in a body a lone placeholder keeps its type, and a missing one removes its key`()
        throws
    {
        let body = BodyTemplate.object([
            BodyMember(name: "ids", value: .text(try template("{list.ids}"))),
            BodyMember(name: "size", value: .text(try template("{page.size}"))),
            BodyMember(name: "cursor", value: .text(try template("{page.token}"))),
            BodyMember(name: "yes", value: .text(try template("{user.yes}"))),
            BodyMember(name: "text", value: .text(try template("n={user.n}"))),
            BodyMember(name: "null", value: .text(try template("{user.nothing}"))),
            BodyMember(name: "fixed", value: .literal(.number("1"))),
            BodyMember(
                name: "list",
                value: .array([.text(try template("{since}")), .literal(.bool(false))])),
        ])
        let text = try renderer.body(body).map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(
            text
                == #"{"ids":["x","y"],"size":50,"yes":true,"text":"n=7","null":null,"fixed":1,"list":[false]}"#
        )
    }
}

@Suite struct RequestAssemblyTests {
    private func assembly(_ auth: Authentication = .none, base: String = "https://h.example/v1")
        throws -> RequestAssembly
    {
        var source = try jobFile().source
        source.auth = auth
        return RequestAssembly(source: source, base: base, renderer: Renderer(values: someValues()))
    }

    private func request(_ path: String, _ query: [(String, String)] = []) throws -> Request {
        Request(
            method: "GET", path: try template(path),
            query: try query.map { NamedTemplate(name: $0.0, value: try template($0.1)) },
            headers: [], body: nil)
    }

    @Test func `values are encoded for the place they go to`() throws {
        let sent = try assembly().request(
            request(
                "/u/{user.id}/a{user.dots}",
                [("q w", "{user.id}"), ("cursor", "{page.token}"), ("ids", "{list.ids}")]))
        #expect(sent.url == "https://h.example/v1/u/a%2Fb%20c/a%2E%2E?q%20w=a%2Fb%20c&ids=x%2Cy")
        #expect(sent.headers == [HTTPHeader("Accept", "application/json")])
    }

    @Test func `a form is sent as parameters are, a name as often as it has values`() throws {
        var asked = try request("/find", [("types[]", "a b"), ("types[]", "{user.n}")])
        asked.method = "POST"
        asked.form = [
            NamedTemplate(name: "q", value: try template("x&y={user.id}")),
            NamedTemplate(name: "cursor", value: try template("{page.token}")),
            NamedTemplate(name: "q", value: try template("{list.ids}")),
        ]
        let sent = try assembly().request(asked)
        #expect(sent.url == "https://h.example/v1/find?types%5B%5D=a%20b&types%5B%5D=7")
        #expect(
            sent.body.map { String(decoding: $0, as: UTF8.self) } == "q=x%26y%3Da%2Fb%20c&q=x%2Cy")
        #expect(
            sent.headers.contains(HTTPHeader("Content-Type", "application/x-www-form-urlencoded")))
    }

    @Test func `each sign-in goes where it belongs`() throws {
        let key = try template("{secret.key}")
        let table: [(Authentication, String, [HTTPHeader])] = [
            (.none, "/", []),
            (.bearer(token: key), "/", [HTTPHeader("Authorization", "Bearer s&c=ret")]),
            (.header(name: "X-Key", value: key), "/", [HTTPHeader("X-Key", "s&c=ret")]),
            (.query(name: "k y", value: key), "/?k%20y=s%26c%3Dret", []),
            (
                .basic(user: try template("{secret.user}"), password: key), "/",
                [HTTPHeader("Authorization", "Basic w6k6cyZjPXJldA==")]
            ),
        ]
        for (auth, tail, headers) in table {
            let sent = try assembly(auth).request(request("/"))
            #expect(sent.url == "https://h.example/v1" + tail)
            #expect(sent.headers == headers + [HTTPHeader("Accept", "application/json")])
        }
    }

    /// RFC 4648, section 10, and RFC 7617's own example.
    @Test(arguments: [
        ("", "", "Og=="), ("f", "", "Zjo="), ("fo", "", "Zm86"), ("foo", "b", "Zm9vOmI="),
        ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        ("test", "123£", "dGVzdDoxMjPCow=="),
    ]) func `basic sign-in is base64 as the standard has it`(
        _ user: String, _ password: String, _ expected: String
    ) throws {
        let auth = Authentication.basic(
            user: Template(pieces: [.literal(user)]),
            password: Template(pieces: [.literal(password)]))
        let sent = try assembly(auth).request(request("/"))
        #expect(sent.headers.first?.value == "Basic \(expected)")
    }

    @Test(arguments: [
        ("https://h.example/n?c=2", "https://h.example/n?c=2&key=s%26c%3Dret"),
        ("https://h.example/n", "https://h.example/n?key=s%26c%3Dret"),
    ]) func `a whole address gets the sign-in it was stored without`(
        _ next: String, _ expected: String
    ) throws {
        let auth = Authentication.query(name: "key", value: try template("{secret.key}"))
        let sent = try assembly(auth).request(request("/x", [("c", "{user.absent}")]), to: next)
        #expect(sent.url == expected)
        #expect(try assembly().request(request("/x"), to: next).url == next)
    }

    @Test func `a missing secret is an error, not an empty sign-in`() throws {
        let absent = try template("{secret.absent}")
        for auth in [Authentication.bearer(token: absent), .query(name: "k", value: absent)] {
            #expect {
                try assembly(auth).request(request("/"))
            } throws: { ($0 as? RunEnd) == .secretMissing("absent") }
        }
    }

    @Test(arguments: [
        "/users/{user.dots}/feed", "/users/{user.empty}/feed", "/users/{user.empty}",
        "/users/{user.dot}", "/users/.{user.dot}/feed", "/users/%2e{user.dot}/feed",
        "/users/{user.dot}{user.dot}", "/users/{user.dot}{user.empty}/x",
    ]) func `a value that makes a part of a path empty or a step in the tree is refused`(
        _ path: String
    ) throws {
        #expect {
            try Renderer(values: someValues()).path(template(path))
        } throws: { ($0 as? RunEnd)?.errorKind == "missing" }
    }

    @Test(arguments: [
        ("/users/a{user.dots}/feed", "/users/a%2E%2E/feed"), ("/v1//x/../{user.n}", "/v1//x/../7"),
        ("/users/{user.id}", "/users/a%2Fb%20c"),
    ]) func `other values stand in a path percent-encoded`(_ path: String, _ expected: String)
        throws
    { #expect(try Renderer(values: someValues()).path(template(path)) == expected) }
}
