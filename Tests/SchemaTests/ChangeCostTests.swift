import JSON
import Postgres
import Testing

/// What told changes cost, in entries, buffers and log bytes, which no busy machine can blur.
@Suite("Costs of told changes")
struct ChangeCostTests {
    /// What `explain` says that an answer read.
    private func buffers(_ world: Told, _ mirror: Mirror) async throws -> Int {
        let call = """
            explain (analyze, buffers, format json)
            select * from jobrunner.changes_since('acme', 'recipe', \(mirror.user.map { "'\($0)'" } ?? "null"), '\(mirror.cursor ?? "")')
            """
        return try await world.pool.run { session in
            // What a session reads of the catalogue the first time is left out.
            for _ in 1...2 { _ = try session.query(.unprepared(call)) }
            let text = try session.query(.unprepared(call)).only().text(0)
            let plan = try Array(JSONDocument(parsing: Array(text.utf8)).root.elements).first?[
                "Plan"]
            return (plan?["Shared Hit Blocks"]?.int ?? 0) + (plan?["Shared Read Blocks"]?.int ?? 0)
        }
    }

    @Test(arguments: [nil, "bob"])
    func
        `an answer of nothing new reads as many buffers however much was told, to it and to others`(
            user: String?
        ) async throws
    {
        try await Told.lend { world async throws in
            var mirror = Mirror(user: user)
            try await world.script(
                "insert into synced.recipe (user_id, recipe_id) values (1, 'a'), (2, 'b')")
            try await mirror.catchUp(world)
            let few = try await buffers(world, mirror)
            // Of another tenant: half of it read; of another table, and of its own: all read.
            var (globex, all) = (Mirror(of: "globex"), Mirror())
            try await globex.read(world)
            try await world.script(
                """
                insert into synced.recipe (user_id, recipe_id) select 3, g::text from generate_series(1, 10000) as g;
                insert into synced.status (user_id, video_id, status, last_modified)
                select 1 + g % 2, g::text, 'watched', now() from generate_series(1, 10000) as g;
                insert into synced.recipe (user_id, recipe_id) select 1 + g % 2, g::text from generate_series(1, 2000) as g;
                """)
            try await globex.read(world, limit: 5000)
            try await all.catchUp(world, limit: 10_000)
            try await mirror.catchUp(world, limit: 10_000)
            try await world.script("vacuum jobrunner.changes")
            let many = try await buffers(world, mirror)
            // An index is one page deeper.
            #expect(many <= few + 12, "\(few) \(many)")
            #expect(many < 100)
        }
    }

