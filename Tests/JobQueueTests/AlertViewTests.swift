import JobQueue
import Postgres
import TestSupport
import Testing

/// The alerts for who has no Prometheus: each is there with its cause, and gone without it.
@Suite("Alerts as SQL") struct AlertViewTests {
    private func withAlerts(_ body: (Fixture) async throws -> Void) async throws {
        try await Fixture.lend { fixture async throws in
            _ = try await fixture.addWorker()
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
            "source_blocked hub: it is not asked for 1 tenants",
            """
            update jobrunner.sources set blocked_until = now() + interval '1 min', block_reason = 'x', consecutive_failures = 12
            """,
            "update jobrunner.sources set blocked_until = null, block_reason = null, consecutive_failures = 0"
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
            "sweeps_delete_much hub.refresh: 2000 rows were swept in an hour",
            """
            insert into jobrunner.runs (user_id, id, outcome, tenant_id, job_name, scheduled_at, started_at, counters)
            select (select min(id) from jobrunner.users), 1, 'complete', 1, 'hub.refresh', now(), now(),
              jsonb_populate_record(null::jobrunner.counters, to_jsonb(r.counters) || '{"swept": 2000}')
            from (select '(0,0,0,0,0,0,0,0,0,0,0,0,0)'::jobrunner.counters as counters) as r
            """, "delete from jobrunner.runs"
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

    @Test func `a count that nobody makes, and a held snapshot, are alerts`() async throws {
        try await withAlerts { fixture async throws in
            let names = "select a.alert || ': ' || a.detail from jobrunner.raised_alerts as a"
            try await fixture.script(
                "update jobrunner.chores set done_at = now() - interval '7 min' where name = 'waiting'"
            )
            #expect(
                try await fixture.texts(names) == [
                    "nothing_counted: what waits was last counted 7 min ago"
                ])
            try await fixture.script(
                "update jobrunner.chores set done_at = now() where name = 'waiting'")
            #expect(try await fixture.texts(names) == [])
            // All workers have died at once, and nobody is there who would say so.
            try await fixture.script(
                "update jobrunner.workers set heartbeat_at = now() - interval '2 min'")
            #expect(try await fixture.texts(names) == ["no_workers: no worker is alive"])
            try await fixture.script("update jobrunner.workers set heartbeat_at = now()")
            // An hour can't be waited for: the number that the alert compares is what a session holds.
            try await fixture.during(
                "set transaction isolation level repeatable read; select from jobrunner.jobs limit 1"
            ) { () async throws in
                #expect(
                    try await fixture.text(
                        "select (value > 0)::text from jobrunner.gauges where name = 'oldest_snapshot_seconds'"
                    )
                        == "true")
            }
        }
    }
}
