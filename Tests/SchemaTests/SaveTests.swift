import Postgres
import Testing

@Suite("Insert or get")
struct SaveTests {
    private let save = """
        select (record ->> 'record_name') || ' ' || is_new
        from jobrunner.save_record('acme', 'ann', 'article', '{"url": "http://a", "title": "again"}')
        """

    @Test func `LU1 a save of an existing URL returns the existing row as it is`() async throws {
        try await Articles.lend { world async throws in
            try await world.arrive("first", url: "http://a", saved: 1)
            let before = try await world.versions()
            #expect(try await world.text(save) == "first false")
            #expect(try await world.versions() == before)
            #expect(try await world.text("select count(*)::text from synced.article") == "1")
        }
    }

    @Test func `a new record gets a UUID in upper case for its name, unless one is given`()
        async throws
    {
        try await Articles.lend { world async throws in
            #expect(
                try await world.text(save).wholeMatch(
                    of: /[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12} true/) != nil)
            #expect(
                try await world.text(
                    """
                    select (record ->> 'record_name') || ' ' || (record ->> 'synced')
                    from jobrunner.save_record('acme', 'ann', 'article', '{"record_name": "mine", "url": "http://b"}')
                    """) == "mine false")
        }
    }

    @Test func `LU2 an insert that an index of the application's refuses finds the row there is`()
        async throws
    {
        try await Articles.lend { world async throws in
            // The other transaction's row is not seen before its commit, and it took no lock of ours.
            try await world.script("create unique index on synced.article (user_id, url)")
            let other = try await Task {
                try await world.pool.run { session in
                    try session.script(
                        "begin; insert into synced.article (user_id, record_name, url) values (1, 'theirs', 'http://a')"
                    )
                    let racer = Task { try await world.text(save) }
                    try session.waitForLock()
                    try session.script("commit")
                    return racer
                }
            }.value
            #expect(try await other.value == "theirs false")
        }
    }

    @Test func `LU3 an insert that fails with nothing to be found raises its own error`()
        async throws
    {
        try await Articles.lend { world async throws in
            try await world.arrive("taken", url: "http://other", saved: 1)
            try await world.script(
                "create unique index one_title on synced.article (user_id, title)")
            try await world.script("update synced.article set title = 'again'")
            let refusal = try await world.refusal(save) ?? ""
            #expect(
                refusal.hasPrefix(
                    "23505: duplicate key value violates unique constraint \"one_title\""))
            #expect(
                try await world.refusal(
                    "select jobrunner.save_record('acme', 'ann', 'article', '{\"saved_date\": \"soon\"}')"
                )?
                .hasPrefix("22007") == true)
        }
    }

    @Test func `LU4 concurrent saves of one URL make one row, and all get it`() async throws {
        try await Articles.lend { world async throws in
            let names = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1...8 { group.addTask { try await world.text(save) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(names.map { $0.split(separator: " ")[0] }).count == 1)
            #expect(names.count { $0.hasSuffix("true") } == 1)
            #expect(try await world.text("select count(*)::text from synced.article") == "1")
        }
    }

    @Test
    func `LU14 two users' records of one URL are two, and LU15 the URL counts as it is stored`()
        async throws
    {
        try await Articles.lend { world async throws in
            _ = try await world.text(save)
            _ = try await world.text(save.replacing("'ann'", with: "'bob'"))
            _ = try await world.text(save.replacing("http://a", with: "http://A"))
            #expect(try await world.text("select count(*)::text from synced.article") == "3")
        }
    }

    @Test func `what waits for its deletion is not found, nor what is deleted softly`() async throws
    {
        try await Articles.lend { world async throws in
            try await world.arrive("gone", url: "http://a", saved: 1)
            try await world.script(
                "update synced.article set pending_delete = true, synced = false")
            #expect(try await world.text(save).hasSuffix("true"))
            try await world.script("update synced.article set deleted_at = now()")
            #expect(try await world.text(save).hasSuffix("true"))
            // By its key alone such a row is there: it lives on.
            try await world.script(
                """
                insert into synced.status (user_id, video_id, status, last_modified, tag, synced, pending_delete)
                values (1, 'v', 'watched', '2020-01-01', 't', false, true)
                """)
            #expect(
                try await world.text(
                    """
                    select (record ->> 'status') || (record ->> 'tag') || (record ->> 'pending_delete') || is_new
                    from jobrunner.save_record('acme', 'ann', 'status', '{"video_id": "v", "status": "unwatched"}')
                    """) == "unwatchedtfalsetrue")
        }
    }

    @Test func `a record without a value in these columns is its own`() async throws {
        try await Articles.lend { world async throws in
            for _ in 1...2 {
                _ = try await world.text(
                    "select is_new::text from jobrunner.save_record('acme', 'ann', 'article', '{\"title\": \"x\"}')"
                )
            }
            #expect(try await world.text("select count(*)::text from synced.article") == "2")
        }
    }
}

extension Session {
    /// Returns once another session waits for a lock.
    fileprivate func waitForLock() throws {
        let waiting =
            "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
        try eventuallyBlocking("a session waits for a lock") {
            // A transaction sees the list as it was at its first look.
            try script("select pg_stat_clear_snapshot()")
            return try query(.unprepared(waiting)).only().int(0) > 0
        }
    }
}
