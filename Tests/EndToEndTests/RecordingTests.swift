import FakeSource
import Foundation
import JSON
import Testing

/// What `jobrunner test --record` keeps of tokens that nobody knew beforehand.
@Suite struct RecordingTests {
    /// How a job signs in, and what its source answers to that.
    struct SignIn: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var auth: String
        /// Where the token is asked for.
        var path: String
        /// Body and header fields of that answer.
        var body: String
        var headers: [JSONMember] = []
        /// What is in no recording, beside what was given by hand.
        var gained: [Canary]
    }

    private static let access = Canary(name: "access")
    private static let rotated = Canary(name: "rotated")
    private static let session = Canary(name: "session")
    private static let given = [Canary(name: "client"), Canary(name: "refresh")]

    private static func login(_ tokenAt: String, _ sent: String) -> String {
        """
        { type: session, token_at: \(tokenAt), send: { \(sent) }, login: { method: POST, path: "/generic/{user.demo_id}/login", body: { a: "{secret.client}", b: "{secret.refresh}" } } }
        """
    }

    private static let signIns = [
        SignIn(
            testDescription: "a refresh token",
            auth:
                #"{ type: oauth2_refresh, token_url: "HUB/oauth/ann/token", client_id: me, client_secret: "{secret.client}", refresh_token: "{secret.refresh}" }"#,
            path: "/oauth/ann/token",
            body:
                #"{"access_token": "\#(access.text)", "refresh_token": "\#(rotated.text)", "expires_in": 3600, "told": "\#(access.text)", "refresh_token_too": {"a": "\#(rotated.text)"}}"#,
            gained: [access, rotated]),
        SignIn(
            testDescription: "a session in a header field",
            auth: login("token", #"header: X-Session, value: "Token token={session.token}""#),
            path: "/generic/*/login",
            body: #"{"token": "\#(session.text)", "told": "\#(session.text)"}"#,
            headers: [JSONMember("ETag", .string("\"\(session.text)\""))], gained: [session]),
        SignIn(
            testDescription: "a session in the query",
            auth: login("token", #"query: sid, value: "{session.token}""#),
            path: "/generic/*/login", body: #"{"token": "\#(session.text)"}"#, gained: [session]),
        SignIn(
            testDescription: "a session in a cookie",
            auth: login("{ cookie: sid }", #"header: Cookie, value: "sid={session.token}""#),
            path: "/generic/*/login", body: "{}",
            headers: [JSONMember("Set-Cookie", .string("sid=\(session.text); Path=/"))],
            gained: [session]),
    ]

    @Test(arguments: signIns)
    func `no token that came during the run is in a recording, whatever the source repeats`(
        _ signIn: SignIn
    ) async throws {
        try await Installation.withSource { installation, source in
            let text = itemsFile(port: source.port).replacingOccurrences(
                of: "retry: { attempts: 1 } }",
                with: "retry: { attempts: 1 }, auth: "
                    + signIn.auth.replacing("HUB", with: "http://127.0.0.1:\(source.port)") + " }")
            _ = try installation.write("jobs/shop/items.yaml", text, mode: 0o644)
            for canary in Self.given { _ = try installation.write(canary.name, canary.text + "\n") }
            try await installation.answer(source, signIn)
            try await installation.tell(source, Self.given + signIn.gained)
            let line =
                "test demo.items --set demo_id=user-000001 --secret client=@@client --secret refresh=@@refresh"
            let folder = installation.folder.path + "/kept"
            let first = try await installation.run(line + " --record \(folder)")
            #expect(first.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("note: ") })
            #expect(
                first.code == 0
                    && first.output.split(separator: "\n").allSatisfy {
                        $0.hasPrefix("holds: ")
                    }, "\(first.output) \(first.errors)")
            let files = try FileManager.default.contentsOfDirectory(
                at: URL(filePath: folder), includingPropertiesForKeys: nil)
            let kept = try files.map { try String(contentsOf: $0, encoding: .utf8) }
            #expect(kept.contains { $0.contains("recorded") })
            // The source did repeat them.
            #expect(kept.contains { $0.contains("told") && $0.contains("•••") })
            #expect(try canaries(Self.given + signIn.gained, in: files) == [])

            source.stop()
            let again = try await installation.run(line + " --replay \(folder)")
            #expect(again.output == first.output, "\(again.errors)")
        }
    }
}

extension Installation {
    /// The token server, or the login, answers so each time.
    fileprivate func answer(
        _ source: FakeSourceServer, _ signIn: RecordingTests.SignIn
    ) async throws {
        try await fault(
            source,
            [
                JSONMember("kind", .string("status")), JSONMember("path", .string(signIn.path)),
                JSONMember("status", .integer(200)), JSONMember("headers", .object(signIn.headers)),
                JSONMember("body", .string(signIn.body)),
            ])
    }

    /// Each page of items also tells all forms of the secrets.
    fileprivate func tell(_ source: FakeSourceServer, _ secrets: [Canary]) async throws {
        let told = JSONValue.array(secrets.flatMap(\.echoes).map(JSONValue.string)).text
        try await fault(
            source,
            [
                JSONMember("kind", .string("replace")),
                JSONMember("path", .string("/generic/*/token")),
                JSONMember("from", .string("\"items\":")),
                JSONMember("to", .string("\"told\":\(told),\"items\":")),
            ])
    }

    private func fault(_ source: FakeSourceServer, _ members: [JSONMember]) async throws {
        let text = JSONValue.object(members + [JSONMember("times", .integer(0))]).text
        try await command(source, "faults", text)
    }
}
