import Postgres
import Schema
import Testing

@testable import JobFiles

/// What was applied once, and is not there any more: a restore that left things out, an accident, a hand.
@Suite("What migrate mends")
struct MendTests {
    @Test(arguments: [
        ("drop function jobrunner.words_for cascade", "function jobrunner.words_for was missing"),
        (
            """
            create or replace function jobrunner.backoff(in_failures integer, in_every interval, in_chance double precision)
            returns interval language sql immutable strict as $$ select interval '0' $$
            """, "function jobrunner.backoff was another one"
        ),
        ("drop view jobrunner.late_jobs", "view jobrunner.late_jobs was missing"),
        (
            "drop trigger a_limited_tenant_has_a_turn on jobrunner.tenants",
            "trigger a_limited_tenant_has_a_turn was missing"
        ),
        (
            "alter table jobrunner.tenants disable trigger a_limited_tenant_has_a_turn",
            "trigger a_limited_tenant_has_a_turn was missing"
        ),
        (
            "drop index jobrunner.jobs_due",
            "index jobrunner.jobs_due was missing, and is made anew"
        ),
        (
            "drop index jobrunner.runs_by_end",
            "index jobrunner.runs_by_end was missing, and is made anew"
        ),
        (
            "drop trigger jobrunner_notes_truncation on synced.hub_video",
            "a trigger of table synced.hub_video was missing"
        ),
        (
            "revoke select on jobrunner.gauges from jobrunner_reader",
            "rights of jobrunner_reader: jobrunner.gauges"
        ),
        (
            "grant select on jobrunner.secrets to jobrunner_reader",
            "rights of jobrunner_reader: no longer jobrunner.secrets"
        ),
        (
            "grant update on synced.hub_video to jobrunner_application",
            "rights of jobrunner_application: no longer synced.hub_video"
        ),
        (
            "alter table synced.hub_video disable row level security",
            "row-level security of synced.hub_video"
        ),
        (
            "drop policy workers_work_with_all_rows on jobrunner.jobs",
            "row-level security of jobrunner.jobs"
        ),
        (
            "grant execute on function jobrunner.enqueue, jobrunner.held_jobs to public",
            "everybody could call enqueue, held_jobs"
        ),
        (
            "revoke execute on function jobrunner.words_for from public, jobrunner_reader",
            "rights of jobrunner_reader: jobrunner.words_for(interval)"
        ),
        (
            """
            insert into jobrunner.tenants (id, name) overriding system value values (7, 'restored')
            """,
            "sequence jobrunner.tenants_id_seq stood at 0, behind its rows, and stands at 7 now"
        ),
    ])
    func `what was lost is named and made anew, and then there is nothing to do`(
        loss: String, sentence: String
    ) async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile()])
            try await database.script(loss)
            let lines = Lines()
            let report = try await database.migrate([jobFile()], log: { lines.add($0) })
            #expect(report.mended.contains(sentence), "\(report.mended)")
            #expect(lines.all.contains(sentence))
            #expect(try await database.migrate([jobFile()]).isEmpty)
        }
    }

    @Test func `fences stay ahead of what jobs hold, whatever a restore left of them`() async throws
    {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile()])
            try await database.script(
                """
                select jobrunner.add_tenant('acme');
                select jobrunner.give_job('acme', 'metube.refresh');
                select jobrunner.add_user('acme', 'ann');
                update jobrunner.jobs set fence = 5001;
                """)
            #expect(
                try await database.migrate([jobFile()]).mended
                    == [
                        "sequence jobrunner.fences stood at 0, behind its rows, and stands at 5001 now"
                    ])
            #expect(
                try await database.texts("select (nextval('jobrunner.fences') > 5001)::text")
                    == ["true"])
        }
    }

    @Test func `what a dump brought from another server is noticed, and new events follow it`()
        async throws
    {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile()])
            try await database.script(
                """
                select jobrunner.add_tenant('acme');
                select jobrunner.give_job('acme', 'metube.refresh');
                select jobrunner.add_user('acme', 'ann');
                insert into jobrunner.events (transaction_id, tenant_id, user_id, job_name, kind)
                select (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 1000000 - n)::text::xid8, 1, 1, 'metube.refresh', 'sync_began'
                from generate_series(1, 3) as n;
                insert into jobrunner.announcements (transaction, since, tenant_id)
                values ((pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 1000000)::text::xid8, now(), 1);
                """)
            #expect(try await database.texts("select kind from jobrunner.told_events") == [])
            #expect(
                try await database.migrate([jobFile()]).mended == [
                    "the database was restored from another server: 3 events are numbered anew, and who remembers a place"
                        + " in told_events begins anew"
                ])
            try await database.script(
                "insert into jobrunner.events (tenant_id, user_id, job_name, kind) values (1, 1, 'metube.refresh', 'sync_ended')"
            )
            #expect(
                try await database.texts(
                    "select kind from jobrunner.events order by transaction_id, id")
                    == ["sync_began", "sync_began", "sync_began", "sync_ended"])
            #expect(
                try await database.texts(
                    "select '' from jobrunner.announcements where transaction > pg_snapshot_xmax(pg_current_snapshot())"
                ) == [])
            #expect(try await database.migrate([jobFile()]).isEmpty)
        }
    }

    @Test func `a migrate that waits says for whom, and ends when that has ended`()
        async throws
    {
        let own = try await TestDatabase.make()
        try await Database.withSessions(try own.configuration(lanes: 2)) { database in
            let lines = Lines()
            let before = jobFile(fields: [field("video_id", required: true), field("title")])
            try await database.migrate([before])
            try await database.script(
                "insert into synced.hub_video (user_id, video_id) values (1, 'a')")
            let stranger = try await OpenTransaction(
                own.url, "set transaction isolation level repeatable read",
                "select count(*) from synced.hub_video")
            var wider = before
            wider.entities[0].write.indexes = [["title"]]
            let file = wider
            let watching = Database(try own.configuration(lanes: 1))
            let migrating = Task {
                try await Migrator(database: database).migrate(
                    jobFiles: [file], watching: watching, log: { lines.add($0) })
            }
            try await lines.wait(for: "waits for session ", "which is idle in transaction")
            try await stranger.commit()
            _ = try await migrating.value
            await watching.close()
        }
    }
}
