import JSON
import Postgres
import Secrets
import Testing

/// The zone of MeTube's tokens, and the secret that they become.
let tokenZone = "TokenZone"
let tokenName = "youtube_refresh_token"

/// A world with MeTube's tokens, of which there are none yet.
func withTokens(
    changes: [(String, String)] = [], _ body: (World) async throws -> Void
) async throws {
    try await withCloud(.tokens, #""records": 0, "broken": 0"#, changes: changes, body)
}

extension World {
    /// One of the user's devices stores its token, which was done at `modified`, milliseconds since 1970, or is done now.
    func deviceStores(
        _ token: String, on device: String = "phone", modified: Int? = nil
    ) async throws {
        try await deviceStores(value: .string(token), on: device, modified: modified)
    }

    /// The same of a value that may be no text.
    func deviceStores(
        value token: JSONValue, on device: String = "phone", modified: Int? = nil,
        user: String = userName(1)
    ) async throws {
        func field(_ value: JSONValue) -> JSONValue { .object([JSONMember("value", value)]) }
        var members = [
            JSONMember("recordName", .string(device)),
            JSONMember("recordType", .string("YouTubeToken")),
            JSONMember(
                "fields",
                .object([
                    JSONMember("refreshToken", field(token)),
                    JSONMember("device", field(.string(device))),
                ])),
        ]
        if let modified { members.append(JSONMember("modified", .integer(modified))) }
        try await cloud(
            .metube, modified == nil ? "edit" : "records",
            #""user": "\#(user)", "zone": "\#(tokenZone)", "records": [\#(JSONValue.object(members).text)]"#
        )
    }

    /// A secret of the user in clear; nil: there is none.
    func secret(_ name: String = tokenName, of user: String = userName(1)) async throws -> String? {
        let rows = try await sql(
            """
            select s.sealed
            from jobrunner.secrets as s join jobrunner.users as u on u.id = s.user_id
            where u.key = $1 and s.name = $2
            """, .text(user), .text(name))
        guard let row = rows.first else { return nil }
        return try await opened(try row.bytes("sealed"), as: name)
    }

    /// The row of the token's secret in all its columns, and the version that it is.
    func secretRow() async throws -> String? {
        try await value(
            "select s.ctid || ' ' || s::text from jobrunner.secrets as s where s.name = $1",
            .text(tokenName))
    }

    /// Another job of the user, which signs in with the token.
    static func reader() -> String {
        World.generic(
            "single", page: "style: single",
            source: """
                auth: { type: bearer, token: "{secret.youtube_refresh_token}" }
                secrets: { youtube_refresh_token: { from: metube.tokens.youtube_token } }
                """,
            schedule: ", requires: [{ secret: youtube_refresh_token }]"
        ).replacing("generic.items", with: "metube.channels")
            .replacing("{user.hub_user_id}", with: "{user.user_id}")
            .replacing("limit: \"{page.size}\"", with: "")
    }

    func state(of job: String) async throws -> String? {
        try await value("select state from jobrunner.jobs where name = $1", .text(job))
    }
}
