import JSON
import Postgres
import Testing

/// Each page style with each sort of items, with and without windows, under each sign-in: cut off wherever it may be, a pass
/// goes on where it was, and an unchanged one moves no row.
@Suite struct GeneratedPassTests {
    /// How an entity comes by its items, and how many each user has.
    private struct Items {
        var name: String
        var forEach = ""
        var each: String?
        var count = 1
    }

    /// How a source is signed in to.
    struct SignIn: Sendable {
        var name: String
        var yaml: String
        /// What the source is told that it wants, as JSON members.
        var wanted: String
        var secrets: [String: String]
    }

    /// One page style under one sign-in; a world of its own, whose entities are the items and windows.
    struct Combination: Sendable, CustomTestStringConvertible {
        var way: StylesTests.Way
        var signIn: SignIn
        var testDescription: String { "\(way.name), \(signIn.name)" }
    }

    private static let signIns = [
        SignIn(name: "none", yaml: "", wanted: "", secrets: [:]),
        SignIn(
            name: "bearer", yaml: #"auth: { type: bearer, token: "{secret.key}" }"#,
            wanted: #""type": "bearer", "token": "the-key""#, secrets: ["key": "the-key"]),
        SignIn(
            name: "oauth2_client",
            yaml: """
                auth:
                  type: oauth2_client
                  token_url: HUB_BASE/oauth/{user.hub_user_id}/token
                  client_id: "{secret.client_id}"
                  client_secret: "{secret.client_secret}"
                """,
            wanted: #""type": "oauth2", "client_id": "me", "client_secret": "s3cret""#,
            secrets: ["client_id": "me", "client_secret": "s3cret"]),
    ]

    static let combinations = StylesTests.ways.flatMap { way in
        signIns.map { Combination(way: way, signIn: $0) }
    }

    private static let records = 25
    private static let items = [
        Items(name: "plain"),
        Items(
            name: "values", forEach: "for_each: { values: [a, b], as: item }", each: "item",
            count: 2),
        Items(
            name: "rows", forEach: "for_each: { rows: board, columns: [board_id] }",
            each: "board_id", count: 2),
    ]

    private static func file(_ combination: Combination) -> String {
        let way = combination.way
        let entities = items.flatMap { items in
            [false, true].map { entity(items, hasWindows: $0, way) }
        }
        let source = combination.signIn.yaml.split(separator: "\n").map { "  \($0)" }
        return """
            version: 1
            job: generic.items
            inputs: { hub_user_id: { type: text } }
            schedule: { every: 1h, deadline: 10m }
            source:
              id: generic
              base: http://127.0.0.1:1
              retry: { attempts: 1 }
            \(source.joined(separator: "\n"))
            entities:
              - entity: board
                request: { path: "/generic/{user.hub_user_id}/single" }
                page: { style: single }
                records:
                  at: "items[]"
                  key: [board_id]
                  keep_if: [{ field: seq, lte: 2 }]
                  fields:
                    board_id: { at: id, type: text, required: true }
                    seq: { at: seq, type: int, required: true }
                write: { table: board, mode: overwrite }
            \(entities.joined(separator: "\n"))
            """
    }

    private static func entity(
        _ items: Items, hasWindows: Bool, _ way: StylesTests.Way
    ) -> String {
        let name = table(items.name, hasWindows)
        let window = hasWindows ? #"since: "{since}", until: "{until}""# : ""
        let item = items.each.map { #"of: "{each.\#($0)}""# } ?? ""
        let query = [way.query, window, item, #"limit: "{page.size}""#].filter { !$0.isEmpty }
        let incremental =
            hasWindows
            ? "    incremental: { watermark: run_start, start: 2023-01-01T00:00:00Z, window: 700d }\n"
            : ""
        let field = items.each.map { "        item: { each: \($0), type: text }\n" } ?? ""
        return """
              - entity: \(name)
                request: { path: "/generic/{user.hub_user_id}/\(way.path)", query: { \(query.joined(separator: ", ")) } }
                page: { \(way.page) }
            \(items.forEach.isEmpty ? "" : "    \(items.forEach)\n")\(incremental)    records:
                  at: "items[]"
                  key: [id\(items.each == nil ? "" : ", item")]
                  fields:
                    id: { at: id, type: text, required: true }
                    seq: { at: seq, type: int, required: true }
                    name: { at: name, type: text }
            \(field)    write: { table: \(name), mode: overwrite }
            """
    }

    private static func table(_ items: String, _ hasWindows: Bool) -> String {
        "\(items)_\(hasWindows ? "windows" : "whole")"
    }

    private static let tables = items.flatMap { items in
        [false, true].map { (name: table(items.name, $0), rows: items.count * records) }
    }

    /// The request of the run at which the source breaks off, by user.
    private static let cuts = [
        "u1": 2, "u2": 3, "u3": 4, "u4": 5, "u7": 8, "u8": 9, "u15": 16, "u24": 25, "u33": 34,
    ]

    @Test(arguments: combinations)
    func
        `a pass that is cut off wherever it may be loses nothing, and an unchanged one moves no row`(
            _ combination: Combination
        ) async throws
    {
        let signIn = combination.signIn
        try await withWorld(Self.file(combination), sealer: !signIn.secrets.isEmpty) { world in
            for (user, place) in Self.cuts {
                try await world.addUser(user, videos: Self.records)
                if !signIn.wanted.isEmpty {
                    try await world.source.command(
                        "POST", "auth", #"{"user": "\#(user)", \#(signIn.wanted)}"#)
                }
                for (name, text) in signIn.secrets {
                    try await world.store(text, as: name, of: user)
                }
                // Of the one the whole run is put off, of the other the entity or item fails and the rest goes on.
                let status = place % 2 == 0 ? 429 : 503
                try await world.source.fault(
                    #"{"kind": "status", "status": \#(status), "headers": {"Retry-After": "3600"}, "user": "\#(user)", "nth": \#(place)}"#
                )
            }
            try await world.drain()
            let ends = try await world.rows(
                "select last_outcome as outcome, count(*) as jobs from jobrunner.jobs group by 1")
            let cut = Dictionary(
                uniqueKeysWithValues: ends.map { ($0.text("outcome") ?? "", $0.int("jobs") ?? 0) })
            // The last places lie behind the end of the shortest lists.
            #expect(cut["deferred", default: 0] >= 3 && cut["failed", default: 0] >= 3, "\(cut)")
            try await world.source.heal()
            try await world.given(.undeferred(.waiting), .due(.waiting))
            try await world.drain()
            try await expectAll(world)
            let before = try await versions(world)
            try await world.given(.fullAsked(), .undeferred(.waiting), .due(.waiting))
            try await world.drain()
            try await expectAll(world)
            #expect(try await versions(world) == before)
        }
    }

    private func expectAll(_ world: World) async throws {
        let ended = try await world.value(
            "select string_agg(distinct last_outcome, ' ') from jobrunner.jobs")
        #expect(ended == "complete")
        for table in Self.tables {
            let counts = try await world.value(
                "select string_agg(c::text, ' ') from (select count(*) as c from synced.\(table.name) group by user_id) as t"
            )
            let wanted = Array(repeating: "\(table.rows)", count: Self.cuts.count)
            #expect(counts == wanted.joined(separator: " "), "\(table.name)")
        }
    }

    private func versions(_ world: World) async throws -> String? {
        let rows = Self.tables.map { "select xmin, id, '\($0.name)' as t from synced.\($0.name)" }
        return try await world.value(
            "select md5(string_agg(xmin::text || id || t, ',' order by t, id, xmin::text)) from (\(rows.joined(separator: " union all "))) as v"
        )
    }
}
