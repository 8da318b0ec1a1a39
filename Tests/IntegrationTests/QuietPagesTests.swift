import JSON
import Postgres
import Testing

@Suite("Pages that change nothing")
struct QuietPagesTests {
    /// Ten pages of fifty items, read in full each time.
    private static func yaml(_ page: String = "", mode: String = "overwrite") -> String {
        World.generic(
            "token", page: "style: token, token_at: next_token, size: 50\(page)",
            query: #"cursor: "{page.token}""#, mode: mode,
            fields: World.standardFields + "\nall: { at: \"\", type: json }")
    }

    /// How often a checkpoint may move until now: at the pass's end, and once for each second that it took.
    ///
    /// A pass of ten pages takes a tenth of one, but not where hundreds of tests begin together.
    private func mostVersions(since start: ContinuousClock.Instant) -> Int {
        1 + Int((ContinuousClock.now - start).components.seconds)
    }

    private func withSecondPass(
        _ yaml: String, _ body: (World) async throws -> Void
    ) async throws {
        try await withWorld(yaml, videos: 500) { world in
            while try await world.checkpoint("ann", "last_synced_at is null") {
                try await world.runAgain()
            }
            try await body(world)
        }
    }

    @Test(arguments: ["overwrite", "insert_new", "newest_wins, newer_by: seq"])
    func `a pass of ten pages that changes nothing moves its checkpoint once and no record`(
        _ mode: String
    ) async throws {
        try await withSecondPass(Self.yaml(mode: mode)) { world in
            let rows = try await world.versions()
            let asked = try await world.source.log(user: "ann").count
            try await world.keepTrail()
            let start = ContinuousClock.now
            try await world.enqueue("ann")
            try await world.drain()
            let most = mostVersions(since: start)
            #expect(try await world.versions() == rows)
            #expect(try await world.source.log(user: "ann").count == asked + asked)
            let trail = try await world.trail()
            #expect(trail.count { !$0.isNull("cursor") } < most)
            #expect(trail.last?["counters"]?.int("pages") == asked)
            let run = try #require(try await world.runs("ann").last)
            #expect(run.int("pages") == asked)
            #expect(run.int("fetched") == 500 && run.int("unchanged") == 500)
        }
    }

    @Test
    func `a pass of ten pages that changes nothing writes WAL for one version of its checkpoint`()
        async throws
    {
        try await withSecondPass(Self.yaml()) { world in
            try await world.database.administer("create extension pg_walinspect")
            let begin = try #require(try await world.value("select pg_current_wal_insert_lsn()"))
            let start = ContinuousClock.now
            try await world.runAgain()
            let most = mostVersions(since: start)
            // Full-page images aside, which depend on when the server's last checkpoint was. What the
            // claim and the outcome write is in other tables.
            let bytes = try await world.database.administratorText(
                """
                select coalesce(sum(w.record_length - w.fpi_length), 0)::text
                from pg_get_wal_records_info($1::text::pg_lsn, pg_current_wal_flush_lsn()) as w
                where w.resource_manager in ('Heap', 'Btree') and exists (
                  select from pg_class as c, pg_database as d
                  where d.datname = current_database() and c.relnamespace in ('synced'::regnamespace, 'jobrunner'::regnamespace)
                    and c.relname ~ '^(generic_item|checkpoints)' and c.relkind in ('r', 'i')
                    and w.block_ref like '%/' || d.oid || '/' || pg_relation_filenode(c.oid) || ' %')
                """, .text(begin))
            #expect(Int(bytes ?? "") ?? .max < 500 * most, "\(bytes ?? "none") bytes")
        }
    }

    @Test func `what changes between pages that do not is written and counted with them`()
        async throws
    {
        try await withSecondPass(Self.yaml()) { world in
            try await world.source.command(
                "POST", "change", #"{"user": "ann", "op": "edit", "count": 3, "name": "new"}"#)
            try await world.enqueue("ann")
            try await world.drain()
            let run = try #require(try await world.runs("ann").last)
            #expect(run.int("fetched") == 500)
            #expect(run.int("updated") == 3 && run.int("unchanged") == 497)
            #expect(
                try await world.value("select count(*) from synced.generic_item where name = 'new'")
                    == "3")
        }
    }

    @Test func `a run that yields after pages that changed nothing keeps their place`() async throws
    {
        try await withSecondPass(Self.yaml(", max_pages: 3")) { world in
            try await world.enqueue("ann")
            let asked = try await world.source.log(user: "ann").count
            // Each run yields after three pages and is due again at once, until the pass is over.
            try await world.drain()
            #expect(try await world.source.log(user: "ann").count == asked + asked)
            // The last of them found its page unchanged as well, which is no run worth a row.
            let runs = try await world.runs("ann").suffix(3)
            #expect(runs.map { $0.int("pages") } == [3, 3, 3])
            #expect(runs.map { $0.int("unchanged") } == [150, 150, 150])
            #expect(try await world.checkpoint("ann").int("unchanged") == 50)
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }
}

extension World {
    /// Whether a user's first checkpoint is as the condition says; true without one.
    fileprivate func checkpoint(_ user: String, _ condition: String) async throws -> Bool {
        try await value(
            """
            select coalesce((select \(condition) from jobrunner.checkpoints as k
              join jobrunner.users as u on u.id = k.user_id where u.key = $1 limit 1), true)
            """, .text(user)) == "true"
    }
}
