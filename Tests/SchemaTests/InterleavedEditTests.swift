import Postgres
import Testing

/// Local edits beside a page or a push of the same user, each in a session of its own.
@Suite("Local edits beside a run")
struct InterleavedEditTests {
    /// What each verb would write, and what then stands in the table.
    @Test(arguments: [
        (
            "select jobrunner.edit_record('acme', 'ann', 'article', '{\"record_name\": \"a\", \"title\": \"mine\"}')",
            "a mine false"
        ),
        (
            "select jobrunner.delete_record('acme', 'ann', 'article', '{\"record_name\": \"a\"}')",
            "a theirs true"
        ),
        (
            "select jobrunner.save_record('acme', 'ann', 'article', '{\"record_name\": \"b\", \"url\": \"v\", \"title\": \"mine\"}')",
            "a theirs false, b mine false"
        ),
    ])
    func `a local edit waits for the page that holds its job, and never ends in a deadlock`(
        verb: String, outcome: String
    ) async throws {
        try await Articles.lend { world async throws in
            try await world.arrive("a", url: "u", saved: 1)
            // As a page does: the job first, then rows.
            let page = try await OpenTransaction(
                world.url,
                "select from jobrunner.jobs where user_id = 1 and name = 'luego.refresh' for no key update"
            )
            let edit = Task { try await world.script(verb) }
            try await waitForLock(in: world.url)
            try await page.run(
                """
                insert into synced.article (user_id, record_name, url, title)
                values (1, 'a', 'u', 'theirs'), (1, 'c', 'w', 'theirs')
                on conflict (user_id, record_name) do update set title = excluded.title
                """)
            try await page.run("delete from synced.article where record_name = 'c'")
            try await page.commit()
            try await edit.value
            #expect(
                try await world.text(
                    """
                    select string_agg(concat_ws(' ', record_name, title, pending_delete::text), ', ' order by record_name)
                    from synced.article
                    """) == outcome)
        }
    }

    @Test(arguments: ["edit_record", "delete_record"])
    func `an edit of a table without debounce, too, locks the job before the row, as pages do`(
        verb: String
    ) async throws {
        try await Articles.lend { world async throws in
            try await world.script(
                "insert into synced.status (user_id, video_id, status, last_modified) values (1, 'v', 'unwatched', now())"
            )
            let page = try await OpenTransaction(
                world.url,
                "select from jobrunner.jobs where user_id = 1 and name = 'metube.status' for no key update"
            )
            // Whoever edits may ask for a run as well.
            let edit = Task {
                try await world.script(
                    """
                    begin;
                    select jobrunner.\(verb)('acme', 'ann', 'status', '{"video_id": "v"}');
                    select jobrunner.enqueue('acme', 'ann', 'metube.status');
                    commit
                    """)
            }
            try await waitForLock(in: world.url)
            try await page.run("update synced.status set status = 'skipped' where user_id = 1")
            try await page.commit()
            try await edit.value
        }
    }

    @Test(arguments: ["edit_record", "save_record"])
    func `an edit that waits for the removal of its user is refused and leaves no row`(
        verb: String
    ) async throws {
        try await Articles.lend { world async throws in
            let removal = try await OpenTransaction(
                world.url, "select jobrunner.remove_user('acme', 'ann')")
            let refusal = Task {
                try await world.refusal(
                    "select jobrunner.\(verb)('acme', 'ann', 'article', '{\"record_name\": \"a\", \"url\": \"u\"}')"
                )
            }
            try await waitForLock(in: world.url)
            try await removal.commit()
            #expect(try await refusal.value == "JR011: tenant 'acme' has no user 'ann'")
            #expect(try await world.text("select count(*)::text from synced.article") == "0")
        }
    }

    @Test func `two deletions of one user's records at once both go through`() async throws {
        try await Articles.lend { world async throws in
            try await world.arrive("a", url: "u", saved: 1)
            try await world.arrive("b", url: "v", saved: 1)
            let first = try await OpenTransaction(
                world.url,
                "select jobrunner.delete_record('acme', 'ann', 'article', '{\"record_name\": \"a\"}')"
            )
            let second = Task {
                try await world.script(
                    "select jobrunner.delete_record('acme', 'ann', 'article', '{\"record_name\": \"b\"}')"
                )
            }
            try await waitForLock(in: world.url)
            try await first.commit()
            try await second.value
            #expect(
                try await world.texts(
                    "select record_name from synced.article where pending_delete order by 1")
                    == ["a", "b"])
        }
    }

    @Test func `a merge takes in the edit of a keeper that it waited for`() async throws {
        try await Articles.lend { world async throws in
            try await world.arrive("old", url: "u", saved: 1, favourite: true)
            try await world.arrive("new", url: "u", saved: 2, favourite: true)
            // The keeper was a favourite when the merge began.
            let edit = try await OpenTransaction(
                world.url,
                "update synced.article set is_favorite = false, synced = false where record_name = 'old'"
            )
            let merge = Task { try await world.merge() }
            try await waitForLock(in: world.url)
            try await edit.commit()
            #expect(try await merge.value == 2)
            #expect(try await world.live() == ["old 1 0 0*"])
        }
    }

    @Test
    func `a record that may be at the source, though its tag never came, is deleted there too`()
        async throws
    {
        try await Articles.lend { world async throws in
            for (name, hashes, stays) in [("a", "'{7}'", "1"), ("b", "null", "0")] {
                try await world.script(
                    """
                    insert into synced.article (user_id, record_name, url, synced, sent_hashes)
                    values (1, '\(name)', '\(name)', false, \(hashes));
                    select jobrunner.delete_record('acme', 'ann', 'article', '{"record_name": "\(name)"}');
                    """)
                #expect(
                    try await world.text(
                        "select count(*)::text from synced.article where record_name = '\(name)' and pending_delete"
                    ) == stays)
            }
        }
    }
}
