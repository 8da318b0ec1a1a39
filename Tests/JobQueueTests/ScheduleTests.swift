import Postgres
import JobQueue
import Testing

@Suite("The schedule")
struct ScheduleTests {
    @Test func `MH26 a job that never ran is due at once`() async throws {
        try await Fixture.lend { fixture async throws in
            let user = try await fixture.addUser()
            #expect(try await fixture.job("due_at <= now()", user: user) == "true")
            _ = try await fixture.int("select jobrunner.give_job('acme', 'hub.status')")
            #expect(
                try await fixture.job("due_at <= now()", user: user, name: Fixture.status) == "true"
            )
        }
    }

    @Test
    func
        `ST21 the next tick is set before the work starts, strictly later and at most a period away`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            _ = try await fixture.run(worker, user: user)
            let isNext = "next_due_at > started_at and next_due_at <= started_at + every"
            #expect(try await fixture.job(isNext, user: user) == "true")
        }
    }

    @Test func `ticks stand on a grid of period and phase, so a thousand late runs do not drift`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            // Each run is claimed late by something between 0 and 59 minutes.
            let ticks = try await fixture.texts(
                """
                with recursive ticks (n, tick) as (
                  select 0, jobrunner.next_tick('2026-01-01 00:00+00', '1 hour', '17 min 3 s')
                  union all
                  select n + 1, jobrunner.next_tick(tick + (n * 7 % 60) * interval '1 min', '1 hour', '17 min 3 s')
                  from ticks where n < 1000
                )
                select distinct to_char(tick at time zone 'UTC', 'MI:SS.US') || ' '
                  || (tick = '2026-01-01 00:17:03+00'::timestamptz + n * interval '1 hour')::text
                from ticks
                """)
            #expect(ticks == ["17:03.000000 true"])
        }
    }

    @Test func `a tick is strictly after the given time, also when that is a tick itself`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            let tick = "select jobrunner.next_tick($1::text::timestamptz, '5 min', '0')::text"
            #expect(
                try await fixture.text(tick, .text("2026-01-01 00:05:00+00"))
                    == "2026-01-01 00:10:00+00")
            #expect(
                try await fixture.text(tick, .text("2026-01-01 00:09:59.999999+00"))
                    == "2026-01-01 00:10:00+00")
        }
    }

    @Test func `after a day of downtime missed ticks are one run`() async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            try await fixture.given(.due(for: "1 day"))
            let claimed = try await fixture.claim(worker)
            #expect(claimed.count == 1)
            try await fixture.finish(claimed[0].claim)
            #expect(
                try await fixture.job("due_at > now() and due_at <= now() + every", user: user)
                    == "true")
            #expect(try await fixture.claim(worker).isEmpty)
        }
    }

    @Test func `phases lie within the period and are fixed per user and job`() async throws {
        try await Fixture.lend { fixture async throws in
            let wrong = try await fixture.int(
                """
                select count(*)
                from generate_series(1, 10000) as u,
                  (values (interval '1 hour'), ('5 min'), ('1 s'), ('30 days'), ('0.5 s')) as e (every)
                cross join lateral (select jobrunner.phase_of(u, 'hub.refresh', e.every, true) as phase) as p
                where p.phase < '0' or p.phase >= e.every
                  or p.phase <> jobrunner.phase_of(u, 'hub.refresh', e.every, true)
                """)
            #expect(wrong == 0)
            #expect(
                try await fixture.text("select jobrunner.phase_of(1, 'a', '1 hour', false)::text")
                    == "00:00:00")
        }
    }

    @Test func `100,000 hourly jobs are 28 a second, as evenly as chance would have it`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            let figures = try await fixture.texts(
                """
                with spread as (
                  select second, count(phase) as n
                  from generate_series(0, 3599) as second
                  left join (
                    select extract(epoch from jobrunner.phase_of(u, 'hub.refresh', '1 hour', true))::integer as phase
                    from generate_series(1, 100000) as u
                  ) as phases on phase = second
                  group by second
                )
                select (sum((n - 100000 / 3600.0) ^ 2 / (100000 / 3600.0)))::integer::text || ' ' || min(n) || ' ' || max(n)
                from spread
                """)
            let parts = figures[0].split(separator: " ").compactMap { Int($0) }
            // Chi square of 3,599 degrees of freedom: 3,599 ± 85; six deviations either way.
            #expect((3090...4110).contains(parts[0]))
            #expect(parts[1] >= 5 && parts[2] <= 60)
        }
    }

    @Test func `backoff doubles from 30 s under full jitter, up to eight periods and six hours`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            let wrong = try await fixture.texts(
                """
                select f.failures || ' ' || f.every || ' ' || max(extract(epoch from b.wait))
                from (values
                  (1, interval '1 hour', 30), (2, '1 hour', 60), (5, '1 hour', 480), (12, '1 hour', 21600),
                  (1000, '30 days', 21600), (20, '5 min', 2400), (1, '1 s', 8)
                ) as f (failures, every, most)
                cross join generate_series(1, 400) as draw
                cross join lateral (
                  select jobrunner.backoff(f.failures, f.every, random()) as wait where draw > 0
                ) as b
                group by f.failures, f.every, f.most
                having max(extract(epoch from b.wait)) > f.most or min(extract(epoch from b.wait)) < 1
                  or max(extract(epoch from b.wait)) < f.most * 0.9 or min(extract(epoch from b.wait)) > greatest(f.most * 0.1, 1)
                """)
            #expect(wrong == [])
        }
    }

    @Test
    func
        `a job file with a shorter period makes its jobs due sooner, and an equal one writes nothing`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            try await fixture.finish(try await fixture.run(worker, user: user))
            let store = """
                select jobrunner.store_job_file('{"name": "hub.refresh", "source": "hub", "every": "1 min",
                  "spread": true, "deadline": "20 s", "per_second": 20,
                  "expanded": {"entities": []}}')::text
                """
            #expect(try await fixture.text(store) == "true")
            #expect(
                try await fixture.job(
                    "due_at <= now() + interval '1 min' and phase < '1 min' and deadline = '20 s'",
                    user: user)
                    == "true")
            let before = try await fixture.job("xmin", user: user)
            #expect(try await fixture.text(store) == "false")
            #expect(try await fixture.job("xmin", user: user) == before)
        }
    }
}
