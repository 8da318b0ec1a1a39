import JSON
import Postgres
import Schema
import Testing

@testable import JobFiles

@Suite("Cursors of changes")
struct ChangeCursorTests {
    private let many = """
        insert into synced.recipe (user_id, recipe_id, body)
        select 1 + g % 2, 'r' || g, '1' from generate_series(1, 23) as g
        """

    @Test(arguments: [1, 2, 3, 7, 23, 24, 25, 1000])
    func `pages of any size show every row once, and what changes between them follows`(limit: Int)
        async throws
    {
        try await Told.lend { world async throws in
            try await world.script(many)
            var mirror = Mirror()
            var shown: [String] = []
            var round = 0
            while true {
                let answer = try await mirror.read(world, limit: limit)
                #expect(answer.count <= limit)
                if answer.isEmpty { break }
                shown += answer
                round += 1
                // Before the place and behind it: new ones, changed ones, and some that go.
                guard round <= 6 else { continue }
                try await world.script(
                    """
                    insert into synced.recipe (user_id, recipe_id) values (1, 'a\(round)'), (2, 'z\(round)');
                    update synced.recipe set body = '\(round + 1)' where recipe_id in ('r\(round)', 'r1\(round)');
                    delete from synced.recipe where recipe_id in ('r2\(round % 4)', 'z\(round - 1)');
                    """)
            }
            #expect(try await mirror.contents == world.recipes())
            #expect(mirror.beginnings == 1)
            #expect(shown.filter { $0 == "begin" }.count == 1)
        }
    }

    @Test func `the cursor of each row of an answer can be gone on from`() async throws {
        try await Told.lend { world async throws in
            try await world.script(many)
            var source = Mirror()
            try await source.catchUp(world)
            let start = source.cursor
            try await world.script(
                """
                update synced.recipe set body = '2' where recipe_id like 'r1%';
                delete from synced.recipe where recipe_id like 'r2%';
                update synced.recipe set body = '3' where recipe_id = 'r1';
                """)
            var whole = source
            let told = try await whole.read(world).count
            for place in 1...told {
                var mirror = source
                mirror.goBack(to: start)
                // Breaks off behind so many rows.
                let rows = try await world.pool.run { [mirror] in
                    try $0.query(
                        .unprepared(
                            """
                            select change, concat_ws(' ', user_key, key::text) as place, "row"::text as row, cursor
                            from jobrunner.changes_since('acme', 'recipe', null, $1) limit \(place)
                            """, .optional(mirror.cursor, Bind.text)))
                }
                try mirror.hear(rows)
                try await mirror.catchUp(world)
                #expect(mirror.contents == whole.contents, "\(place)")
            }
            #expect(try await whole.contents == world.recipes())
        }
    }

