import Foundation
import JSON
import JobFiles
import Postgres
import Testing

/// All files of an app beside each other, over three days that pass in rows.
@Suite struct ThreeDaysTests {
    @Test func `OW17 what one job of SportsTime cleans up the other does not bring back`()
        async throws
    {
        try await withSports("\"records\": 200", agesOut: true) { world in
            try await world.also(CloudApp.sportstimeHourly.yaml())
            try await seedGames(world)
            try await live(world, jobs: 2)
            #expect(
                try await world.value(
                    "select count(*)::text from synced.st_game where starts_at < now() - interval '400 days'"
                ) == "0")
            #expect(
                try await world.value(
                    "select string_agg(canonical_id, ' ' order by canonical_id) from synced.st_game where canonical_id like 'ours-%'"
                ) == "ours-new")
        }
    }

    @Test func `MeTube's jobs leave each other's rows alone`() async throws {
        try await withCloud(.metube, "\"records\": 60") { world in
            try await world.also(CloudApp.tokens.yaml())
            try await world.also(World.metube())
            try await world.also(shipped("metube/worker"))
            try await world.sql(
                "select jobrunner.set_source('acme', 'metube-worker', $1)",
                .text(world.source.base + "/worker/\(firstUser)"))
            try await world.sql(
                "select jobrunner.set_user('acme', $1, jsonb_build_object('user_id', $1::text, 'hub_user_id', $1::text))",
                .text(firstUser))
            try await world.source.command(
                "POST", "users", #"{"id": "\#(firstUser)", "videos": 150, "registered": false}"#)
            try await world.sql(
                "select jobrunner.replace_list('acme', $1, 'hub_channel', 'channel_id', array['c1', 'c2'])",
                .text(firstUser))
            try await live(world, jobs: 4)
        }
    }

    @Test func `Popcorn's cache and its watchlist leave each other's rows alone`() async throws {
        try await withCloud(.popcorn, "\"records\": 60") { world in
            try await world.also(shipped("popcorn/cache"))
            try await world.sql(
                "select jobrunner.set_source('acme', 'tmdb', $1)",
                .text(world.source.base + "/tmdb"))
            try await world.store("film-token", as: "tmdb_token", of: nil)
            try await live(world, jobs: 2)
        }
    }

    @Test(arguments: [CloudApp.snapchef, .luego])
    func `an app's job finds its rows as it left them, day after day`(_ app: CloudApp)
        async throws
    {
        try await withCloud(app, "\"records\": 60") { world in try await live(world, jobs: 1) }
    }

    /// Lets three days pass in steps of six hours; after the first one nothing changes at the source, nor here.
    private func live(_ world: World, jobs: Int) async throws {
        for _ in 1...4 { try await pass(world) }
        let rows = try await world.allVersions()
        #expect(!rows.isEmpty)
        for _ in 1...8 {
            try await pass(world)
            #expect(try await world.allVersions() == rows)
        }
        #expect(try await world.unfinished() == [])
        #expect(
            try await world.value(
                "select count(*)::text from jobrunner.jobs where last_success_at > now() - interval '1 hour'"
            ) == "\(jobs)")
    }

    private func shipped(_ path: String) throws -> String {
        try String(
            contentsOf: packageRoot.appending(path: "jobs/\(path).yaml"), encoding: .utf8)
    }

    /// Six hours go by, in every row that tells a time.
    private func pass(_ world: World) async throws {
        try await world.makeStale("6 hours")
        try await world.given(.succeeded(ago: "6 hours"), .time(.run, in: "-6 hours"))
        try await world.runAgain()
    }

    private func seedGames(_ world: World) async throws {
        let now = Int(Date().timeIntervalSince1970 * 1000)
        let records = [("ours-old", 402), ("ours-new", 1)].map { name, days in
            """
            {"recordName": "\(name)", "recordType": "Game", "fields": {
              "canonicalId": {"value": "\(name)"}, "homeTeamCanonicalId": {"value": "a"},
              "awayTeamCanonicalId": {"value": "b"}, "stadiumCanonicalId": {"value": "s"},
              "dateTime": {"value": \(now - days * 86_400_000), "type": "TIMESTAMP"}}}
            """
        }
        try await world.cloud(
            .sportstime, "edit", #""records": [\#(records.joined(separator: ","))]"#)
    }
}

extension World {
    /// `table key ctid xmin` of every row of every table of the application.
    fileprivate func allVersions() async throws -> Set<String> {
        var all: Set<String> = []
        let tables = try await rows(
            "select distinct name from jobrunner.synced_tables order by name")
        for table in tables.compactMap({ $0.text("name") }) {
            let rows = try await rows(
                "select t.ctid::text || ' ' || t.xmin::text as version from synced.\(table) as t")
            all.formUnion(rows.compactMap { $0.text("version") }.map { "\(table) \($0)" })
        }
        return all
    }
}
