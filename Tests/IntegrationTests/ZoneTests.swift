import JSON
import Postgres
import Testing

/// A time that names no offset decides nothing before somebody says in which zone it is meant.
@Suite struct ZoneTests {
    private static func file(zone: String?) -> String {
        World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}", since: "{since}""#,
            mode: "newest_wins, newer_by: updated_at",
            source: zone.map { "zone: \"\($0)\"" } ?? "",
            incremental: "incremental: { watermark: max_seen, overlap: 1m }")
    }

    private func answer(_ world: World, at time: String) async throws {
        let body = #"{\"items\": [{\"id\": \"odd\", \"seq\": 1, \"updated_at\": \"\#(time)\"}]}"#
        try await world.source.fault(#"{"kind": "status", "status": 200, "body": "\#(body)"}"#)
    }

    private func storedTime(_ world: World) async throws -> String? {
        try await world.value(
            "select to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') from synced.generic_item where id = 'odd'"
        )
    }

    @Test(arguments: ["2025-07-01 12:00:00", "2025-07-01T12:00:00.5", "2025-07-01"])
    func `without a zone a time that would move the watermark fails the entity by name`(
        _ time: String
    ) async throws {
        try await withWorld(Self.file(zone: nil), videos: 0) { world in
            try await answer(world, at: time)
            try await world.drain()
            let job = try await world.job("ann")
            #expect(job.text("last_error_kind") == "malformed")
            #expect(
                job.text("last_error")?.contains(
                    "updated_at \"\(time)\" names no offset, and it decides how far was read")
                    == true)
            #expect(try await world.checkpoint("ann").text("watermark") == nil)
        }
    }

    @Test func `with a zone the time is the instant that its clock shows`() async throws {
        try await withWorld(Self.file(zone: "Europe/Berlin"), videos: 0) { world in
            try await answer(world, at: "2025-07-01 12:00:00")
            try await world.drain()
            #expect(try await storedTime(world) == "2025-07-01 10:00:00")
            #expect(try await world.checkpoint("ann").text("watermark") == "2025-07-01T10:00:00Z")
        }
    }

    @Test func `each user may have a zone of their own, and another one has all read anew`()
        async throws
    {
        try await withWorld(Self.file(zone: "{user.time_zone}")) { world in
            try await world.addUser("ann", videos: 0)
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "skipped")
            func move(to zone: String) async throws {
                try await world.given(.attributes(#"{"time_zone": "\#(zone)"}"#))
                try await answer(world, at: "2025-07-01 12:00:00")
                try await world.runAgain()
            }
            try await move(to: "Europe/Atlantis")
            #expect(
                try await world.job("ann").text("last_error")
                    == "user attribute 'time_zone' is no time zone, expected one such as Europe/Berlin"
            )
            try await move(to: "America/New_York")
            #expect(try await storedTime(world) == "2025-07-01 16:00:00")
            try await move(to: "Asia/Tokyo")
            #expect(world.lines.all.count { $0.contains("position forgotten") } == 1)
        }
    }
}
