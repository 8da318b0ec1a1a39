import JobQueue
import Postgres
import Testing

/// The alerts for who has no Prometheus: each is there with its cause, and gone without it.
@Suite("Alerts as SQL") struct AlertViewTests {
    private func withAlerts(_ body: (Fixture) async throws -> Void) async throws {
        try await Fixture.lend { fixture async throws in
            _ = try await fixture.addWorker()
            try await fixture.given(.done())
            try await body(fixture)
        }
    }

    private func alerts(_ fixture: Fixture) async throws -> [String] {
        try await fixture.given(.neverDone("waiting"), .neverDone("freshness"))
        try await fixture.script("select jobrunner.count_waiting(), jobrunner.count_freshness()")
        return try await fixture.texts(
            "select concat_ws(': ', concat_ws(' ', a.alert, a.subject), a.detail) from jobrunner.raised_alerts as a order by 1"
        )
    }

    @Test func `all is well, and no alert is there`() async throws {
        try await withAlerts { fixture async throws in
            try await fixture.addUsers(5)
            try await fixture.given(.succeeded(), .notDue())
            #expect(try await alerts(fixture) == [])
        }
    }

    /// What makes each alert, and what ends it.
    private static let causes: [(alert: String, cause: Given, end: Given)] = [
        (
            "users_stale hub.refresh: 50.0 % of the users are stale",
            .succeeded(.users(modulo: 2), ago: "2 hours"), .succeeded()
        ),
        ("jobs_late: a job has been due for 40 min", .due(.first, for: "40 min"), .notDue()),
        ("jobs_need_somebody needs_reauth: 1 job", .needingSecret(.first), .helped()),
        ("no_workers: no worker is alive", .ended("stopped"), .alive()),
        (
            "source_blocked hub: its breaker is open for 1 tenants", .blocked(for: "1 min"),
            .unblocked()
        ),
        (
            "clock_set_back: the server's clock is 5 min behind a time that it has told",
            .told("health", ahead: "301 s"), .told("health", ahead: "0 s")
        ),
        (
            "runs_fail hub.refresh: 11 runs failed in 15 minutes",
            .runs(1...11, "failed", error: "rejected", whose: .first), .noRuns()
        ),
        (
            "sweeps_delete_much hub.refresh: 2000 rows were swept in this hour and the last",
            .runs(1...1, ago: "61 s", counted: "swept => 2000", whose: .first), .noRuns()
        ),
    ]

    @Test func `each alert comes with its cause and goes with it`() async throws {
        try await withAlerts { fixture async throws in
            try await fixture.addUsers(20)
            try await fixture.given(.succeeded(), .notDue())
            for (alert, cause, end) in Self.causes {
                try await fixture.given(cause, .reachedNothing("waiting"))
                #expect(try await alerts(fixture) == [alert])
                try await fixture.given(end)
                #expect(try await alerts(fixture) == [])
            }
        }
    }

    @Test
    func `as many rows as on any other day, or in any other week, are swept without an alert`()
        async throws
    {
        try await withAlerts { fixture async throws in
            for hours in [24, 168] {
                try await fixture.given(.swept(7000, hours: hours, now: 7000))
                #expect(try await alerts(fixture) == [], "\(hours)")
            }
            try await fixture.given(.swept(7000, hours: 168, now: 8001))
            #expect(
                try await alerts(fixture) == [
                    "sweeps_delete_much hub.refresh: 8001 rows were swept in this hour and the last"
                ])
        }
    }

    @Test func `each run's sweeps are counted once, however often it is counted`() async throws {
        try await withAlerts { fixture async throws in
            let counted = "select coalesce(sum(rows), 0)::text from jobrunner.swept_counts"
            try await fixture.addUser()
            for (run, age) in [(1, "90 s"), (2, "120 s"), (3, "1 s")] {
                try await fixture.given(.runs(run...run, ago: age, counted: "swept => 10"))
            }
            for _ in 1...3 { _ = try await alerts(fixture) }
            // The end of the third may have been committed just now, beside others that can't be seen yet.
            #expect(try await fixture.text(counted) == "20")
            // Time goes by.
            try await fixture.given(.runsEarlier("62 s"))
            for _ in 1...3 { _ = try await alerts(fixture) }
            #expect(try await fixture.text(counted) == "30")
        }
    }

    @Test func `a count that nobody makes, and a held snapshot, are alerts`() async throws {
        try await withAlerts { fixture async throws in
            let names = "select a.alert || ': ' || a.detail from jobrunner.raised_alerts as a"
            for chore in ["waiting", "freshness", "reconcile"] {
                try await fixture.given(.done(chore, ago: "7 min"))
                #expect(
                    try await fixture.texts(names) == ["chore_stopped: it was last done 7 min ago"])
                // One that fails from the beginning was never done.
                try await fixture.given(.neverDone(chore), .migrated(ago: "8 min"))
                #expect(
                    try await fixture.texts(names) == ["chore_stopped: it was last done 8 min ago"])
                try await fixture.given(.done(chore))
                #expect(try await fixture.texts(names) == [])
            }
            // All workers have died at once, and nobody is there who would say so.
            try await fixture.given(.silent(for: "2 min"))
            #expect(try await fixture.texts(names) == ["no_workers: no worker is alive"])
            try await fixture.given(.alive())
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
