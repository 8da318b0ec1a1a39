import JSON
import JobFiles
import Postgres
import Telemetry
import Testing

/// A watchlist in the zone that Core Data keeps, whose shape nobody promises.
@Suite struct PopcornTests {
    @Test func `PO5 of movies that are there twice one is shown, and none is lost`() async throws {
        try await withMovies(20, duplicates: 5) { world in
            try await world.drain()
            #expect(try await world.movies().count == 25)
            let live = try await world.texts("select movie_id from synced.watchlist_movie_live")
            #expect(live.count == 20)
            #expect(Set(live).count == 20)
            // Where the shown one goes, the other takes its place.
            let shown = try await world.value(
                """
                select record_name from synced.watchlist_movie_live where movie_id in (
                  select movie_id from synced.watchlist_movie where hidden_at is not null)
                order by 1 limit 1
                """)
            let name = try #require(shown)
            try await world.cloud(
                .popcorn, "delete",
                #""user": "\#(firstUser)", "zone": "\#(zone)", "names": ["\#(name)"]"#)
            try await world.runAgain()
            #expect(try await world.movies().count == 24)
            try await world.enqueue(firstUser, full: true)
            try await world.drain()
            #expect(
                Set(try await world.texts("select movie_id from synced.watchlist_movie_live"))
                    == Set(live))
        }
    }

    @Test func `PO6 whatever is missing is null, and no failure`() async throws {
        try await withMovies(1) { world in
            try await world.put([
                movie("bare", fields: ""), movie("named", fields: #""CD_movieID": {"value": 7}"#),
            ])
            try await world.drain()
            let run = try #require(try await world.runs(firstUser).last)
            #expect(run.text("outcome") == "complete")
            #expect(run.int("skipped_incompatible") == 0)
            #expect(
                try await world.texts(
                    """
                    select concat_ws(' ', record_name, coalesce(movie_id::text, 'null'), created_at is null)
                    from synced.watchlist_movie where record_name in ('bare', 'named') order by 1
                    """) == ["bare null t", "named 7 t"])
        }
    }

    @Test func `PO7 unknown fields are kept raw, and unknown types are told of once a run`()
        async throws
    {
        try await withMovies(9, changes: [("size: 200", "size: 2")]) { world in
            try await world.put([
                movie("new", fields: #""CD_movieID": {"value": 7}, "CD_mood": {"value": "calm"}"#)
            ])
            try await world.drain()
            #expect(try await world.movies().count == 10)
            #expect(
                try await world.value(
                    """
                    select body -> 'fields' -> 'CD_mood' ->> 'value' from synced.watchlist_movie
                    where record_name = 'new'
                    """) == "calm")
            let run = try #require(try await world.runs(firstUser).last)
            #expect(run.int("filtered") == 7)
            for type in ["CDMR", "CD_GenreEntity"] {
                #expect(ignored(type, world) == 1)
            }
            // Once more in another run, not once more on another page.
            try await world.enqueue(firstUser, full: true)
            try await world.drain()
            #expect(ignored("CDMR", world) == 2)
        }
    }

    private func ignored(_ type: String, _ world: World) -> Int {
        world.lines.all.count { $0.contains("records ignored") && $0.contains("type=\(type)") }
    }

