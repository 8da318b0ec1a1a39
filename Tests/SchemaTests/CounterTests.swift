import Postgres
import Schema
import Testing

/// A counter is declared once, in its type.
@Suite struct CounterTests {
    @Test func `one more counter is one line of SQL, and sums and views have it`() async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile()])
            try await database.run {
                try $0.script(
                    """
                    select jobrunner.add_tenant('acme'), jobrunner.give_job('acme', 'metube.refresh'),
                      jobrunner.add_user('acme', 'ann');
                    insert into jobrunner.checkpoints (user_id, tenant_id, job_name, entity, run_fence, counters)
                    select j.user_id, j.tenant_id, j.name, 'video', 7, jobrunner.make_counters(pages => 1, fetched => 2, inserted => 2)
                    from jobrunner.jobs as j;
                    """)
            }
            let more = SQLFile(
                path: "migrations/9999_looked_at.sql",
                text: """
                    alter type jobrunner.counter_values add attribute looked_at bigint;
                    comment on column jobrunner.counter_values.looked_at is 'Records that somebody looked at.';
                    """)
            try await database.migrate([jobFile()], files: SQLFile.embedded + [more])
            // What was counted before knows nothing of it.
            #expect(
                try await database.texts(
                    """
                    select concat_ws(' ', p.fetched, coalesce(p.looked_at::text, 'null'))
                    from jobrunner.entity_progress as p
                    """) == ["2 null"])
            try await database.run {
                try $0.script(
                    """
                    update jobrunner.checkpoints as k
                    set counters = jobrunner.add_counters(k.counters, jobrunner.make_counters(looked_at => 5))
                    """)
            }
            #expect(
                try await database.texts(
                    """
                    select concat_ws(' ', p.fetched, p.looked_at, (t.counters).looked_at, (t.entities #>> '{video,looked_at}'))
                    from jobrunner.entity_progress as p,
                      jobrunner.run_totals(array(select user_id from jobrunner.jobs), array['metube.refresh'], array[7]) as t
                    """) == ["2 5 5 5"])
            #expect(
                try await database.texts(
                    """
                    select col_description(a.attrelid, a.attnum)
                    from pg_attribute as a
                    where a.attrelid = 'jobrunner.user_story'::regclass and a.attname = 'looked_at'
                    """) == ["Records that somebody looked at."])
        }
    }
}
