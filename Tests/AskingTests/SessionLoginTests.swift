import HTTP
import JSON
import JobFiles
import Secrets
import TestJobFiles
import Testing

@testable import Asking

@Suite struct SessionLoginTests {
    private func login(_ auth: String) throws -> SessionLogin {
        let yaml = """
            version: 1
            job: app.refresh
            schedule: { every: 1h, deadline: 5m }
            source:
              id: hub
              base: "https://hub.example/api"
              headers: { X-Key: "{secret.key}" }
              auth: \(auth)
            entities:
              - entity: video
                request: { path: /feed }
                page: { style: single }
                records: { at: "videos[]", key: [id], fields: { id: { at: id, type: text, required: true } } }
                write: { table: video, mode: overwrite }
            """
        let file = try JobFile.parse(yaml, file: "f.yaml").get()
        return try #require(SessionLogin(for: file.source, at: "https://hub.example/api"))
    }

    private func request(_ auth: String) throws -> HTTPRequest {
        var values = Values(attributes: .object([]), now: 0)
        values.secrets = [
            "id": SecretValue(Array("app".utf8)), "key": SecretValue(Array("s:1".utf8)),
        ]
        return try login(auth).request(SourceSecrets(values), nowUnixSeconds: 0)
    }

    private func authorization(_ request: HTTPRequest) -> [String] {
        request.headers.filter { $0.name == "Authorization" }.map(\.value)
    }

    @Test func `a login below an address of its own is signed with a name and a password`() throws {
        let auth =
            #"{ type: session, login: { method: POST, path: /token }, base: "https://login.example/v1", basic: { user: "{secret.id}", password: "{secret.key}" }, token_at: t }"#
        let asked = try request(auth)
        #expect(asked.url == "https://login.example/v1/token")
        #expect(authorization(asked) == ["Basic YXBwOnM6MQ=="])
        #expect(try !login(auth).isOfSource)
        #expect(try Set(login(auth).secretNames) == ["id", "key"])
    }

    @Test func `without them it is below the base, and says by itself whose it is`() throws {
        let auth =
            #"{ type: session, login: { path: /token, query: { k: "{secret.id}" } }, token_at: t }"#
        let asked = try request(auth)
        #expect(asked.url == "https://hub.example/api/token?k=app")
        #expect(authorization(asked) == [])
        #expect(try login(auth).isOfSource)
    }

    @Test func `another address or another name asks for another token`() throws {
        func purpose(_ base: String, _ user: String) throws -> String {
            try login(
                #"{ type: session, login: { path: /token }, base: "\#(base)", basic: { user: "\#(user)", password: "{secret.key}" }, token_at: t }"#
            ).purpose
        }
        let all = [
            try purpose("https://a.example", "x"), try purpose("https://b.example", "x"),
            try purpose("https://a.example", "y"),
        ]
        #expect(Set(all).count == 3)
    }

    @Test(arguments: [
        ("", "https://hub.example/api/token", ["s:1"]),
        (#"base: "https://login.example/v1", "#, "https://login.example/v1/token", []),
    ])
    func `what a source is sent with each request goes to no other host`(
        _ base: String, _ url: String, _ keys: [String]
    ) throws {
        let sent = try request(
            #"{ type: session, login: { method: POST, path: /token, body: { k: "{secret.key}" } }, \#(base)token_at: t }"#
        )
        #expect(sent.url == url)
        #expect(sent.headers.filter { $0.name == "X-Key" }.map(\.value) == keys)
    }
}