    @Test func `PO13 each run tells its start and its end, with the outcome`() async throws {
        try await withMovies(3) { world in
            try await world.drain()
            #expect(told("run started", world).count == 1)
            #expect(told("run finished", world).map { $0.contains("outcome=complete") } == [true])
            try await world.source.fault(
                #"{"kind": "cloudkit_error", "op": "changes/zone", "code": "ACCESS_DENIED"}"#)
            try await world.runAgain()
            #expect(told("run started", world).count == 2)
            let end = try #require(told("run finished", world).last)
            #expect(end.contains("outcome=failed") && end.contains("user=\(firstUser)"))
            #expect(end.contains("job=popcorn.refresh"))
            // A start and an end by turns, each of the same run.
            let events = world.lines.all.filter {
                $0.contains("run started") || $0.contains("run finished")
            }
            #expect(events.map { $0.contains("run started") } == [true, false, true, false])
            let runs = events.map { $0.firstMatch(of: /run=[0-9]+/)?.output }
            #expect(runs[0] != nil && runs[0] == runs[1])
            #expect(runs[2] != nil && runs[2] == runs[3] && runs[0] != runs[2])
        }
    }

    /// Where nobody asked for more, idle runs are not told: there are millions a day.
    @Test func `PO13 at the default level the end of a run that changed or failed is told`()
        async throws
    {
        try await withMovies(3) { world in
            func run() async throws -> [String] {
                let before = told("run ", world).count
                try await world.makeDue()
                await (try await world.start(drains: true, level: .info)).ended()
                return Array(told("run ", world).dropFirst(before))
            }
            let first = try await run()
            #expect(first.map { $0.contains("outcome=complete") } == [true])
            #expect(first[0].contains("changed=3") && first[0].contains("user=\(firstUser)"))
            #expect(try await run() == [])
            try await world.source.fault(
                #"{"kind": "cloudkit_error", "op": "changes/zone", "code": "ACCESS_DENIED"}"#)
            let failed = try await run()
            #expect(failed.map { $0.contains("outcome=failed") } == [true])
            #expect(failed[0].contains("error_kind=access_denied"))
        }
    }

    @Test func `PO14 a film put on the watchlist here is there as SwiftData writes it`()
        async throws
    {
        try await withMovies(3) { world in
            try await world.drain()
            try await world.sql(
                """
                select jobrunner.save_record('acme', $1, 'watchlist_movie',
                  '{"movie_id": 77, "created_at": "2026-01-02T03:04:05.678Z"}')
                """, .text(firstUser))
            try await world.runAgain()
            let added = try await world.cloudRecords(.popcorn, user: firstUser, zone: zone)
                .first { $0.value["fields"]?["CD_movieID"]?["value"]?.int == 77 }
            let (name, record) = try #require(added)
            // A random name, its own words before each field, and the entity in one of them.
            #expect(name.wholeMatch(of: /[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/) != nil)
            #expect(record.text("recordType") == "CD_MoviesWatchlistMovieEntity")
            #expect(
                record["fields"]?["CD_entityName"]?.text("value") == "MoviesWatchlistMovieEntity")
            #expect(record["fields"]?["CD_createdAt"]?["value"]?.int == 1_767_323_045_678)
            #expect(record["fields"]?["CD_body"] == nil)
        }
    }

    @Test func `MS30 a repair sends the rows of all entities of a zone that was deleted`()
        async throws
    {
        let fixture = #""records": 3, "searches": 2, "duplicates": 0, "broken": 0"#
        try await withCloud(.popcorn, fixture) { world in
            func types() async throws -> [String] {
                try await world.cloudRecords(.popcorn, user: firstUser, zone: coreDataZone).values
                    .compactMap { $0.text("recordType") }
                    .filter { $0.hasPrefix("CD_Movies") || $0.hasPrefix("CD_Search") }.sorted()
            }
            try await world.drain()
            let before = try await types()
            #expect(before.count == 5)
            try await world.cloud(
                .popcorn, "zones", #""user": "\#(firstUser)", "delete": ["\#(coreDataZone)"]"#)
            try await world.runAgain()
            #expect(
                try await world.texts(
                    "select entity from jobrunner.jobs_in_trouble where trouble = 'zone_gone' order by 1"
                ).count == 3)
            try await world.sql("select jobrunner.repair_jobs('acme', $1)", .text(firstUser))
            try await world.runAgain()
            #expect(try await types() == before)
            #expect(try await world.texts("select trouble from jobrunner.jobs_in_trouble") == [])
            try await world.runAgain()
            #expect(
                try await world.value("select count(*) from synced.search_history where synced")
                    == "2")
        }
    }

