import JSON
import Postgres
import Testing

@Suite("Requests that are not made")
struct SparingTests {
    @Test func `an unchanged answer is a 304, which ends the pass without a row`() async throws {
        let yaml = World.generic(
            "single", page: "style: single, size: 500", incremental: "conditional: true")
        try await withSyncedWorld(yaml, videos: 60) { world in
            let versions = try await world.versions()
            try await world.runAgain()
            #expect(try await world.source.log(user: "ann").map { $0.int("status") } == [200, 304])
            #expect(try await world.versions() == versions)
            #expect(try await world.runs("ann").count == 1)
            try await world.source.command(
                "POST", "change", #"{"user": "ann", "op": "edit", "count": 1, "name": "new"}"#)
            try await world.runAgain()
            #expect(
                try await world.source.log(user: "ann").map { $0.int("status") } == [200, 304, 200])
            #expect(try await world.holdsAllItems(of: "ann"))
        }
    }

    /// A row that somebody has changed shows whether it was compared with what the source has.
    @Test(arguments: [true, false])
    func `of a source that names no version the very same answer is not read again`(
        _ isConditional: Bool
    ) async throws {
        let yaml = World.generic(
            "single", page: "style: single, size: 500", query: #"untagged: "1""#,
            incremental: isConditional ? "conditional: true" : "")
        try await withSyncedWorld(yaml, videos: 60) { world in
            for change in [nil, #"{"user": "ann", "op": "edit", "count": 1, "name": "new"}"#, nil] {
                if let change { try await world.source.command("POST", "change", change) }
                try await world.sql("update synced.generic_item set name = 'changed'")
                try await world.runAgain()
                let changed = try await world.value(Self.changed).flatMap(Int.init)
                #expect(changed == (isConditional && change == nil ? 60 : 0))
            }
            #expect(
                try await world.source.log(user: "ann").map { $0.int("status") } == [
                    200, 200, 200, 200,
                ])
        }
    }

    private static let changed = "select count(*) from synced.generic_item where name = 'changed'"

    @Test func `what is asked for in full is read, though the answer is the very same`()
        async throws
    {
        let yaml = World.generic(
            "single", page: "style: single, size: 500", query: #"untagged: "1""#,
            incremental: "conditional: true")
        try await withSyncedWorld(yaml, videos: 60) { world in
            try await world.sql("update synced.generic_item set name = 'changed'")
            try await world.enqueue("ann", full: true)
            try await world.runAgain()
            #expect(try await world.value(Self.changed) == "0")
        }
    }

    private static func probed(_ page: String = "") -> String {
        let probe = """
            probe:
              request:
                path: /generic/{user.hub_user_id}/keyset
                query: { limit: "1" }
              skip_if_same: ["maxSeqReturned"]
              full_every: 24h
            """
        return World.generic(
            "token", page: "style: token, token_at: next_token, size: 50\(page)",
            query: #"cursor: "{page.token}""#, incremental: probe)
    }

    @Test func `a pass that was interrupted still knows at its end what the probe had said`()
        async throws
    {
        try await withSyncedWorld(Self.probed(", max_pages: 1"), videos: 95) { world in
            #expect(try await world.holdsAllItems(of: "ann"))
            let first = try await world.source.log(user: "ann").count
            try await world.runAgain()
            #expect(try await world.source.log(user: "ann").count == first + 1)
        }
    }

    @Test func `a probe that answers the same as last time reads no pass`() async throws {
        try await withSyncedWorld(Self.probed(), videos: 95) { world in
            let first = try await world.source.log(user: "ann").count
            try await world.runAgain()
            #expect(try await world.source.log(user: "ann").count == first + 1)
            // It can't see everything, so that once a day the pass is read all the same.
            try await world.makeStale("25 hours")
            try await world.runAgain()
            #expect(try await world.source.log(user: "ann").count == first + 1 + first)
        }
    }
}
