import Postgres
import Testing

/// Edits by plain SQL, which a trigger marks, stamps and keeps (`jobrunner.keep_edit`).
@Suite("Plain edits")
struct PlainEditTests {
    private let rows = """
        select concat_ws(' ', record_name, coalesce(title, '-'), coalesce(tag, '-'), synced, pending_delete)
        from synced.article order by 1
        """

    /// An article that the source has, and one that it has not.
    private func withArticles(_ body: @escaping (Articles) async throws -> Void) async throws {
        try await Articles.lend { world async throws in
            try await world.arrive("known", url: "u", saved: 1)
            try await world.script(
                "insert into synced.article (user_id, record_name, title) values (1, 'own', 'mine')"
            )
            try await body(world)
        }
    }

    @Test func `OW2 an update that says nothing of synced is an edit`() async throws {
        try await withArticles { world async throws in
            try await world.script(
                "update synced.article set title = 'new' where record_name = 'known'")
            #expect(try await world.texts(rows) == ["known new t f f", "own mine - f f"])
        }
    }

    @Test func `an edit can't be called sent by whoever writes it`() async throws {
        try await withArticles { world async throws in
            try await world.script("update synced.article set title = 'new', synced = true")
            #expect(
                try await world.texts("select distinct synced::text from synced.article") == [
                    "false"
                ])
            try await world.script("update synced.article set synced = true")
            #expect(
                try await world.texts("select distinct synced::text from synced.article") == [
                    "false"
                ])
        }
    }

    @Test func `a column of the application's own is no edit`() async throws {
        try await withArticles { world async throws in
            try await world.script(
                """
                alter table synced.article add column opened integer;
                update synced.article set opened = 1;
                """)
            #expect(try await world.texts(rows) == ["known - t t f", "own mine - f f"])
        }
    }

    @Test func `what a run writes, and a copy that bears a change tag, are no edits`() async throws
    {
        try await withArticles { world async throws in
            try await world.asRun("update synced.article set title = 'theirs', synced = true")
            #expect(try await world.texts(rows) == ["known theirs t t f", "own theirs - t f"])
        }
    }

    @Test func `a delete of a row that the source knows waits, and any other goes`() async throws {
        try await withArticles { world async throws in
            try await world.asRun(
                "update synced.article set synced = true, sent_hashes = '{7}' where record_name = 'known'"
            )
            try await world.script("delete from synced.article")
            #expect(try await world.texts(rows) == ["known - t f t"])
            try await world.script("delete from synced.article")
            #expect(try await world.texts(rows) == ["known - t f t"])
        }
    }

    @Test(arguments: [
        "insert into synced.article (user_id, record_name, url) values (1, 'known', 'v')",
        "select jobrunner.edit_record('acme', 'ann', 'article', '{\"record_name\": \"known\", \"url\": \"v\"}')::text",
        "select record::text from jobrunner.save_record('acme', 'ann', 'article', '{\"record_name\": \"known\", \"url\": \"v\"}')",
        """
        insert into synced.article (user_id, record_name, url) values (1, 'known', 'v')
        on conflict (user_id, record_name) do update set url = excluded.url
        """,
    ])
    func `a record that is deleted and made anew begins empty, by whatever way`(made: String)
        async throws
    {
        try await withArticles { world async throws in
            try await world.asRun(
                "update synced.article set title = 'old', deleted_at = now(), unread_fields = '{title}', read_position = 7, inserted_at = '2020-01-01'"
            )
            try await world.script(
                "delete from synced.article where record_name = 'known'; \(made)")
            #expect(
                try await world.texts(
                    """
                    select concat_ws(' ', url, title, tag, deleted_at, unread_fields, read_position, synced, pending_delete,
                      inserted_at > now() - interval '1 hour')
                    from synced.article_live where record_name = 'known'
                    """) == ["v t 0 f f t"])
        }
    }

    @Test func `another key of a record that goes by its key is refused in one line`() async throws
    {
        try await withArticles { world async throws in
            #expect(
                try await world.refusal(
                    "update synced.article set record_name = 'b' where record_name = 'known'")
                    == "JR016: a record of table 'article' that the source knows gets no other key")
            try await world.script(
                "update synced.article set record_name = 'b' where record_name = 'own'")
            #expect(try await world.texts(rows) == ["b mine - f f", "known - t t f"])
        }
    }

    // MARK: Stamps

    /// A status whose version another device has written.
    private func withStatus(
        _ version: String, _ body: @escaping (Articles) async throws -> Void
    ) async throws {
        try await Articles.lend { world async throws in
            try await world.script(
                "insert into synced.status (user_id, video_id, status, last_modified, tag) values (1, 'v', 'unwatched', \(version), 't')"
            )
            try await body(world)
        }
    }

    @Test(arguments: [
        "update synced.status set status = 'watched'", "delete from synced.status",
        "update synced.status set status = 'watched', last_modified = '2020-01-01'",
        "select jobrunner.edit_record('acme', 'ann', 'status', '{\"video_id\": \"v\", \"status\": \"watched\"}')::text",
        "delete from synced.status; insert into synced.status (user_id, video_id, status) values (1, 'v', 'new')",
    ])
    func
        `OW2 a stamp is later than the version it replaces, though another device's clock was ahead`(
            edit: String
        ) async throws
    {
        try await withStatus("now() + interval '2 hours'") { world async throws in
            let before = try await world.text("select last_modified::text from synced.status")
            try await world.script(edit)
            #expect(
                try await world.text(
                    "select (last_modified - timestamptz '\(before)' between interval '1 us' and interval '2 ms')::text from synced.status"
                )
                    == "true")
            try await world.script("update synced.status set status = 'again'")
            #expect(
                try await world.text(
                    "select (last_modified - timestamptz '\(before)' between interval '1 ms' and interval '3 ms')::text from synced.status"
                )
                    == "true")
        }
    }

    @Test func `a version that has no later one refuses the edit in one line`() async throws {
        try await withStatus("'infinity'") { world async throws in
            #expect(
                try await world.refusal("update synced.status set status = 'watched'")
                    == "JR016: a record of table 'status' has last_modified infinity, which no edit can be later than"
            )
        }
    }
}
