import Asking
import HTTP
import JobFiles
import JobQueue
import Reading
import Testing

@testable import CloudKit

@Suite struct CredentialTests {
    private let url = "https://h.example/database/1/c/development/private/changes/zone"

    private func sent(_ url: String, _ token: String) throws -> HTTPRequest {
        try userDialect().signed(
            HTTPRequest(method: "POST", url: url, body: Array("{}".utf8)),
            with: secrets(["api": "ab/c", "web": token]), unixSeconds: vectorSeconds)
    }

    @Test func `3.1 tokens are query parameters, with plus, slash and equals encoded`() throws {
        let request = try sent(url, "54+12/9é&x==")
        #expect(
            request.url
                == "\(url)?ckAPIToken=ab%2Fc&ckWebAuthToken=54%2B12%2F9%C3%A9%26x%3D%3D")
        #expect(request.body == Array("{}".utf8))
    }

    @Test func `3.1 tokens follow a query that is there already`() throws {
        let request = try sent(url + "?getCurrentSyncToken=true", "t")
        #expect(
            request.url.hasSuffix("?getCurrentSyncToken=true&ckAPIToken=ab%2Fc&ckWebAuthToken=t"))
    }

    @Test func `3.1 a token is never mixed with a signature`() throws {
        #expect(try sent(url, "t").headers.isEmpty)
        let key = try #require(TestKey())
        let signed = try serverDialect().signed(
            HTTPRequest(method: "POST", url: url, body: Array("{}".utf8)),
            with: secrets(["key_id": "k", "key": key.pem(.sec1)]), unixSeconds: vectorSeconds)
        #expect(signed.url == url)
    }

    @Test func `3.1 without the user's token the user must sign in`() {
        let error = #expect(throws: RunEnd.self) {
            try userDialect().signed(
                HTTPRequest(url: url), with: secrets(["api": "a"]), unixSeconds: 0)
        }
        #expect(error == .needsReauth(message: "secret 'web' is not set"))
    }

    @Test func `another sign-in is left to the request itself`() throws {
        let plain = HTTPRequest(url: url)
        let dialect = CloudKitDialect(address: address(.public), authentication: .none)
        #expect(try dialect.signed(plain, with: secrets([:]), unixSeconds: 0) == plain)
    }

    @Test(
        arguments: [
            (["X-Apple-CloudKit-Web-Auth-Token": "new"], "new"),
            (["x-apple-cloudkit-session": "session"], "session"),
            (
                ["X-Apple-CloudKit-Session": "session", "X-Apple-CloudKit-Web-Auth-Token": "new"],
                "new"
            ),
            (
                ["X-Apple-CloudKit-Session": "session", "X-Apple-CloudKit-Web-Auth-Token": ""],
                "session"
            ),
            (["X-Apple-CloudKit-Session": ""], nil), (["X-Apple-Request-UUID": "u"], nil),
            ([:], nil),
        ] as [([String: String], String?)])
    func `MS27 3.1 a new token is read from its header or, without that, from the session's`(
        _ headers: [String: String], _ value: String?
    ) {
        let (response, _) = answer(200, "{}", headers: headers.map { ($0.key, $0.value) })
        let credential = userDialect().newCredential(in: response)
        #expect(credential?.value == value)
        #expect(credential?.name == value.map { _ in "web" })
    }

    @Test
    func `MS27 only a user's rotating token is replaced, and not by an answer that refuses it`()
        throws
    {
        let headers = [("X-Apple-CloudKit-Web-Auth-Token", "new")]
        let (success, _) = answer(200, "{}", headers: headers)
        #expect(userDialect(rotates: false).newCredential(in: success) == nil)
        #expect(serverDialect().newCredential(in: success) == nil)
        for status in [401, 421] {
            #expect(userDialect().newCredential(in: answer(status, headers: headers).0) == nil)
        }
        #expect(userDialect().newCredential(in: answer(503, headers: headers).0)?.value == "new")
    }

    @Test func `only a source with the preset has the dialect`() throws {
        let text = """
            version: 1
            job: app.refresh
            schedule: { every: 1h, deadline: 5m }
            source: { id: ck, base: "https://ck.example" }
            entities:
              - entity: a
                request: { path: /x }
                page: { style: single }
                records: { at: "a[]", key: [id], fields: { id: { at: id, type: text, required: true } } }
                write: { table: a, mode: overwrite }
            """
        var source = try JobFile.parse(text, file: "test.yaml").get().source
        #expect(cloudKitDialect(for: source) == nil)
        source.preset = .cloudkit(address(.private))
        let dialect = try #require(cloudKitDialect(for: source) as? CloudKitDialect)
        #expect(dialect.address == address(.private))
        #expect(dialect.authentication == source.auth)
    }
}
