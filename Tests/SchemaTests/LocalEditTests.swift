import Glibc
import Postgres
import Synchronization
import Testing

@Suite("Local edits")
struct LocalEditTests {
    @Test func `MS23 a local edit waits for the push, with the present time as its version`()
        async throws
    {
        try await Articles.lend { world async throws in
            try await world.script(
                """
                insert into synced.status (user_id, video_id, status, last_modified, tag)
                values (1, 'v', 'unwatched', '2020-01-01', 't'), (2, 'v', 'unwatched', '2020-01-01', 't')
                """)
            let row = try await world.text(
                """
                select r ->> 'status' || ' ' || (r ->> 'synced') || ' ' || (r ->> 'tag')
                from jobrunner.edit_record('acme', 'ann', 'status', '{"video_id": "v", "status": "watched"}') as r
                """)
            #expect(row == "watched false t")
            #expect(
                try await world.texts(
                    """
                    select status || ' ' || synced || ' ' || (last_modified > now() - interval '1 min')
                    from synced.status order by user_id
                    """) == ["watched false true", "unwatched true false"])
        }
    }

    @Test
    func `MS24 a row that is added by an edit gets its defaults, such as playback_position 0`()
        async throws
    {
        try await Articles.lend { world async throws in
            let row = try await world.text(
                """
                select (r ->> 'playback_position') || ' ' || (r ->> 'synced')
                from jobrunner.edit_record('acme', 'ann', 'status', '{"video_id": "v", "status": "watched"}') as r
                """)
            #expect(row == "0 false")
        }
    }

    /// What a verb deletes is no removal to be read again; what its caller deletes in the same transaction is.
    @Test(arguments: [
        "jobrunner.delete_record('acme', 'ann', 'recipe', '{\"recipe_id\": \"a\"}')",
        "jobrunner.take_job('acme', 'luego.refresh', true)",
        "jobrunner.remove_user('acme', 'bob')",
        "jobrunner.merge_duplicates(1, 'article')",
    ])
    func `after a verb that deletes, rows that its caller deletes are still read again`(
        verb: String
    ) async throws {
        try await Articles.lend { world async throws in
            try await world.script(
                """
                insert into synced.recipe (user_id, recipe_id, synced) values (1, 'a', false), (1, 'b', true), (2, 'c', true);
                insert into synced.article (user_id, record_name, url, synced) values (1, 'a', 'one', false), (1, 'b', 'one', false);
                \(Given.checkpoint("video", whose: .user(1)))
                """)
            let asked =
                "select coalesce(string_agg(job_name, ' '), '') from jobrunner.checkpoints where full_asked > full_begun"
            try await world.script(
                """
                begin;
                do $$ begin
                  perform \(verb);
                  assert not exists (select from jobrunner.checkpoints where full_asked > full_begun), 'its own deletes were noted';
                end $$;
                delete from synced.recipe where recipe_id = 'b';
                commit
                """)
            #expect(try await world.text(asked) == "snapchef.refresh")
        }
    }

    @Test func `SC13 a record made here is there at once, and SC14 nothing else changes`()
        async throws
    {
        try await Articles.lend { world async throws in
            let before = try await world.texts("select j::text from jobrunner.jobs as j order by 1")
            _ = try await world.text(
                "select jobrunner.edit_record('acme', 'ann', 'recipe', '{\"recipe_id\": \"r\"}')::text"
            )
            #expect(
                try await world.texts("select recipe_id from synced.recipe where not synced") == [
                    "r"
                ])
            #expect(
                try await world.texts("select j::text from jobrunner.jobs as j order by 1")
                    == before)
            #expect(try await world.texts("select entity from jobrunner.checkpoints") == [])
        }
    }

    @Test func `a record of the source is not edited where nothing would send it`() async throws {
        try await Articles.lend { world async throws in
            try await world.script(
                "insert into synced.recipe (user_id, recipe_id, body) values (1, 'read', '1'), (2, 'made', '1')"
            )
            let made = #"{"recipe_id": "made", "body": 2}"#
            let rows =
                "select concat_ws(' ', user_id, recipe_id, body, synced) from synced.recipe order by 1"
            for call in [
                #"edit_record('acme', 'ann', 'recipe', '{"recipe_id": "read", "body": 2}')"#,
                #"delete_record('acme', 'ann', 'recipe', '{"recipe_id": "read"}')"#,
            ] {
                let refusal = try await world.refusal("select jobrunner.\(call)::text")
                #expect(
                    refusal
                        == "JR016: no job file pushes table 'recipe', so that an edit of its source's record would be lost"
                )
            }
            #expect(
                try await world.text(
                    #"select record ->> 'body' from jobrunner.save_record('acme', 'ann', 'recipe', '{"recipe_id": "read", "body": 2}')"#
                ) == "1")
            #expect(try await world.texts(rows) == ["1 read 1 t", "2 made 1 t"])
            // What is made here is the application's own, also where another user's source has its like.
            for call in ["edit_record", "edit_record"] {
                _ = try await world.text(
                    "select jobrunner.\(call)('acme', 'ann', 'recipe', '\(made)')::text")
            }
            #expect(try await world.texts(rows) == ["1 made 2 f", "1 read 1 t", "2 made 1 t"])
            #expect(
                try await world.text(
                    #"select jobrunner.delete_record('acme', 'ann', 'recipe', '{"recipe_id": "made"}')::text"#
                ) == "true")
        }
    }

    @Test func `a table of records is no list, and gives up none of them to one`() async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile(lists: [channelList()]), recipeFile()])
            try await database.script(
                """
                select jobrunner.add_tenant('acme'), jobrunner.add_user('acme', 'ann');
                insert into synced.recipe (user_id, recipe_id) values (1, 'read');
                """)
            for call in [
                "replace_list('acme', 'ann', 'recipe', 'recipe_id', '{mine}')",
                "edit_list('acme', 'ann', 'recipe', 'recipe_id', '{mine}', '{read}')",
                "edit_list('acme', 'ann', 'none', 'id', '{mine}')",
                "edit_list('acme', 'ann', 'hub_channel', 'user_id', '{mine}')",
                "replace_list('acme', 'ann', 'hub_channel', 'title', '{mine}')",
            ] {
                let refused = await #expect(throws: DatabaseError.self) {
                    try await database.texts("select added::text from jobrunner.\(call)")
                }
                #expect(refused?.sqlstate == "JR016", "\(call)")
            }
            #expect(try await database.texts("select recipe_id from synced.recipe") == ["read"])
        }
    }

    @Test func `SC15 sets are lists of a user's own, and adding an id twice adds it once`()
        async throws
    {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile(lists: [channelList()])])
            try await database.script(
                """
                select jobrunner.add_tenant('acme'), jobrunner.add_user('acme', 'ann');
                """)
            for (items, change) in [("{a,b,a}", "2 0"), ("{a,b}", "0 0"), ("{b}", "0 1")] {
                #expect(
                    try await database.texts(
                        """
                        select added || ' ' || removed
                        from jobrunner.replace_list('acme', 'ann', 'hub_channel', 'channel_id', '\(items)')
                        """) == [change])
            }
        }
    }

    /// Eight devices of one person at the same time, each in a transaction of its own.
    @Test func `SC15 a recipe that is saved by many devices at once raises its count once`()
        async throws
    {
        try await withTestDatabase(lanes: 8) { database async throws in
            try await database.migrate([jobFile(lists: [channelList()])])
            try await database.script(
                """
                select jobrunner.add_tenant('acme'), jobrunner.add_user('acme', 'ann'), jobrunner.add_user('acme', 'bob');
                create table public.recipe (id text primary key, saves integer not null default 0);
                insert into public.recipe values ('a'), ('b');
                """)
            for (user, items) in [("ann", "a"), ("bob", "a"), ("ann", "a,b"), ("ann", "b")] {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 1...8 {
                        group.addTask {
                            let save = """
                                with change as (
                                  select added from jobrunner.replace_list('acme', '\(user)', 'hub_channel', 'channel_id', '{\(items)}')
                                )
                                update public.recipe as r set saves = r.saves + c.added from change as c
                                where r.id = '\(items.suffix(1))' and c.added > 0
                                """
                            _ = try await database.run { try $0.query(.unprepared(save)) }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(
                try await database.texts("select id || ' ' || saves from public.recipe order by 1")
                    == ["a 2", "b 1"])
        }
    }

    /// The one transaction is held open until the other waits for it.
    @Test func `SC15 of two lists that are stored at once the later one is there, not both`()
        async throws
    {
        try await withTestDatabase(lanes: 3) { database async throws in
            try await database.migrate([jobFile(lists: [channelList()])])
            try await database.script(
                "select jobrunner.add_tenant('acme'), jobrunner.add_user('acme', 'ann')")
            let list: @Sendable (String) -> String = { items in
                "select * from jobrunner.replace_list('acme', 'ann', 'hub_channel', 'channel_id', '{\(items)}')"
            }
            let (signals, stored) = AsyncStream.makeStream(of: Void.self)
            let isOver = Mutex(false)
            let first = Task {
                try await database.run { session in
                    try session.transaction { session in
                        _ = try session.query(.unprepared(list("a,b")))
                        stored.yield()
                        while !isOver.withLock({ $0 }) { usleep(1000) }
                    }
                }
            }
            for await _ in signals { break }
            let second = Task {
                _ = try await database.run { session in
                    // A busy machine may take longer than the usual two seconds.
                    try session.script("set lock_timeout = '120s'")
                    return try session.query(.unprepared(list("b,c")))
                }
            }
            let isWaiting = """
                select exists (
                  select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                )::text
                """
            try await eventually("the second waits for the first") {
                try await database.texts(isWaiting) == ["true"]
            }
            isOver.withLock { $0 = true }
            try await first.value
            try await second.value
            #expect(
                try await database.texts("select channel_id from synced.hub_channel order by 1")
                    == ["b", "c"])
        }
    }

    @Test
    func `LU25 edits make the job due once the debounce is over, and run beside a run once more`()
        async throws
    {
        try await Articles.lend { world async throws in
            let edit =
                "select jobrunner.edit_record('acme', 'ann', 'article', '{\"record_name\": \"a\"}')::text"
            _ = try await world.text(edit)
            let job = "from jobrunner.jobs where user_id = 1 and name = 'luego.refresh'"
            let due = try await world.text("select due_at::text \(job)")
            #expect(
                try await world.text(
                    "select (due_at <= now() + interval '250 ms')::text \(job)") == "true")
            _ = try await world.text(edit)
            #expect(try await world.text("select due_at::text \(job)") == due)
            // Others wait for their schedule: no debounce, another user, another job.
            #expect(
                try await world.text(
                    "select count(*)::text from jobrunner.jobs where due_at < now() + interval '20 min'"
                ) == "1")
            try await world.script(
                """
                update jobrunner.jobs set worker_id = 1, fence = 1, nonce = gen_random_uuid(), due_at = now(), next_due_at = now(),
                  started_at = now(), deadline_at = now()
                """)
            _ = try await world.text(edit)
            #expect(try await world.text("select rerun_requested::text \(job)") == "true")
        }
    }

    @Test func `LU25 an edit leaves a backoff and a source's request for patience alone`()
        async throws
    {
        try await Articles.lend { world async throws in
            for state in [Given.failing(), .deferred()] {
                try await world.given(state)
                _ = try await world.text(
                    "select jobrunner.edit_record('acme', 'ann', 'article', '{\"record_name\": \"a\"}')::text"
                )
                #expect(
                    try await world.text(
                        "select bool_and(due_at > now() + interval '20 min')::text from jobrunner.jobs"
                    ) == "true")
            }
        }
    }

    @Test func `plain SQL does as well as the verb`() async throws {
        try await Articles.lend { world async throws in
            try await world.arrive("a", url: "u", saved: 1)
            try await world.script("update synced.article set title = 'mine', synced = false")
            let rows = try await world.texts(
                "select record_name from synced.article where not synced")
            #expect(rows == ["a"])
        }
    }

    @Test func `what is not there is refused with the names that are`() async throws {
        try await Articles.lend { world async throws in
            let refusals = [
                (
                    "edit_record('acme', 'ann', 'aticle', '{}')",
                    "JR016: no table of records is named 'aticle'"
                ),
                (
                    "save_record('acme', 'ann', 'article', '{\"ulr\": 1}')",
                    "JR016: table 'article' has no column 'ulr' to write"
                ),
                (
                    "edit_record('acme', 'ann', 'article', '{\"user_id\": 2}')",
                    "JR016: table 'article' has no column 'user_id' to write"
                ),
                (
                    "edit_record('acme', 'ann', 'article', '[]')",
                    "JR016: the values for table 'article' are not a JSON object"
                ),
                (
                    "edit_record('acme', 'ann', 'article', '{\"url\": \"u\"}')",
                    "JR016: a record of table 'article' needs its key column 'record_name'"
                ),
                (
                    "delete_record('acme', 'ann', 'status', '{}')",
                    "JR016: a record of table 'status' needs its key column 'video_id'"
                ),
                (
                    "edit_record('acme', 'eve', 'article', '{\"record_name\": \"a\"}')",
                    "JR011: tenant 'acme' has no user 'eve'"
                ),
            ]
            for (call, message) in refusals {
                #expect(try await world.refusal("select jobrunner.\(call)") == message)
            }
        }
    }

    @Test
    func `LU10 a deleted record waits for the push when the source has it, else it goes at once`()
        async throws
    {
        try await Articles.lend { world async throws in
            try await world.arrive("sent", url: "u", saved: 1)
            try await world.script(
                "insert into synced.article (user_id, record_name, synced) values (1, 'own', false), (2, 'own', false)"
            )
            for name in ["sent", "own", "none"] {
                _ = try await world.text(
                    "select jobrunner.delete_record('acme', 'ann', 'article', '{\"record_name\": \"\(name)\"}')::text"
                )
            }
            let rows =
                "select user_id || record_name || synced || pending_delete from synced.article order by 1"
            #expect(try await world.texts(rows) == ["1sentfalsetrue", "2ownfalsefalse"])
            #expect(try await world.texts("select record_name from synced.article_live") == ["own"])
            // A run may be sending it right now: it has noted what it sends.
            try await world.asRun("update synced.article set sent_hashes = '{7}' where user_id = 2")
            _ = try await world.text(
                "select jobrunner.delete_record('acme', 'bob', 'article', '{\"record_name\": \"own\"}')::text"
            )
            #expect(try await world.texts(rows) == ["1sentfalsetrue", "2ownfalsetrue"])
            // An edit brings it back to life.
            _ = try await world.text(
                "select jobrunner.edit_record('acme', 'ann', 'article', '{\"record_name\": \"sent\"}')::text"
            )
            #expect(
                try await world.texts("select record_name from synced.article_live") == ["sent"])
        }
    }
}
