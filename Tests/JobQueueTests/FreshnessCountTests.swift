import JobQueue
import Postgres
import Testing

/// Whose data is fresh is counted a part of the users at a time.
@Suite("Freshness counts") struct FreshnessCountTests {
    private func count(_ fixture: Fixture, most: Int) async throws {
        try await fixture.given(.neverDone("freshness"))
        _ = try await fixture.text(
            "select jobrunner.count_freshness($1)::text", .int4(Int32(most)))
    }

    private func counts(_ fixture: Fixture) async throws -> [String] {
        try await fixture.texts(
            """
            select concat_ws(' ', f.job_name, f.users, f.fresh, f.never) from jobrunner.freshness_counts as f
            where f.counted_at is not null and f.tenant_id = 0 order by 1
            """)
    }

    private func countsOfTenants(_ fixture: Fixture) async throws -> [String] {
        try await fixture.texts(
            """
            select concat_ws(' ', t.name, f.users, f.fresh, f.never) from jobrunner.freshness_counts as f
            join jobrunner.tenants as t on t.id = f.tenant_id
            where f.counted_at is not null order by 1
            """)
    }

    @Test func `the tenants in which most users are stale are told, ten of them`() async throws {
        try await Fixture.lend { fixture async throws in
            for number in 1...13 {
                try await fixture.addUsers(
                    number, tenant: "t\(number)", addingTenant: true)
            }
            // Of each tenant one user is fresh: of t1 none is stale, of t13 twelve are.
            try await fixture.given(.succeeded(.firstOfEach))
            let expected = (4...13).map { "t\($0) \($0) 1 \($0 - 1)" }.sorted()
            // Parts end in the midst of tenants.
            for size in [5, 1000] {
                for _ in 1...(91 / size + 1) { try await count(fixture, most: size) }
                #expect(try await counts(fixture) == ["hub.refresh 91 13 78"])
                #expect(try await countsOfTenants(fixture) == expected)
            }
            let told = try await fixture.texts(
                """
                select concat_ws(' ', g.labels ->> 'tenant', round(g.value::numeric, 3)) from jobrunner.gauges as g
                where g.name = 'fresh_users_ratio' order by g.value, 1 limit 2
                """)
            #expect(told == ["t13 0.077", "t12 0.083"])
            // Who is fresh again is told no longer.
            try await fixture.given(.succeeded())
            try await count(fixture, most: 1000)
            #expect(try await countsOfTenants(fixture) == [])
            #expect(
                try await fixture.text(
                    "select count(*)::text from jobrunner.freshness_counts") == "1")
        }
    }

    @Test func `all users are counted in parts, and told when the round is over`() async throws {
        try await Fixture.lend(users: 25) { fixture in
            // A period may be a tenth longer, and its run as long as the deadline.
            try await fixture.given(
                .succeeded(.users(modulo: 5), ago: "1 hour"),
                .succeeded(.users(modulo: 5, 1), ago: "71 min 1 s"))
            for _ in 1...2 {
                try await count(fixture, most: 10)
                #expect(try await counts(fixture) == [])
            }
            try await count(fixture, most: 10)
            #expect(try await counts(fixture) == ["hub.refresh 25 5 15"])
            // The next round counts anew, and tells nothing before its end.
            try await fixture.given(.succeeded())
            for _ in 1...2 {
                try await count(fixture, most: 10)
                #expect(try await counts(fixture) == ["hub.refresh 25 5 15"])
            }
            try await count(fixture, most: 10)
            #expect(try await counts(fixture) == ["hub.refresh 25 25 0"])
        }
    }

    @Test func `who is paused, or lacks what the job requires, is not counted as stale`()
        async throws
    {
        try await Fixture.lend(users: 4) { fixture async throws in
            try await fixture.addUsers(2, tenant: "away", addingTenant: true)
            try await fixture.script(
                """
                \(Given.succeeded(.nth(1).others))
                \(Given.skipped(.first))
                \(Given.paused(.nth(1)))
                select jobrunner.pause_jobs('away');
                """)
            try await count(fixture, most: 10)
            #expect(try await counts(fixture) == ["hub.refresh 2 2 0"])
        }
    }

    @Test func `a part is counted once a minute, and a job that nobody has any more is forgotten`()
        async throws
    {
        try await Fixture.lend(users: 3) { fixture async throws in
            #expect(try await fixture.queue.countFreshness())
            #expect(try await !fixture.queue.countFreshness())
            #expect(try await counts(fixture) == ["hub.refresh 3 0 3"])
            #expect(
                try await fixture.text(
                    "select value::text from jobrunner.gauges where name = 'fresh_users_ratio' and labels ->> 'tenant' = ''"
                )
                    == "0")
            try await fixture.given(.noJob())
            try await count(fixture, most: 10)
            #expect(try await counts(fixture) == [])
        }
    }

    @Test func `jobs in trouble are counted by what the view would say of them`() async throws {
        try await Fixture.lend(users: 7) { fixture in
            try await fixture.given(
                .failing(.nth(0)), .parked(.nth(1)), .needingSecret(.nth(2)), .stalled(.nth(3)),
                .deferred(.nth(4), times: 5), .failing(.nth(5), times: 2),
                .needingSecret(.nth(5)))
            _ = try await fixture.queue.countWaiting()
            let counted = try await fixture.texts(
                "select trouble || ' ' || jobs from jobrunner.trouble_counts order by 1")
            #expect(
                counted == [
                    "deferred 1", "failing 1", "needs_reauth 2", "quarantined 1", "stalled 1",
                ])
            #expect(
                try await fixture.texts(
                    "select trouble || ' ' || count(*) from jobrunner.jobs_in_trouble group by trouble order by 1"
                ) == counted)
        }
    }

    @Test func `what needs a person is counted before what merely fails, however much that is`()
        async throws
    {
        try await Fixture.lend(users: 40) { fixture async throws in
            try await fixture.given(
                .failing(.users(1...30)), .needingSecret(.users(31...32)),
                .failing(.user(33), times: 3), .parked(.user(33)),
                .checkpoint("item", whose: .users(34...39)), .failingEntity("item"))
            try await fixture.script(
                "select jobrunner.set_trouble(40, 'hub.refresh', 'item', 'sweep_refused', 'x')")
            // Ten of each sort at most.
            _ = try await fixture.text("select jobrunner.count_waiting(10)::text")
            #expect(
                try await fixture.texts(
                    "select concat_ws(' ', trouble, jobs, may_be_more) from jobrunner.trouble_counts order by 1"
                )
                    == [
                        "entity_failing 6 f", "failing 7 t", "needs_reauth 2 t", "quarantined 1 t",
                        "sweep_refused 1 f",
                    ])
        }
    }

    @Test
    func `a turn that another worker has taken meanwhile is neither time nor a clock set back`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            // Its time stands still from here on, before the turn that the other one takes.
            let late = try await OpenTransaction(fixture.url, "select now()")
            #expect(
                try await fixture.text("select jobrunner.take_chore('waiting', '1 minute')::text")
                    == "false")
            try await late.run(
                """
                do $$
                begin
                  if jobrunner.take_chore('waiting', '1 minute') is not null then
                    raise exception 'the turn was taken twice';
                  end if;
                end
                $$
                """)
            try await late.rollBack()
        }
    }

    @Test func `entities and runs in trouble are counted as the view tells them`() async throws {
        try await Fixture.lend(users: 6) { fixture async throws in
            let worker = try await fixture.addWorker()
            try await fixture.given(.notDue(.users(1...2).others))
            #expect(try await fixture.claim(worker, limit: 2).count == 2)
            try await fixture.script(
                """
                \(Given.checkpoint("item", whose: .user(6)))
                \(Given.failingEntity("item"))
                select jobrunner.set_trouble(k.id, 'hub.refresh', 'item', k.kind, 'x')
                from (values (3, 'sweep_refused'), (4, 'sweep_held'), (5, 'end_unproven')) as k (id, kind);
                \(Given.time(.yield, in: "-2 min", .user(1)))
                """)
            _ = try await fixture.queue.countWaiting()
            let counted = try await fixture.texts(
                "select trouble || ' ' || jobs from jobrunner.trouble_counts order by 1")
            #expect(
                counted == [
                    "end_unproven 1", "entity_failing 1", "overdue 1", "sweep_held 1",
                    "sweep_refused 1",
                ])
            #expect(
                try await fixture.texts(
                    "select trouble || ' ' || count(*) from jobrunner.jobs_in_trouble group by trouble order by 1"
                ) == counted)
        }
    }
}
