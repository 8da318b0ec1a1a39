import JSON
import Postgres
import Schema
import Testing

@testable import JobFiles

/// What an application reads: schema own.
@Suite("Views of an application's own rows")
struct OwnViewTests {
    /// Articles of ann and bob of acme and of eve of globex, and a login that is an application of acme.
    private func lend(_ body: @escaping (Articles, Login) async throws -> Void) async throws {
        try await Articles.lend { world in
            try await world.script(
                """
                select jobrunner.add_tenant('globex');
                select jobrunner.add_user('globex', 'eve'), jobrunner.add_user('globex', 'ann');
                """)
            for (name, user) in [("A", 1), ("B", 2), ("E", 3), ("F", 4)] {
                try await world.arrive(name, url: "u/\(name)", saved: 1, user: user)
            }
            try await Login.with(of: world.url) { login in
                try await world.script(
                    """
                    grant usage on schema own to \(login.name);
                    grant select on all tables in schema own to \(login.name);
                    """)
                _ = try await world.texts(
                    "select jobrunner.add_application('acme', '\(login.name)')")
                try await body(world, login)
            }
        }
    }

    private let all = "select user_key || ' ' || record_name from own.article order by 1"

    @Test func `an application reads its tenant's rows by its own keys, and no other row`()
        async throws
    {
        try await lend { world, login in
            #expect(try await login.texts(all) == ["ann A", "bob B"])
            #expect(
                try await login.texts("select url from own.article where user_key = 'ann'")
                    == ["u/A"])
            #expect(
                try await login.texts("select url from own.article where user_key = 'eve'") == [])
            for table in ["synced.article", "jobrunner.users"] {
                #expect(try await login.refusal("select * from \(table)") == "42501")
            }
            // The owner is every tenant's, and no application.
            #expect(try await world.texts(all) == [])
            try await world.script("select jobrunner.remove_application('\(login.name)')")
            #expect(try await login.texts(all) == [])
            try await world.script("select jobrunner.add_application('globex', '\(login.name)')")
            #expect(try await login.texts(all) == ["ann F", "eve E"])
        }
    }

    @Test func `a function that tells what it is given is given no foreign row`() async throws {
        try await lend { world, login in
            try await world.script("grant create on database \(world.database) to \(login.name)")
            try await login.script(
                """
                create schema mine;
                create table mine.seen (words text);
                create function mine.leaks(in_words text) returns boolean language plpgsql cost 0.0001 as $$
                begin
                  insert into mine.seen values (in_words);
                  raise notice '%', in_words;
                  return true;
                end $$;
                -- What it may see first of all is what a plan without the indexes of both tables shows.
                set enable_nestloop = off; set enable_indexscan = off; set enable_bitmapscan = off;
                set enable_indexonlyscan = off;
                do $$ begin perform from own.article as a where mine.leaks(a.user_key) and mine.leaks(a.url); end $$;
                """)
            #expect(
                try await login.texts("select distinct words from mine.seen order by 1")
                    == ["ann", "bob", "u/A", "u/B"])
        }
    }

    /// Operators that tell nothing may come before the barrier, and explain shows how many rows each step found.
    @Test func `what explain counts are rows of the own tenant`() async throws {
        try await lend { world, login in
            for condition in [
                "url = 'u/E'", "url >= 'u/E'", "record_name = 'F'", "user_key = 'eve'",
            ] {
                let plan = try await login.lines(
                    of:
                        "explain (analyze, costs off, timing off, summary off) select 1 from own.article where \(condition)"
                ).filter { $0.contains("article") || $0.contains("Removed") }
                let found = plan.filter { $0.contains("rows=") }.compactMap {
                    Int($0.firstMatch(of: /rows=(\d+) loops/)?.1 ?? "")
                }
                let removed = plan.compactMap {
                    Int($0.firstMatch(of: /Rows Removed by Filter: (\d+)/)?.1 ?? "")
                }
                // Acme has two users with a row each; of globex' rows none is met.
                #expect(found.allSatisfy { $0 <= 2 }, "\(plan)")
                #expect(removed.allSatisfy { $0 <= 2 }, "\(plan)")
            }
        }
    }

    @Test func `a row that waits for its deletion or is hidden is left out, and so is bookkeeping`()
        async throws
    {
        try await lend { world, login in
            #expect(
                try await world.texts(
                    "select attname from pg_attribute where attrelid = 'own.article'::regclass order by attnum"
                ) == [
                    "user_key", "record_name", "url", "title", "saved_date", "is_favorite",
                    "is_archived", "read_position", "deleted_at", "inserted_at", "last_modified",
                    "synced", "push_error",
                ])
            #expect(
                try await world.texts(
                    """
                    select concat_ws('.', c.relname, a.attname)
                    from pg_class as c
                    join pg_attribute as a on a.attrelid = c.oid and not a.attisdropped
                    where c.relnamespace = 'own'::regnamespace
                      and (obj_description(c.oid) is null or col_description(c.oid, a.attnum) is null)
                    """) == [])
            try await world.script(
                "select jobrunner.delete_record('acme', 'ann', 'article', '{\"record_name\": \"A\"}')"
            )
            #expect(try await login.texts(all) == ["bob B"])
            #expect(
                try await world.texts("select record_name from synced.article where user_id = 1")
                    == ["A"])
        }
    }

    @Test func `a view follows its table's columns, and who may read it still may`() async throws {
        try await lend { world, login in
            var file = articleFile()
            file.entities[0].records.fields.append(field("mood"))
            try await world.pool.migrate([file, statusFile(), recipeFile()])
            #expect(try await login.texts("select mood from own.article") == ["null", "null"])
            #expect(try await world.pool.migrate([file, statusFile(), recipeFile()]).isEmpty)
            // A column that goes moves those behind it, which no replacement can do.
            try await world.script(
                """
                drop view own.article, synced.article_live;
                alter table synced.article drop column read_position;
                """)
            try await world.script("create view own.article as select 'x' as user_key, 1 as other")
            try await world.script("grant select on own.article to \(login.name)")
            file.entities[0].records.fields.removeAll { $0.name == "read_position" }
            try await world.pool.migrate([file, statusFile(), recipeFile()])
            #expect(try await login.texts(all) == ["ann A", "bob B"])
        }
    }

    @Test func `a lost view is made anew, and a table that is made anew has its view`() async throws
    {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile()])
            for loss in [
                "drop view own.hub_video",
                "alter view own.hub_video set (security_barrier = false)",
                "create or replace view own.hub_video with (security_barrier) as select 'x' as user_key, video_id, inserted_at, last_modified, synced from synced.hub_video",
            ] {
                try await database.script(loss)
                #expect(
                    try await database.migrate([jobFile()]).mended
                        == ["view own.hub_video was missing, or another one"], "\(loss)")
                #expect(try await database.migrate([jobFile()]).isEmpty)
            }
            var file = jobFile(fields: [field("video_id", .int, required: true)])
            file.stores = [Store(table: "hub_video", kind: .disposable)]
            #expect(try await database.migrate([file]).mended == [])
            #expect(
                try await database.texts(
                    "select format_type(atttypid, null) from pg_attribute where attrelid = 'own.hub_video'::regclass and attname = 'video_id'"
                ) == ["bigint"])
        }
    }

    @Test func `one user's rows are found by indexes, however many users there are`() async throws {
        try await lend { world, login in
            try await world.script(
                """
                insert into jobrunner.users (tenant_id, key)
                select t.id, t.name || n from jobrunner.tenants as t, generate_series(1, 20000) as n;
                select jobrunner.own_writes('on');
                insert into synced.article (user_id, record_name)
                select u.id, 'r' || n from jobrunner.users as u, generate_series(1, 3) as n;
                analyze jobrunner.users; analyze synced.article;
                """)
            let question = "select url, record_name from own.article where user_key = 'acme7'"
            #expect(
                try await login.texts(
                    "select record_name from own.article where user_key = 'acme7'"
                ).count == 3)
            // All of the user's rows by any index that begins with the user; one of them is sought among those, since a
            // condition on a column of the table must not come before the tenant's.
            for (query, condition) in [
                (question, "Index Cond: (user_id = u.id)"),
                (
                    question + " and record_name = 'r1'",
                    "Filter: (r.record_name = 'r1'::text)"
                ),
            ] {
                let plan = try await login.plan(of: query)
                #expect(plan.contains("using user_key_is_unique_in_its_tenant on users"), "\(plan)")
                #expect(plan.contains("Index Cond: ((tenant_id = $0) AND (key = 'acme7'::text))"))
                #expect(plan.contains(condition), "\(plan)")
                let buffers = try #require(
                    plan.split(separator: "\n").lazy.compactMap {
                        $0.firstMatch(of: /Buffers: shared hit=(\d+)/).flatMap { Int($0.1) }
                    }.first, "\(plan)")
                #expect(buffers < 30, "\(plan)")
            }
        }
    }
}

extension Articles {
    /// Name of the database.
    fileprivate var database: String { url.split(separator: "/").last.map(String.init) ?? "" }
}

extension Login {
    /// What a query read, with all buffers warm.
    fileprivate func plan(of query: String) async throws -> String {
        let explain = "explain (analyze, buffers, costs off, timing off) " + query
        _ = try await lines(of: explain)
        return try await lines(of: explain).joined(separator: "\n")
    }
}
