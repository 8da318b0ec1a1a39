import JSON
import Postgres
import Testing

/// Three entities of one file, of which the first or second fails.
@Suite struct EntityFailureTests {
    static func file(requires: String = "", after: String = "") -> String {
        let entities = [("one", "token", ""), ("two", "offset", requires), ("three", "keyset", "")]
        return """
            version: 1
            job: generic.items
            schedule: { every: 1h, deadline: 30s }
            source:
              id: generic
              base: http://127.0.0.1:1
              timeout: 10s
              retry: { attempts: 1 }
            entities:

            """
                + entities.map { name, path, more in
                    let page =
                        switch path {
                        case "token": "style: token, token_at: next_token, size: 20"
                        case "offset": "style: offset, total_at: total, size: 20"
                        default: "style: keyset, token_at: maxSeqReturned, start: 0, size: 20"
                        }
                    let sends = path == "token" ? "cursor" : path == "offset" ? "offset" : "after"
                    return """
                          - entity: \(name)
                            request:
                              path: /generic/{user.hub_user_id}/\(path)
                              query: { \(sends): "{page.token}", limit: "{page.size}" }
                            page: { \(page) }\(more)
                            records:
                              at: "items[]"
                              key: [id]
                              fields: { id: { at: id, type: text, required: true } }
                            write: { table: generic_\(name), mode: overwrite }

                        """
                }.joined() + after
    }

    private func counts(_ world: World) async throws -> [Int] {
        let row = try await world.row(
            """
            select (select count(*) from synced.generic_one) as one,
              (select count(*) from synced.generic_two) as two,
              (select count(*) from synced.generic_three) as three
            """)
        return ["one", "two", "three"].map { row.int($0) ?? -1 }
    }

    private func entities(_ world: World) async throws -> [String] {
        try await world.rows("select * from jobrunner.checkpoints order by entity").map { row in
            "\(row.text("entity") ?? "") \(row.int("consecutive_failures") ?? -1)"
                + " \(row.text("last_error_kind") ?? "")"
        }
    }

    @Test func `a failing entity keeps no other from running, and the outcome says that it failed`()
        async throws
    {
        try await withWorld(Self.file(), videos: 30) { world in
            try await world.source.fault(
                #"{"kind": "status", "status": 400, "path": "/generic/*/token", "times": 0}"#)
            try await world.drain()
            #expect(try await counts(world) == [0, 30, 30])
            #expect(try await world.outcomes("ann") == ["failed rejected"])
            let error = try await world.job("ann").text("last_error") ?? ""
            #expect(error.hasPrefix("entity one: "))
            #expect(try await entities(world) == ["one 1 rejected", "three 0 ", "two 0 "])
            #expect(try await world.job("ann").int("consecutive_failures") == 1)
            // Those that were read at this tick are passed over; the failure is counted once more.
            let asked = try await world.source.asked().count
            try await world.runAgain()
            #expect(try await world.source.asked().count == asked + 1)
            #expect(try await entities(world)[0] == "one 2 rejected")
            try await world.source.heal()
            try await world.runAgain()
            #expect(try await counts(world) == [30, 30, 30])
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await entities(world) == ["one 0 ", "three 0 ", "two 0 "])
        }
    }

    @Test func `an entity that requires the one before it does not run when that has failed`()
        async throws
    {
        let yaml = Self.file(requires: "\n    requires_previous: true")
        try await withWorld(yaml, videos: 30) { world in
            try await world.source.fault(
                #"{"kind": "status", "status": 400, "path": "/generic/*/token"}"#)
            try await world.drain()
            #expect(try await counts(world) == [0, 0, 30])
            try await world.runAgain()
            #expect(try await counts(world) == [30, 30, 30])
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }

    @Test(arguments: [
        (401, "failed rejected", [0, 30, 30]), (429, "deferred rate_limited", [0, 0, 0]),
        (503, "failed unavailable", [0, 30, 30]),
    ])
    func `a wait ends the run for every entity, a refusal and one broken list do not`(
        status: Int, outcome: String, stored: [Int]
    ) async throws {
        try await withWorld(Self.file(), videos: 30) { world in
            try await world.source.fault(
                #"{"kind": "status", "status": \#(status), "path": "/generic/*/token", "times": 0}"#
            )
            try await world.drain()
            #expect(try await world.outcomes("ann") == [outcome])
            #expect(try await counts(world) == stored)
        }
    }

    @Test func `a source that two entities find away is asked no more by the run`() async throws {
        try await withWorld(Self.file(), videos: 30) { world in
            try await world.source.fault(#"{"kind": "status", "status": 503, "times": 0}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["failed unavailable"])
            #expect(try await world.source.asked().count == 2)
            #expect(try await entities(world) == ["one 1 unavailable", "two 1 unavailable"])
        }
    }
}
