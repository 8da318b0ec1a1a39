import Postgres
import Testing

@testable import JobFiles

@Suite("What changed since")
struct ChangesSinceTests {
    private let twoEach = """
        insert into synced.recipe (user_id, recipe_id, body)
        select u.id, r.id, '{"n": 1}' from jobrunner.users as u, unnest('{a,b}'::text[]) as r (id)
        where not u.stands_for_tenant order by 1, 2
        """

    @Test func `a reader begins with the rows that are there, and is told each change once`()
        async throws
    {
        try await Told.lend { world async throws in
            var mirror = Mirror()
            #expect(try await mirror.read(world) == ["begin"])
            #expect(try await mirror.read(world) == [])
            try await world.script(twoEach)
            #expect(
                try await mirror.read(world).sorted() == [
                    #"upsert ann {"recipe_id": "a"}"#, #"upsert ann {"recipe_id": "b"}"#,
                    #"upsert bob {"recipe_id": "a"}"#, #"upsert bob {"recipe_id": "b"}"#,
                ])
            #expect(try await mirror.read(world) == [])
            try await world.script(
                """
                update synced.recipe set body = '{"n": 2}' where recipe_id = 'b' and user_id = 1;
                delete from synced.recipe where recipe_id = 'a' and user_id = 1;
                """)
            #expect(
                try await mirror.read(world) == [
                    #"upsert ann {"recipe_id": "b"}"#, #"delete ann {"recipe_id": "a"}"#,
                ])
            #expect(try await mirror.contents == world.recipes())
            #expect(mirror.beginnings == 1)
            // Who begins later has the same.
            var late = Mirror()
            #expect(try await late.read(world).first == "begin")
            #expect(late.contents == mirror.contents && late.contents.count == 3)
        }
    }

    @Test func `an answer tells a key once, with the row as it is now`() async throws {
        try await Told.lend { world async throws in
            var mirror = Mirror()
            try await mirror.read(world)
            try await world.script(
                """
                insert into synced.recipe (user_id, recipe_id, body) values (1, 'a', '1'), (1, 'b', '1');
                update synced.recipe set body = '2' where recipe_id = 'a';
                begin; delete from synced.recipe where recipe_id = 'a';
                insert into synced.recipe (user_id, recipe_id, body) values (1, 'a', '3'); commit;
                update synced.recipe set recipe_id = 'c' where recipe_id = 'b';
                """)
            #expect(
                try await mirror.read(world).sorted() == [
                    #"delete ann {"recipe_id": "b"}"#, #"upsert ann {"recipe_id": "a"}"#,
                    #"upsert ann {"recipe_id": "c"}"#,
                ])
            #expect(try await mirror.contents == world.recipes() && mirror.rows.count == 2)
            #expect(mirror.rows[#"ann {"recipe_id": "a"}"#] == #"{"body": 3, "recipe_id": "a"}"#)
        }
    }

    @Test func `what is between jobrunner and the source is not told`() async throws {
        try await Told.lend { world async throws in
            try await world.asRun(
                "insert into synced.article (user_id, record_name, url, tag) values (1, 'a', 'u', 't')"
            )
            var mirror = Mirror("article")
            try await mirror.catchUp(world)
            #expect(mirror.rows.values.first?.contains("\"url\": \"u\"") == true)
            let own = ["user_id", "tag", "synced", "pending_delete", "sent_hashes", "inserted_at"]
            for name in own { #expect(mirror.rows.values.first?.contains("\"\(name)\"") == false) }
            let entries = try await world.entries()
            try await world.asRun(
                """
                update synced.article set synced = false, tag = 'other', sent_hashes = '{7}', push_error = 'no',
                  last_modified = now() + interval '1 h', unread_fields = '{title}'
                """)
            try await world.script(
                "update synced.recipe set body = body; delete from synced.recipe")
            #expect(try await world.entries() == entries)
            #expect(try await mirror.read(world) == [])
            try await world.asRun("update synced.article set title = 'now'")
            #expect(try await mirror.read(world).count == 1)
        }
    }

    @Test
    func `a record that waits for its deletion is deleted for applications, and may come back`()
        async throws
    {
        try await Told.lend { world async throws in
            try await world.asRun(
                "insert into synced.article (user_id, record_name, url, tag) values (1, 'a', 'u', 't')"
            )
            var mirror = Mirror("article")
            try await mirror.catchUp(world)
            let place = #"ann {"record_name": "a"}"#
            try await world.script(
                "select jobrunner.delete_record('acme', 'ann', 'article', '{\"record_name\": \"a\"}')"
            )
            #expect(try await world.text("select count(*)::text from synced.article") == "1")
            #expect(try await mirror.read(world) == ["delete \(place)"])
            try await world.script(
                "select jobrunner.edit_record('acme', 'ann', 'article', '{\"record_name\": \"a\", \"url\": \"v\"}')"
            )
            #expect(try await mirror.read(world) == ["upsert \(place)"])
            try await world.script("delete from synced.article")
            #expect(try await mirror.read(world) == ["delete \(place)"])
            // What a push removes at last was told.
            try await world.asRun("delete from synced.article")
            #expect(try await mirror.read(world) == [])
            // Neither does who begins see it.
            try await world.script(
                "insert into synced.article (user_id, record_name, sent_hashes) values (1, 'b', '{1}')"
            )
            try await world.script("delete from synced.article")
            var late = Mirror("article")
            #expect(try await late.read(world) == ["begin"])
        }
    }

    @Test func `edits, saves and merges are told`() async throws {
        try await Told.lend { world async throws in
            var mirror = Mirror("article")
            try await mirror.read(world)
            try await world.script(
                """
                select jobrunner.save_record('acme', 'bob', 'article', '{"record_name": "s", "url": "u"}');
                select jobrunner.edit_record('acme', 'bob', 'article', '{"record_name": "s", "title": "t"}');
                """)
            #expect(try await mirror.read(world) == [#"upsert bob {"record_name": "s"}"#])
            try await world.asRun(
                """
                insert into synced.article (user_id, record_name, url, saved_date, is_favorite)
                values (1, 'old', 'w', '2020-01-01', false), (1, 'new', 'w', '2021-01-01', true)
                """)
            try await mirror.read(world)
            try await world.script("select jobrunner.merge_duplicates(1, 'article')")
            #expect(
                try await Set(mirror.read(world)) == [
                    #"upsert ann {"record_name": "old"}"#, #"delete ann {"record_name": "new"}"#,
                ])
            #expect(
                mirror.rows[#"ann {"record_name": "old"}"#]?.contains("\"is_favorite\": true")
                    == true)
        }
    }

    @Test func `a hidden record is told with the time since when it is hidden`() async throws {
        try await Told.lend(losers: .keepHidden) { world async throws in
            try await world.asRun(
                """
                insert into synced.article (user_id, record_name, url, saved_date)
                values (1, 'old', 'w', '2020-01-01'), (1, 'new', 'w', '2021-01-01')
                """)
            var mirror = Mirror("article")
            try await mirror.catchUp(world)
            try await world.script("select jobrunner.merge_duplicates(1, 'article')")
            #expect(try await mirror.read(world) == [#"upsert ann {"record_name": "new"}"#])
            #expect(
                mirror.rows[#"ann {"record_name": "new"}"#]?.contains("\"hidden_at\": \"20") == true
            )
        }
    }

    @Test func `each tenant is told of its own rows, and one user's reader of that user's`()
        async throws
    {
        try await Told.lend { world async throws in
            var (acme, globex) = (Mirror(), Mirror(of: "globex"))
            var bob = Mirror(user: "bob")
            try await acme.read(world)
            try await globex.read(world)
            try await bob.read(world)
            try await world.script(twoEach)
            try await world.script("delete from synced.recipe where recipe_id = 'b'")
            // Whoever comes first gives the numbers, to its own user's changes alone.
            #expect(
                try await bob.read(world) == [
                    #"upsert bob {"recipe_id": "a"}"#, #"delete bob {"recipe_id": "b"}"#,
                ])
            #expect(try await globex.read(world).count == 2)
            #expect(try await acme.read(world).count == 4)
            for mirror in [acme, globex] {
                #expect(try await mirror.contents == world.recipes(of: mirror.tenant))
            }
            #expect(acme.rows.count == 2 && globex.rows.count == 1 && bob.rows.count == 1)
            #expect(try await acme.read(world) + bob.read(world) + globex.read(world) == [])
            // Among many of others, too.
            try await world.script(
                """
                insert into synced.recipe (user_id, recipe_id) select 1, 'n' || g from generate_series(1, 50) as g;
                insert into synced.recipe (user_id, recipe_id) values (2, 'z');
                """)
            #expect(try await bob.read(world, limit: 2) == [#"upsert bob {"recipe_id": "z"}"#])
            #expect(
                try await world.refusal("select jobrunner.changes_since('acme', 'recipe', 'eve')")
                    == "JR011")
            #expect(
                try await world.refusal("select jobrunner.changes_since('hooli', 'recipe')")
                    == "JR010")
        }
    }

    @Test func `a tenant's own rows are told as those of user *`() async throws {
        try await Told.lend { world async throws in
            var file = recipeFile().telling()
            file.scope = .tenant
            try await world.pool.migrate([articleFile().telling(), statusFile().telling(), file])
            try await world.script("select jobrunner.give_job('acme', 'snapchef.refresh')")
            var (mirror, star) = (Mirror(), Mirror(user: "*"))
            try await mirror.read(world)
            try await star.read(world)
            try await world.script(
                "insert into synced.recipe (user_id, recipe_id) values (jobrunner.tenant_user('acme'), 'a')"
            )
            #expect(try await mirror.read(world) == [#"upsert * {"recipe_id": "a"}"#])
            #expect(try await star.read(world) == [#"upsert * {"recipe_id": "a"}"#])
        }
    }

    @Test func `a removed user's rows are told as deleted, and a removed tenant leaves nothing`()
        async throws
    {
        try await Told.lend { world async throws in
            var mirror = Mirror()
            try await world.script(twoEach)
            try await mirror.catchUp(world)
            try await world.script("select jobrunner.remove_user('acme', 'ann')")
            #expect(
                try await mirror.read(world) == [
                    #"delete ann {"recipe_id": "a"}"#, #"delete ann {"recipe_id": "b"}"#,
                ])
            // The same key again is another user, whose rows are told by the same name.
            try await world.script(
                """
                select jobrunner.remove_user('acme', 'bob'); select jobrunner.add_user('acme', 'bob');
                insert into synced.recipe (user_id, recipe_id)
                select id, 'b' from jobrunner.users where key = 'bob';
                """)
            try await mirror.catchUp(world)
            #expect(try await mirror.contents == world.recipes() && mirror.rows.count == 1)

            try await world.script(
                "select jobrunner.remove_tenant('acme'); select jobrunner.add_tenant('acme')")
            for table in ["changes", "change_turns", "change_floors"] {
                #expect(
                    try await world.int(
                        "select count(*) from jobrunner.\(table) where tenant_id = 1") == 0)
            }
            // Another tenant of that name is not the one that was known.
            #expect(try await mirror.read(world) == ["begin"])
        }
    }

    @Test func `keys are one text, whatever the session that writes shows numbers and times in`()
        async throws
    {
        try await Told.lend { world async throws in
            let file = jobFile(
                "odd.refresh", table: "odd", key: ["at", "share", "name"],
                fields: [
                    field("at", .timestamp, required: true),
                    field("share", .double, required: true),
                    field("name", required: true), field("n", .decimal),
                ]
            ).telling()
            try await world.pool.migrate(toldFiles() + [file])
            var mirror = Mirror("odd")
            try await mirror.read(world)
            try await world.script(
                #"""
                set timezone = 'Asia/Tokyo'; set extra_float_digits = -10;
                insert into synced.odd (user_id, at, share, name)
                values (1, '2026-01-01 00:00:00.123456+00', 1 / 3.0::float8, e'"\\ü\t'), (1, 'infinity', 'NaN', '');
                set timezone = 'America/New_York'; set extra_float_digits = 3;
                update synced.odd set n = 1;
                reset timezone; reset extra_float_digits;
                """#)
            #expect(try await mirror.read(world).count == 2)
            #expect(mirror.rows.values.allSatisfy { $0.contains("\"n\": 1") })
            #expect(mirror.rows.keys.contains { $0.contains("2026-01-01T00:00:00.123456+00:00") })
            // The pages of one who begins find the same places.
            for limit in 1...3 {
                var late = Mirror("odd")
                try await late.catchUp(world, limit: limit)
                #expect(late.contents == mirror.contents)
            }
            try await world.script("delete from synced.odd")
            try await mirror.read(world)
            #expect(mirror.rows.isEmpty)
        }
    }
}
