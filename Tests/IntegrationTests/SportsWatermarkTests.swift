import JSON
import Postgres
import Testing
import TestSupport

/// The fixture's times begin on 2025-01-01 and grow by a second a record.
@Suite struct SportsWatermarkTests {
    private static let even =
        #""records": 150, "stadiums": 150, "league_structures": 150, "teams": 150, "#
        + #""team_aliases": 150, "stadium_aliases": 150, "sports": 150"#

    @Test func `ST5 without a time of its own an entity begins at its job's last success`()
        async throws
    {
        try await withSports(Self.even) { world in
            try await world.drain()
            let watermark = try await world.checkpoint(of: "team").text("watermark") ?? ""
            for (success, records) in [("'\(watermark)'", 121), ("null", 150)] {
                try await world.given(.noCheckpoint("team"), .succeeded(at: success))
                let asked = try await world.queries().count
                try await world.runAgain()
                let pages = try await world.queries("Team", from: asked)
                #expect(pages.map(\.records) == [records])
                #expect(try await world.checkpoint(of: "team").text("watermark") == watermark)
            }
        }
    }

    @Test func `ST5 after a reset an entity begins anew and not at its job's last success`()
        async throws
    {
        try await withSports(Self.even) { world in
            try await world.drain()
            try await world.sql("select jobrunner.reset_jobs('acme')")
            let asked = try await world.queries().count
            try await world.runAgain()
            #expect(
                try await world.queries(from: asked).map(\.records)
                    == [Int](repeating: 150, count: 7))
            let passes = try await world.rows(
                "select 1 as one from jobrunner.checkpoints where last_full_at is not null")
            #expect(passes.count == 7)
        }
    }

    /// Two minutes of overlap: the record at the very second belongs to `>=` and not to `>`.
    @Test func `ST1 ST6 records of the boundary are asked for by four entities and not by three`()
        async throws
    {
        try await withSports(Self.even) { world in
            try await world.drain()
            let asked = try await world.queries().count
            try await world.runAgain()
            let counts = try await world.queries(from: asked).map { "\($0.type) \($0.records)" }
            #expect(
                counts == [
                    "Stadium 121", "LeagueStructure 120", "Team 121", "TeamAlias 120",
                    "StadiumAlias 120", "Game 121", "Sport 121",
                ])
        }
    }

    @Test func `ST8 no cut moves the watermark of the entity it falls into`() async throws {
        try await withSports("\"records\": 900") { world in
            try await world.drain()
            let before = try await world.checkpoint(of: "game").text("watermark")
            try await world.saveGames(0..<900)
            try await world.secondPasses()
            var cursors: Set<String> = []
            for page in 1...4 {
                try await world.makeDue()
                try await world.cut("Game", 2)
                let cut = try await world.checkpoint(of: "game")
                #expect(cut.text("watermark") == before)
                #expect(cut.int("page_number") == page)
                #expect(cut.text("pass_kind") == "incremental")
                cursors.insert(cut.text("cursor") ?? "")
                #expect(try await world.job("*").text("last_outcome") == "partial")
            }
            #expect(cursors.count == 4 && !cursors.contains(""))
            try await world.drain()
            try await world.compareSports()
            #expect(try await world.checkpoint(of: "game").text("watermark") != before)
        }
    }

    @Test(arguments: [6, 7, 8, 9])
    func `ST9 a record that is changed during the run is not missed`(_ query: Int) async throws {
        try await withSports { world in
            // Games are the queries 6, 7 and 8; the last change comes when they are all read.
            try await world.saveGames(3..<5, afterQueries: query)
            try await world.drain()
            try await world.runAgain()
            #expect(try await world.unfinished() == [])
            try await world.compareSports()
        }
    }

    @Test func `ST9 the watermark is the greatest time seen and not the time of the run`()
        async throws
    {
        try await withSports { world in
            try await world.drain()
            let greatest = try await world.value("select max(modified_at) from synced.st_game")
            let kept = try await world.value(
                "select watermark::timestamptz from jobrunner.checkpoints where entity = 'game'")
            #expect(kept == greatest)
        }
    }

    /// The app has no index to sort by.
    @Test func `ST8 a marker that is refused after a cut in no order begins the entity anew`()
        async throws
    {
        try await withSports("\"records\": 900") { world in
            try await world.drain()
            let before = try await world.checkpoint(of: "game").text("watermark")
            try await world.saveGames(0..<900)
            try await world.secondPasses()
            try await world.makeDue()
            try await world.cut("Game", 4)
            let asked = try await world.queries().count
            try await world.cloud(.sportstime, "expire", #""what": ["markers"]"#)
            // A refusal may be an accident; in two runs in a row it is none.
            try await world.drain()
            #expect(try await world.job("*").text("last_error_kind") == "cursor_refused")
            #expect(try await world.checkpoint(of: "game").text("watermark") == before)
            try await world.runAgain()
            let pages = try await world.queries("Game", from: asked)
            #expect(pages.map(\.status) == [400, 400] + [Int](repeating: 200, count: 5))
            #expect(pages.map(\.records).reduce(0, +) == 900)
            #expect(try await world.unfinished() == [])
            try await world.compareSports()
        }
    }

    /// CloudKit reference, 9.3.
    @Test(arguments: [true, false])
    func `ST8 a marker that is refused after a cut goes on from the greatest time stored`(
        _ isFull: Bool
    ) async throws {
        let since = #"since: { system: modifiedTimestamp, op: ">=" }"#
        let sorted = [(since, since + "\n      sort: [{ system: modifiedTimestamp }]")]
        try await withSports("\"records\": 900", changes: sorted) { world in
            for type in ["Stadium", "Team", "Game", "Sport"] {
                try await world.cloud(
                    .sportstime, "schema",
                    #""types": {"\#(type)": {"modifiedTimestamp": {"queryable": true, "sortable": true}}}"#
                )
            }
            if !isFull {
                try await world.drain()
                try await world.saveGames(0..<900)
                try await world.secondPasses()
                try await world.makeDue()
            }
            try await world.cut("Game", 4)
            #expect(try await world.checkpoint(of: "game").int("page_number") == 3)
            let asked = try await world.queries().count
            try await world.cloud(.sportstime, "expire", #""what": ["markers"]"#)
            try await world.drain()
            let pages = try await world.queries("Game", from: asked)
            try #require(pages.count >= 3)
            #expect(pages[0].token != nil && pages[0].records == 0)
            #expect(pages[1].token == nil)
            // What was stored is not read again, but for the overlap of two minutes.
            let again = pages.map(\.records).reduce(0, +)
            #expect(isFull ? again < 430 : again <= 900)
            #expect(try await world.unfinished() == [])
            try await world.compareSports()
        }
    }
}
