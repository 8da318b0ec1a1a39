import Foundation
import JSON
import Postgres
import TestSupport
import Testing

@Suite struct SportsRecordTests {
    @Test func `ST17 what is older than the row is counted and not written`() async throws {
        try await withSports("\"records\": 30") { world in
            try await world.drain()
            try await world.sql(
                """
                update synced.st_game set modified_at = '2030-01-01', home_team_id = 'ours'
                where canonical_id = 'game_000004'
                """)
            try await world.sql(
                """
                update synced.st_game set modified_at = '2000-01-01', home_team_id = 'stale'
                where canonical_id = 'game_000005'
                """)
            // Read in full without being asked to: what is asked for brings rows to what the source shows.
            try await world.given(.readFully(ago: "2 days"))
            try await world.enqueue("*", force: true)
            try await world.drain()
            let game = try #require(try await world.runs("*").last?["entities"]?["game"])
            #expect(game.int("skipped_older") == 1 && game.int("unchanged") == 28)
            #expect(game.int("updated") == 1)
            #expect(
                try await world.value(
                    """
                    select string_agg(canonical_id, ' ') from synced.st_game
                    where home_team_id in ('ours', 'stale')
                    """) == "game_000004")
        }
    }

    @Test func `ST23 games are cleaned up after complete runs only and don't come again`()
        async throws
    {
        try await withSports("\"records\": 0", agesOut: true) { world in
            try await seedGames(world)
            try await world.drain()
            let kept =
                "select string_agg(canonical_id, ' ' order by canonical_id) from synced.st_game"
            #expect(try await world.value(kept) == "middle new")
            #expect(
                try await world.runs("*").first?["entities"]?["game"]?.int("filtered") == 1)
            // Time moved on both sides: one more game is older than the limit now.
            let start = Int(Date().timeIntervalSince1970 * 1000) - 401 * 86_400_000
            try await world.cloud(
                .sportstime, "edit",
                #""records": [{"recordName": "middle", "fields": {"dateTime": {"value": \#(start)}}}]"#
            )
            try await world.sql(
                "update synced.st_game set starts_at = now() - interval '401 days' where canonical_id = 'middle'"
            )
            try await world.makeDue()
            try await world.cut("Sport")
            #expect(try await world.value(kept) == "middle new")
            try await world.drain()
            #expect(try await world.value(kept) == "new")
            // A run that only cleaned up has done something.
            let run = try #require(try await world.runs("*").last)
            #expect(run.text("outcome") == "complete" && run.int("swept") == 1)
            #expect(run.int("updated") == 0 && run.int("inserted") == 0)
            let before = try await world.versions()
            try await world.runAgain()
            #expect(try await world.versions() == before)
        }
    }

    private func seedGames(_ world: World) async throws {
        let now = Int(Date().timeIntervalSince1970 * 1000)
        var records: [String] = []
        for (name, days) in [("old", 402), ("middle", 300), ("new", 1)] {
            let start = now - days * 86_400_000
            let ids =
                #""canonicalId": {"value": "\#(name)"}, "homeTeamCanonicalId": {"value": "a"}, "#
                + #""awayTeamCanonicalId": {"value": "b"}, "stadiumCanonicalId": {"value": "s"}"#
            records.append(
                #"{"recordName": "\#(name)", "recordType": "Game", "#
                    + #""fields": {\#(ids), "dateTime": {"value": \#(start)}}}"#)
        }
        let all = records.joined(separator: ", ")
        try await world.cloud(.sportstime, "records", #""records": [\#(all)]"#)
    }

    @Test func `ST28 games are read in the order of their start through an index`() async throws {
        try await withSports { world in
            try await world.drain()
            try await world.sql("analyze synced.st_game")
            // As an application asks, by the planner's own choice.
            let games = """
                select canonical_id from synced.st_game
                where user_id = \(try await world.userID("*")) and starts_at >= '2025-03-01'
                order by starts_at limit 20
                """
            let plan = try await world.pool.run { session in
                try session.query(.unprepared("explain " + games)).map { try $0.text(0) }
            }.joined(separator: "\n")
            #expect(
                plan.contains("Index Scan using st_game_by_starts_at") && !plan.contains("Sort"),
                "\(plan)")
            // They are the source's games in the order of the source's times.
            try await world.takeTruth(
                try await world.source.text(
                    "GET",
                    "cloudkit/records?container=\(CloudApp.sportstime.container)&database=public&type=Game"
                ), member: "records", kind: "st_game", user: "*")
            let first = try await world.texts(
                """
                select r #>> '{fields,canonicalId,value}' from public.truth
                where (r #>> '{fields,dateTime,value}')::bigint >= extract(epoch from timestamptz '2025-03-01') * 1000
                order by (r #>> '{fields,dateTime,value}')::bigint limit 20
                """)
            #expect(first.count == 20)
            #expect(try await world.texts(games) == first)
        }
    }
}