    @Test func `PO18 a record of a type that nobody knows is kept whole, until it is deleted`()
        async throws
    {
        let others = #""records": 2, "duplicates": 0, "broken": 0, "searches": 2"#
        try await withCloud(.popcorn, others) { world in
            let strange = """
                {"recordName": "strange", "recordType": "CD_MoodEntity",
                 "fields": {"CD_mood": {"value": "calm"}, "CD_entityName": {"value": "MoodEntity"}}}
                """
            try await world.put([strange])
            try await world.drain()
            #expect(try await world.unfinished() == [])
            #expect(
                try await world.texts(
                    "select record_type || ' ' || count(*) from synced.popcorn_record group by record_type order by 1"
                )
                    == ["CDMR 4", "CD_GenreEntity 3", "CD_MoodEntity 1"])
            #expect(
                try await world.value(
                    "select body #>> '{fields,CD_mood,value}' from synced.popcorn_record where record_name = 'strange'"
                )
                    == "calm")
            #expect(try await world.value("select count(*) from synced.search_history") == "2")
            #expect(try await world.movies().count == 2)
            try await world.cloud(
                .popcorn, "delete",
                #""user": "\#(firstUser)", "zone": "\#(zone)", "names": ["strange"]"#)
            try await world.runAgain()
            #expect(try await world.value("select count(*) from synced.popcorn_record") == "7")
        }
    }

    @Test func `PO12 one entity is switched off, and the other syncs on`() async throws {
        let genres = """
              - entity: genre
                cloudkit:
                  op: changes/zone
                  zone: com.apple.coredata.cloudkit.zone
                  record_types: [CD_GenreEntity]
                page: { style: sync_token, size: 200 }
                records:
                  key: [record_name]
                  fields:
                    record_name: { meta: recordName, type: text, required: true }
                    name: { at: CD_name, type: text }
                write: { table: genre, mode: newest_wins, newer_by: modified_at }

              - entity: search_history
            """
        let both = [("  - entity: search_history", genres)]
        let one =
            both + [("- entity: watchlist_movie", "- entity: watchlist_movie\n    enabled: false")]
        for (changes, movies) in [(both, 4), (one, 0)] {
            try await withMovies(4, changes: changes) { world in
                try await world.drain()
                #expect(try await world.unfinished() == [])
                #expect(try await world.movies().count == movies)
                #expect(try await world.value("select count(*) from synced.genre") == "3")
                let calls = try await world.cloudCalls()
                #expect(
                    calls.count { $0.operation == "changes/zone" } == (movies == 0 ? 1 : 2))
            }
        }
    }

    private func told(_ event: String, _ world: World) -> [String] {
        world.lines.all.filter { $0.contains(event) }
    }
}

/// Where Core Data keeps its records.
let coreDataZone = "com.apple.coredata.cloudkit.zone"

private let zone = coreDataZone

/// A world of Popcorn that syncs the watchlist alone, with so many movies, and seven records of other types.
func withMovies(
    _ count: Int, duplicates: Int = 0, users: Int = 1, changes: [(String, String)] = [],
    _ body: (World) async throws -> Void
) async throws {
    let others = ["search_history", "other_record"].map { name in
        ("- entity: \(name)", "- entity: \(name)\n    enabled: false")
    }
    let counts = #""records": \#(count), "duplicates": \#(duplicates), "broken": 0, "searches": 0"#
    try await withCloud(.popcorn, counts, users: users, changes: changes + others, body)
}

/// A movie as another device saves it.
func movie(_ name: String, fields: String) -> String {
    """
    {"recordName": "\(name)", "recordType": "CD_MoviesWatchlistMovieEntity", "fields": {\(fields)}}
    """
}

extension World {
    /// Another device saves movies.
    func put(_ movies: [String], of user: String = firstUser) async throws {
        try await cloud(
            .popcorn, "edit",
            """
            "user": "\(user)", "zone": "\(zone)", "records": [\(movies.joined(separator: ", "))]
            """)
    }

    func movies() async throws -> [String] {
        try await texts("select record_name from synced.watchlist_movie order by 1")
    }
}
