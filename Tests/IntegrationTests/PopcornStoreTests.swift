import JSON
import JobFiles
import Postgres
import Schema
import Testing

/// Disposable and synced stores, and one that is switched off.
@Suite struct PopcornStoreTests {
    /// A cache has no edits to send.
    private static let disposable = [
        ("watchlist_movie: { kind: synced }", "watchlist_movie: { kind: disposable }"),
        (
            """
                    unsent: delete                    # as the app does; what is lost is told
                push:
                  select:
                    dirty: synced = false
                    deleted: pending_delete
                  record_type: MoviesWatchlistMovieEntity
                  record_name: "{row.record_name}"
                  on_conflict:
                    resolve: remote_wins
                    times: 2
                  debounce: 250ms                     # an edit is sent soon, several at once

            """, ""
        ),
    ]

    /// What an application did to the table, and what the job file does not fit any more.
    private func misfit(_ world: World) async throws {
        try await world.sql("drop view synced.watchlist_movie_live")
        try await world.sql(
            "alter table synced.watchlist_movie alter column movie_id type text")
    }

    @Test func `PO1 a table is a disposable cache or synced data, as its file says`() async throws {
        for (changes, kind) in [([], "synced"), (Self.disposable, "disposable")] {
            try await withMovies(1, changes: changes) { world in
                let store = try await world.value(
                    "select store from jobrunner.synced_tables where name = 'watchlist_movie'")
                #expect(store == kind)
            }
        }
    }

    @Test func `PO2 a disposable table that does not fit is made anew and fetched again`()
        async throws
    {
        try await withMovies(12, changes: Self.disposable) { world in
            try await world.drain()
            let rows = try await world.movies()
            try await misfit(world)
            try await world.migrate(world.file)
            #expect(try await world.movies() == [])
            try await world.drain()
            #expect(try await world.movies() == rows)
            #expect(rows.count == 12)
            #expect(
                try await world.value(
                    "select distinct pg_typeof(movie_id) from synced.watchlist_movie")
                    == "bigint")
        }
    }

    @Test func `PO3 a synced table that does not fit is refused, and not touched`() async throws {
        try await withMovies(12) { world in
            try await world.drain()
            try await misfit(world)
            let rows = try await world.versions()
            await #expect(throws: SchemaError.self) { try await world.migrate(world.file) }
            #expect(try await world.versions() == rows)
            #expect(rows.count == 12)
        }
    }

    @Test func `PO11 a synced table may gain a column and may not lose one`() async throws {
        try await withMovies(12) { world in
            try await world.drain()
            let more = CloudApp.popcorn.yaml([
                (
                    "        created_at: {",
                    "        mood: { at: mood, type: text }\n        created_at: {"
                )
            ])
            try await world.migrate(try JobFile.parse(more, file: "more.yaml").get())
            #expect(
                try await world.value(
                    "select count(*) from synced.watchlist_movie where mood is null") == "12")
            await #expect(throws: SchemaError.self) { try await world.migrate(world.file) }
            #expect(
                try await world.value(
                    "select count(*) from synced.watchlist_movie where mood is null") == "12")
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
}

extension World {
    /// As `jobrunner migrate` does with one job file.
    func migrate(_ file: JobFile) async throws {
        _ = try await Migrator(database: pool).migrate(jobFiles: [file])
    }
}
