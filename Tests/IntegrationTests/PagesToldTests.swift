import Postgres
import Testing

/// What an application is told of the rows that runs write.
@Suite struct PagesToldTests {
    private static let file = World.generic(
        "token", page: "style: token, token_at: next_token, size: 20",
        query: #"cursor: "{page.token}""#,
        mode: "overwrite, changes: true, deletes: { sweep: after_full_pass }")

    private func change(_ op: String, _ count: Int, _ world: World) async throws {
        try await world.source.command(
            "POST", "change",
            #"{"user": "ann", "op": "\#(op)", "\#(op == "add" ? "videos" : "count")": \#(count)}"#)
    }

    @Test func `pages and sweeps tell the rows that they changed, and a pass of nothing new none`()
        async throws
    {
        try await withSyncedWorld(Self.file, videos: 55) { world in
            var cursor: String?
            /// How many words of each sort an application hears until there is nothing new.
            func heard() async throws -> [String: Int] {
                var words: [String: Int] = [:]
                while true {
                    let answer = try await world.sql(
                        "select change, cursor from jobrunner.changes_since('acme', 'generic_item', null, $1)",
                        .optional(cursor, Bind.text))
                    if answer.isEmpty { return words }
                    for row in answer {
                        words[try row.text("change"), default: 0] += 1
                        cursor = try row.text("cursor")
                    }
                }
            }
            // What was noted before it began is told once more.
            #expect(try await heard() == ["begin": 1, "upsert": 110])
            let entries = try await world.value("select count(*) from jobrunner.changes")
            #expect(entries == "55")
            try await world.runAgain()
            #expect(try await world.value("select count(*) from jobrunner.changes") == entries)
            #expect(try await heard() == [:])
            try await change("edit", 3, world)
            try await change("add", 2, world)
            try await world.runAgain()
            #expect(try await heard() == ["upsert": 5])
            try await change("remove", 4, world)
            // The second full pass that lacks them takes them away.
            try await world.runAgain()
            #expect(try await heard() == [:])
            try await world.runAgain()
            #expect(try await heard() == ["delete": 4])
        }
    }
}
