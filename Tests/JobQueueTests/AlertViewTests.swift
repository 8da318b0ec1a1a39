import JobQueue
import Postgres
import TestSupport
import Testing

/// The alerts for who has no Prometheus: each is there with its cause, and gone without it.
@Suite("Alerts as SQL") struct AlertViewTests {
    private func withAlerts(_ body: (Fixture) async throws -> Void) async throws {
        try await Fixture.lend { fixture async throws in
            _ = try await fixture.addWorker()
            try await fixture.script("update jobrunner.chores set done_at = now()")
            try await body(fixture)
        }
    }

    private func alerts(_ fixture: Fixture) async throws -> [String] {
        try await fixture.script(
            """
            update jobrunner.chores set done_at = null where name in ('waiting', 'freshness') and done_at < now();
            select jobrunner.count_waiting(), jobrunner.count_freshness();
            """)
        return try await fixture.texts(
            "select concat_ws(': ', concat_ws(' ', a.alert, a.subject), a.detail) from jobrunner.raised_alerts as a order by 1"
        )
    }

    @Test func `all is well, and no alert is there`() async throws {
        try await withAlerts { fixture async throws in
            try await fixture.addUsers(5)
            try await fixture.script(
                "update jobrunner.jobs set last_success_at = now(), due_at = now() + interval '1 hour'"
            )
            #expect(try await alerts(fixture) == [])
        }
    }

    /// What makes each alert, and what ends it.
    private static let causes: [(alert: String, cause: String, end: String)] = [
        (
            "users_stale hub.refresh: 50.0 % of the users are stale",
            "update jobrunner.jobs set last_success_at = now() - interval '2 hours' where user_id % 2 = 0",
            "update jobrunner.jobs set last_success_at = now()"
        ),
        (
            "jobs_late: a job has been due for 40 min",
            "update jobrunner.jobs set due_at = now() - interval '40 min' where user_id = (select min(id) from jobrunner.users)",
            "update jobrunner.jobs set due_at = now() + interval '1 hour'"
        ),
        (
            "jobs_need_somebody needs_reauth: 1 job",
            "update jobrunner.jobs set reauth_needed_at = now() where user_id = (select min(id) from jobrunner.users)",
            "update jobrunner.jobs set reauth_needed_at = null"
        ),
        (
            "no_workers: no worker is alive",
            "update jobrunner.workers set ended_at = now(), end_reason = 'stopped'",
            "update jobrunner.workers set ended_at = null, end_reason = null"
        ),
        (
            "source_blocked hub: its breaker is open for 1 tenants",
            """
            update jobrunner.sources set opened_at = now(), failed_openings = 1, blocked_until = now() + interval '1 min', block_reason = 'x', consecutive_failures = 12
            """,
            "update jobrunner.sources set opened_at = null, failed_openings = 0, blocked_until = null, block_reason = null, consecutive_failures = 0"
        ),
        (
            "clock_set_back: the server's clock is 5 min behind a time that it has told",
            "update jobrunner.chores set latest_at = now() + interval '301 s' where name = 'health'",
            "update jobrunner.chores set latest_at = now() where name = 'health'"
        ),
        (
            "runs_fail hub.refresh: 11 runs failed in 15 minutes",
            """
            insert into jobrunner.runs (user_id, id, outcome, tenant_id, job_name, scheduled_at, started_at, error_kind)
            select (select min(id) from jobrunner.users), n, 'failed', 1, 'hub.refresh', now(), now(), 'rejected'
            from generate_series(1, 11) as n
            """, "delete from jobrunner.runs"
        ),
        (
            "sweeps_delete_much hub.refresh: 2000 rows were swept in this hour and the last",
            """
            insert into jobrunner.runs (user_id, id, outcome, tenant_id, job_name, scheduled_at, started_at, ended_at, counters)
            select (select min(id) from jobrunner.users), 1, 'complete', 1, 'hub.refresh', now(), now(), now() - interval '61 s',
              jsonb_populate_record(null::jobrunner.counters, to_jsonb(r.counters) || '{"swept": 2000}')
            from (select '(0,0,0,0,0,0,0,0,0,0,0,0,0,0)'::jobrunner.counters as counters) as r;
            update jobrunner.chores set reached_at = null where name = 'waiting';
            """, "delete from jobrunner.runs; delete from jobrunner.swept_counts"
        ),
    ]

    @Test func `each alert comes with its cause and goes with it`() async throws {
        try await withAlerts { fixture async throws in
            try await fixture.addUsers(20)
            try await fixture.script(
                "update jobrunner.jobs set last_success_at = now(), due_at = now() + interval '1 hour'"
            )
            for (alert, cause, end) in Self.causes {
                try await fixture.script(cause)
                #expect(try await alerts(fixture) == [alert])
                try await fixture.script(end)
                #expect(try await alerts(fixture) == [])
            }
        }
    }