    @Test func `no answer reads a table from its beginning to its end`() async throws {
        try await Told.lend { world async throws in
            try await world.script(
                """
                select jobrunner.add_users('acme', array(select 'u' || g from generate_series(1, 2000) as g));
                insert into synced.recipe (user_id, recipe_id) select 1 + g % 2, g::text from generate_series(1, 3000) as g;
                analyze synced.recipe; analyze jobrunner.changes; analyze jobrunner.users;
                """)
            for user in [nil, "bob"] {
                var mirror = Mirror(user: user)
                for step in 1...8 {
                    let reader = try await OpenTransaction(world.url)
                    try mirror.hear(try await reader.query(mirror.question(limit: 700)))
                    let scanned = try await reader.query(
                        .unprepared(
                            """
                            select relname::text from pg_stat_xact_user_tables
                            where seq_scan > 0 and relname in ('changes', 'change_turns', 'change_floors', 'users', 'recipe')
                            """)
                    ).map { try $0.text(0) }
                    #expect(scanned == [], "\(user ?? "all") \(step)")
                    try await reader.commit()
                }
            }
            // Nor does the chore.
            try await world.given(.changesEarlier("8 days"))
            let chore = try await OpenTransaction(world.url)
            _ = try await chore.query(.unprepared("select jobrunner.forget_changes(500)"))
            #expect(
                try await chore.query(
                    .unprepared(
                        "select seq_scan from pg_stat_xact_user_tables where relname = 'changes'")
                ).only().int(0) == 0)
            try await chore.rollBack()
        }
    }

    @Test func `a page's place among one user's rows is found, not counted up to`() async throws {
        try await Told.lend { world async throws in
            try await world.script(
                "insert into synced.recipe (user_id, recipe_id) select 1, lpad(g::text, 6, '0') from generate_series(1, 20000) as g"
            )
            var mirror = Mirror()
            try await mirror.read(world, limit: 100)
            let early = try await buffersOfPage(world, mirror)
            try await mirror.read(world, limit: 10_000)
            try await mirror.read(world, limit: 9_000)
            let late = try await buffersOfPage(world, mirror)
            #expect(late < early + 30, "\(early) \(late)")
        }
    }

    private func buffersOfPage(_ world: Told, _ mirror: Mirror) async throws -> Int {
        let call =
            "explain (analyze, buffers, format json) select * from jobrunner.changes_since('acme', 'recipe', null, '\(mirror.cursor ?? "")', 50)"
        return try await world.pool.run { session in
            for _ in 1...2 { _ = try session.query(.unprepared(call)) }
            let text = try session.query(.unprepared(call)).only().text(0)
            let plan = try Array(JSONDocument(parsing: Array(text.utf8)).root.elements).first?[
                "Plan"]
            return (plan?["Shared Hit Blocks"]?.int ?? 0) + (plan?["Shared Read Blocks"]?.int ?? 0)
        }
    }

    @Test
    func
        `a page of a hundred changed rows is one more statement and a hundred entries, and an unchanged one none`()
        async throws
    {
        let own = try await TestDatabase.make()
        try await own.administer(
            """
            create extension pg_stat_statements;
            alter database "\(own.name)" set pg_stat_statements.track = 'all';
            """)
        try await Database.withSessions(try own.configuration(lanes: 1)) { database in
            try await database.migrate([recipeFile().telling(), articleFile()])
            try await database.script(
                "select jobrunner.add_tenant('acme'); select jobrunner.add_user('acme', 'ann')")
            // As a page of the source does it: what is the same is left alone.
            func page(_ table: String, _ key: String, _ value: String, _ body: String) -> String {
                """
                insert into synced.\(table) as r (user_id, \(key), \(value))
                select 1, g::text, '\(body)' from generate_series(1, 100) as g
                on conflict (user_id, \(key)) do update set \(value) = excluded.\(value)
                where r.\(value) is distinct from excluded.\(value)
                """
            }
            func entries() async throws -> Int {
                try await database.int("select count(*) from jobrunner.changes")
            }
            try await database.script(page("recipe", "recipe_id", "body", "1"))
            #expect(try await entries() == 100)
            try await database.script(page("recipe", "recipe_id", "body", "1"))
            #expect(try await entries() == 100)
            // The plans of a session are made, and the table's pages written.
            for n in 2...4 {
                try await database.script(page("recipe", "recipe_id", "body", "\(n)"))
            }
            #expect(try await entries() == 400)
            let nested = """
                select coalesce(sum(calls), 0)::int from pg_stat_statements
                where dbid = (select oid from pg_database where datname = current_database())
                  and query like '%insert into jobrunner.changes%'
                """
            let before = try await own.administratorText("select (\(nested))::text") ?? ""
            try await database.script(page("recipe", "recipe_id", "body", "4"))
            #expect(try await own.administratorText("select (\(nested))::text") == before)
            try await database.script(page("recipe", "recipe_id", "body", "5"))
            let after = try await own.administratorText("select (\(nested))::text") ?? ""
            #expect(Int(after) == (Int(before) ?? 0) + 1)
            #expect(try await entries() == 500)
            // A table that does not ask for it has no such trigger.
            #expect(
                try await database.int(
                    "select count(*) from pg_trigger where tgrelid = 'synced.article'::regclass and tgname like '%tells%'"
                )
                    == 0)
        }
    }
}