    @Test func `limits are 1 at least, and none is more than 10,000`() async throws {
        try await Told.lend { world async throws in
            for limit in ["0", "-1"] {
                #expect(
                    try await world.refusal(
                        "select jobrunner.changes_since('acme', 'recipe', null, null, \(limit))")
                        == "JR017")
            }
            try await world.script(
                "insert into synced.recipe (user_id, recipe_id) select 1, g::text from generate_series(1, 10005) as g"
            )
            var mirror = Mirror()
            #expect(try await mirror.read(world, limit: 2_147_483_647).count == 10_000)
            #expect(try await mirror.read(world).count == 6)
            // Without a word it is 1,000; these are told again, for they were noted before it began.
            #expect(try await mirror.read(world).count == 1000)
            try await mirror.catchUp(world, limit: 2_147_483_647)
            #expect(mirror.rows.count == 10_005)
        }
    }

    @Test func `a cursor that was not given here is refused, and shows nobody else's rows`()
        async throws
    {
        try await Told.lend { world async throws in
            try await world.script(
                """
                insert into synced.recipe (user_id, recipe_id) select u.id, u.id || '-' || g
                from jobrunner.users as u, generate_series(1, 3) as g
                """)
            func answer(_ cursor: String, user: String? = nil) async -> String {
                var mirror = Mirror(user: user)
                mirror.goBack(to: cursor)
                do {
                    return try await mirror.read(world).joined(separator: ", ")
                } catch let error as DatabaseError {
                    return error.sqlstate ?? ""
                } catch {
                    return "\(error)"
                }
            }
            var (own, place, globex) = (Mirror(), Mirror(), Mirror(of: "globex"))
            try await own.catchUp(world)
            try await place.read(world, limit: 2)
            try await globex.catchUp(world)
            let good = try #require(own.cursor)
            let inside = try #require(place.cursor)
            let stem = inside.split(separator: ".").dropLast().joined(separator: ".")
            func hex(_ text: String) -> String {
                text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            }
            let forged = [
                "", "1", "nonsense", good + " ", good + "\n", "2" + good.dropFirst(), good + ".0",
                good + ".zz",
                good + "99999999999999999999", stem + ".", stem + ".ff", stem + ".5b",
                stem + "." + hex("[1, 2]"),
                stem + "." + hex(#"["ann", [1]]"#), stem + "." + hex(#"["\u0000", {}]"#),
                stem + "." + String(repeating: "5b", count: 100_000),
                String(repeating: "1", count: 1_000_000),
                globex.cursor ?? "",
            ]
            for cursor in forged {
                #expect(await answer(cursor) == "JR017", "\(cursor.prefix(90))")
            }
            #expect(await answer(good, user: "ann") == "JR017")
            // Well formed, they lead to no row but the tenant's own, and of a user's reader to that user's.
            for (user, key) in [
                ("", "{}"), ("zoe", "{}"), ("ann", #"{"recipe_id": null}"#),
                ("ann", #"{"recipe_id": "0"}"#),
            ] {
                let said = await answer(stem + "." + hex(#"["\#(user)", \#(key)]"#))
                #expect(
                    !said.contains(#""3-"#) && !said.contains("JR") && !said.contains(" XX"),
                    "\(said)")
            }
            // Another epoch's, or one of a number that was never drawn, begins anew.
            #expect(
                await answer(
                    good.replacing(
                        good.split(separator: ".")[1], with: String(repeating: "0", count: 32))
                )
                .hasPrefix("begin"))
            #expect(
                await answer(
                    good.split(separator: ".").dropLast().joined(separator: ".") + ".999999999"
                )
                .hasPrefix("begin"))
        }
    }

    @Test func `a cursor that is older than a week begins anew, and others go on`() async throws {
        try await Told.lend { world async throws in
            var (early, late, globex) = (Mirror(), Mirror(), Mirror(of: "globex"))
            try await early.read(world)
            try await globex.read(world)
            try await world.script(many)
            try await late.catchUp(world)
            var reader = early
            try await reader.catchUp(world)
            try await world.given(.changesEarlier("8 days"))
            try await world.script(
                "insert into synced.recipe (user_id, recipe_id) values (1, 'new')")
            try await world.script("select jobrunner.maintain_runs()")
            #expect(try await world.entries() == 1)
            for mirror in [reader, late] {
                var mirror = mirror
                #expect(try await mirror.read(world) == [#"upsert ann {"recipe_id": "new"}"#])
                #expect(mirror.beginnings == 1)
            }
            #expect(try await early.read(world).first == "begin")
            try await early.catchUp(world)
            #expect(try await early.contents == world.recipes())
            #expect(try await globex.read(world) == [])
        }
    }

    @Test func `changes that nobody read for a week have every cursor begin anew`() async throws {
        try await Told.lend { world async throws in
            var mirror = Mirror()
            try await mirror.read(world)
            try await world.script(many)
            for round in 2...4 {
                try await world.script("update synced.recipe set body = '\(round)'")
                try await world.given(.changesEarlier("8 days"))
                try await world.script("select jobrunner.maintain_runs()")
                #expect(try await world.entries() == 0)
                #expect(try await mirror.read(world).first == "begin")
                #expect(try await mirror.contents == world.recipes())
                #expect(try await mirror.read(world) == [])
            }
        }
    }

    @Test func `a page of one that has begun, too, is too old after a week`() async throws {
        try await Told.lend { world async throws in
            try await world.script(many)
            var (mirror, other) = (Mirror(), Mirror())
            try await mirror.read(world, limit: 5)
            try await world.script("delete from synced.recipe where recipe_id in ('r2', 'r22')")
            try await other.catchUp(world)
            try await world.given(.changesEarlier("8 days"))
            try await world.script("select jobrunner.maintain_runs()")
            try await mirror.catchUp(world, limit: 5)
            #expect(mirror.beginnings == 2)
            #expect(try await mirror.contents == world.recipes())
        }
    }

    @Test func `old changes go in pieces, and one that a reader holds is left`() async throws {
        try await Told.lend { world async throws in
            try await world.script(many)
            try await world.given(.changesEarlier("8 days"))
            #expect(try await world.text("select jobrunner.forget_changes(10)") == "10")
            let reader = try await OpenTransaction(
                world.url, "select count(*) from jobrunner.changes_since('acme', 'recipe')",
                "update jobrunner.changes set number = number where id < 13")
            #expect(try await world.text("select jobrunner.forget_changes(10)") == "8")
            try await reader.rollBack()
            #expect(try await world.text("select jobrunner.forget_changes(10)") == "5")
            #expect(try await world.text("select jobrunner.forget_changes(10)") == "0")
        }
    }

    @Test func `a truncate has every reader of the table begin anew, and of no other`() async throws
    {
        try await Told.lend { world async throws in
            try await world.script(many)
            var (mirror, article) = (Mirror(), Mirror("article"))
            try await mirror.catchUp(world)
            try await article.read(world)
            try await world.script("truncate synced.recipe")
            #expect(try await mirror.read(world) == ["begin"])
            #expect(mirror.rows.isEmpty)
            #expect(try await article.read(world) == [])
        }
    }

    @Test func `what was not told while nobody asked for it makes readers begin anew`() async throws
    {
        try await Told.lend { world async throws in
            var mirror = Mirror()
            try await mirror.read(world)
            let quiet = [articleFile().telling(), statusFile().telling(), recipeFile()]
            try await world.pool.migrate(quiet)
            try await world.script(many)
            #expect(try await world.entries() == 0)
            #expect(
                try await world.refusal("select jobrunner.changes_since('acme', 'recipe')")
                    == "JR016")
            #expect(
                try await world.texts(
                    "select tgname::text from pg_trigger where tgrelid = 'synced.recipe'::regclass order by 1"
                )
                    == ["jobrunner_notes_removals", "jobrunner_notes_truncation"])
            try await world.pool.migrate(toldFiles())
            #expect(try await mirror.read(world).first == "begin")
            #expect(mirror.rows.count == 23)
            // A trigger that somebody took away, and migrate makes anew.
            try await world.script("drop trigger jobrunner_tells_updates on synced.recipe")
            try await world.script("update synced.recipe set body = '7'")
            #expect(
                try await world.pool.migrate(toldFiles()).mended == [
                    "a trigger of table synced.recipe was missing"
                ])
            #expect(try await mirror.read(world).first == "begin")
            #expect(try await mirror.contents == world.recipes())
            #expect(try await world.pool.migrate(toldFiles()).isEmpty)
            #expect(try await mirror.read(world) == [])
        }
    }

    @Test func `another field, and a table that is made anew, make readers begin anew`()
        async throws
    {
        try await Told.lend { world async throws in
            try await world.script(many)
            var mirror = Mirror()
            try await mirror.catchUp(world)
            func file(_ key: String, _ kind: Field.Kind, _ more: [Field]) -> JobFile {
                var file = jobFile(
                    "snapchef.refresh", table: "recipe", key: [key],
                    fields: [field(key, kind, required: true), field("body", .json)] + more)
                file.stores = [Store(table: "recipe", kind: .disposable)]
                return file.telling()
            }
            let others = [articleFile().telling(), statusFile().telling()]
            try await world.pool.migrate(
                others + [file("recipe_id", .text, [field("stars", .int, default: .number("3"))])])
            #expect(try await mirror.read(world).first == "begin")
            #expect(mirror.rows.values.allSatisfy { $0.contains("\"stars\": 3") })
            // The key is a number now: what was noted of the old table would not even fit.
            try await world.script("update synced.recipe set body = '9'")
            try await world.pool.migrate(others + [file("recipe_id", .int, [])])
            try await world.script("insert into synced.recipe (user_id, recipe_id) values (1, 7)")
            #expect(try await mirror.read(world) == ["begin", #"upsert ann {"recipe_id": 7}"#])
            try await mirror.catchUp(world)
            #expect(mirror.rows.count == 1)
        }
    }

    @Test func `who may only read is refused, for then nothing would get a number`() async throws {
        try await Told.lend { world async throws in
            let reader = try await OpenTransaction(world.url, "set transaction read only")
            await #expect(throws: DatabaseError.self) {
                try await reader.run("select * from jobrunner.changes_since('acme', 'recipe')")
            }
            try await reader.rollBack()
        }
    }
}
