import Foundation
import HTTP
import JobFiles
import Postgres
import Schema
import Secrets
import Testing

/// What is on and worth discovering: a cache of a REST source, which nobody would miss.
@Suite struct PopcornCacheTests {
    @Test func `PO16 films, shows and what to discover are kept as the source has them, for a key`()
        async throws
    {
        try await withCache { world in
            try await world.expectTruth()
            try await world.drain()
            #expect(try await world.unfinished() == [])
            for (list, table) in [
                ("movie/popular", "movie_cache"), ("tv/popular", "tv_series_cache"),
                ("discover/movie", "discovery_cache"),
            ] {
                for page in 1...4 {
                    let text = try await world.filmPage(list, page)
                    try await world.takeTruth(text, member: "results", kind: table, user: "*")
                }
            }
            func film(_ name: String, _ more: [String: String]) -> [String: String] {
                let fields = ["overview", "poster_path", "genre_ids", "popularity"]
                return Dictionary(uniqueKeysWithValues: fields.map { ($0, "e.r ->> '\($0)'") })
                    .merging(more.mapValues { "e.r ->> '\($0)'" }) { $1 }
                    .merging(["last_modified": TruthTable.recent("last_modified")]) { $1 }
            }
            let votes = ["vote_average": "vote_average", "vote_count": "vote_count"]
            try await world.compareAllColumns([
                TruthTable(
                    "movie_cache", key: ["movie_id"],
                    film(
                        "movie_cache",
                        ["movie_id": "id", "title": "title", "release_date": "release_date"]
                            .merging(votes) { $1 })),
                TruthTable(
                    "tv_series_cache", key: ["tv_series_id"],
                    film(
                        "tv_series_cache",
                        ["tv_series_id": "id", "name": "name", "first_air_date": "first_air_date"]
                            .merging(votes) { $1 })),
                TruthTable(
                    "discovery_cache", key: ["movie_id"],
                    film(
                        "discovery_cache",
                        ["movie_id": "id", "title": "title", "release_date": "release_date"])),
            ])
        }
    }

    @Test func `PO16 the cache is emptied or dropped at will, and comes again`() async throws {
        try await withCache { world in
            try await world.drain()
            let count = "select count(*) from synced.movie_cache"
            #expect(try await world.value(count) == "63")
            try await world.sql("truncate synced.movie_cache")
            try await world.runAgain()
            #expect(try await world.value(count) == "63")
            try await world.sql("drop table synced.movie_cache cascade")
            try await world.migrate(world.file)
            try await world.runAgain()
            #expect(try await world.value(count) == "63")
        }
    }

    @Test func `PO16 without a good key nothing is asked again until there is a new one`()
        async throws
    {
        try await withCache(token: "stale") { world in
            try await world.drain()
            // The key is the tenant's own, so that no user could help.
            #expect(try await world.outcomes("*") == ["needs_reauth client_refused"])
            try await world.store("film-token", as: "tmdb_token", of: nil)
            try await world.drain()
            #expect(try await world.outcomes("*").last == "complete")
        }
    }

    private func withCache(
        token: String = "film-token", _ body: (World) async throws -> Void
    ) async throws {
        let path = packageRoot.appending(path: "jobs/popcorn/cache.yaml")
        let world = try await World(
            try String(contentsOf: path, encoding: .utf8), keeper: testKeeper())
        do {
            try await world.sql(
                "select jobrunner.set_source('acme', 'tmdb', $1)",
                .text(world.source.base + "/tmdb"))
            try await world.store(token, as: "tmdb_token", of: nil)
            try await body(world)
        } catch {
            await world.close()
            throw error
        }
        await world.close()
    }
}

extension World {
    /// A page of a list of films, as the source gives it to whoever has its key.
    fileprivate func filmPage(_ list: String, _ page: Int) async throws -> [UInt8] {
        try await source.answer(
            "GET", "tmdb/3/\(list)?page=\(page)",
            headers: [HTTPHeader("Authorization", "Bearer film-token")])
    }
}

extension World {
    /// As `jobrunner migrate` does with one job file.
    func migrate(_ file: JobFile) async throws {
        _ = try await Migrator(database: pool).migrate(jobFiles: [file])
    }
}