    @Test
    func `as many rows as on any other day, or in any other week, are swept without an alert`()
        async throws
    {
        try await withAlerts { fixture async throws in
            let hour = "date_trunc('hour', now(), 'UTC')"
            let rhythms = [
                ("a day", "generate_series(0, 7 * 24, 24)"),
                ("a week", "generate_series(0, 168, 168)"),
            ]
            for (name, hours) in rhythms {
                try await fixture.script(
                    """
                    delete from jobrunner.swept_counts;
                    insert into jobrunner.swept_counts select 'hub.refresh', \(hour) - n * interval '1 hour', 7000 from \(hours) as n;
                    """)
                #expect(try await alerts(fixture) == [], "\(name)")
            }
            try await fixture.script(
                "update jobrunner.swept_counts set rows = 8001 where hour = \(hour)")
            #expect(
                try await alerts(fixture) == [
                    "sweeps_delete_much hub.refresh: 8001 rows were swept in this hour and the last"
                ])
        }
    }

    @Test func `each run's sweeps are counted once, however often it is counted`() async throws {
        try await withAlerts { fixture async throws in
            let counted = "select coalesce(sum(rows), 0)::text from jobrunner.swept_counts"
            let insert = """
                insert into jobrunner.runs (user_id, id, outcome, tenant_id, job_name, scheduled_at, started_at, ended_at, counters)
                select 1, n.id, 'complete', 1, 'hub.refresh', now(), now(), now() - n.age * interval '1 s',
                  jsonb_populate_record(null::jobrunner.counters, to_jsonb(r.counters) || '{"swept": 10}')
                from (select '(0,0,0,0,0,0,0,0,0,0,0,0,0,0)'::jobrunner.counters as counters) as r
                cross join
                """
            try await fixture.script("\(insert) (values (1, 90), (2, 120), (3, 1)) as n (id, age)")
            for _ in 1...3 { _ = try await alerts(fixture) }
            // The end of the third may have been committed just now, beside others that can't be seen yet.
            #expect(try await fixture.text(counted) == "20")
            // Time goes by.
            try await fixture.script(
                "update jobrunner.runs set ended_at = ended_at - interval '62 s'; update jobrunner.chores set reached_at = reached_at - interval '62 s' where name = 'waiting'"
            )
            for _ in 1...3 { _ = try await alerts(fixture) }
            #expect(try await fixture.text(counted) == "30")
        }
    }

    @Test func `a count that nobody makes, and a held snapshot, are alerts`() async throws {
        try await withAlerts { fixture async throws in
            let names = "select a.alert || ': ' || a.detail from jobrunner.raised_alerts as a"
            for chore in ["waiting", "freshness", "reconcile"] {
                try await fixture.script(
                    "update jobrunner.chores set done_at = now() - interval '7 min' where name = '\(chore)'"
                )
                #expect(
                    try await fixture.texts(names) == ["chore_stopped: it was last done 7 min ago"])
                // One that fails from the beginning was never done.
                try await fixture.script(
                    """
                    update jobrunner.chores set done_at = null where name = '\(chore)';
                    update jobrunner.migrations set applied_at = now() - interval '8 min';
                    """)
                #expect(
                    try await fixture.texts(names) == ["chore_stopped: it was last done 8 min ago"])
                try await fixture.script(
                    "update jobrunner.chores set done_at = now() where name = '\(chore)'")
                #expect(try await fixture.texts(names) == [])
            }
            // All workers have died at once, and nobody is there who would say so.
            try await fixture.script(
                "update jobrunner.workers set heartbeat_at = now() - interval '2 min'")
            #expect(try await fixture.texts(names) == ["no_workers: no worker is alive"])
            try await fixture.script("update jobrunner.workers set heartbeat_at = now()")
            // An hour can't be waited for: the same view with a bound of nothing.
            try await fixture.script(
                """
                do $$
                begin
                  execute 'create view public.impatient_alerts as '
                    || replace(pg_get_viewdef('jobrunner.raised_alerts'), '3600', '0');
                end
                $$
                """)
            let snapshot =
                "select a.alert from public.impatient_alerts as a where a.alert = 'snapshot_held'"
            try await fixture.during(
                "set transaction isolation level repeatable read; select from jobrunner.jobs limit 1"
            ) { () async throws in
                #expect(try await fixture.texts(snapshot) == ["snapshot_held"])
                #expect(try await fixture.texts(names) == [])
            }
            #expect(try await fixture.texts(snapshot) == [])
        }
    }
}
