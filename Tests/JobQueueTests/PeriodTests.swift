import Postgres
import JobQueue
import Testing

/// Schedules that follow people: periods by verb, jobs that slow down, users who come by thousands.
@Suite(.timeLimit(.minutes(10))) struct PeriodTests {
    private func period(_ fixture: Fixture, _ user: Int64) async throws -> String {
        try await fixture.job("every", user: user)
    }

    private func set(
        _ fixture: Fixture, _ user: String?, _ every: String?
    ) async throws -> Int {
        try await fixture.int(
            "select jobrunner.set_period('acme', $1, 'hub.refresh', $2::interval)",
            .optional(user, Bind.text), .optional(every, Bind.text))
    }

    @Test func `a user's period comes before the tenant's, and null takes each back`() async throws
    {
        try await Fixture.lend { fixture in
            let ann = try await fixture.addUser()
            let bob = try await fixture.addUser("bob")
            try await fixture.addTenant("other")
            let eve = try await fixture.addUser("eve", tenant: "other")
            #expect(try await set(fixture, "ann", "1 day") == 1)
            #expect(try await set(fixture, nil, "2 hours") == 1)
            let late = try await fixture.addUser("late")
            #expect(try await period(fixture, ann) == "1 day")
            #expect(try await period(fixture, bob) == "02:00:00")
            #expect(try await period(fixture, late) == "02:00:00")
            #expect(try await period(fixture, eve) == "01:00:00")
            #expect(try await set(fixture, "ann", nil) == 1)
            #expect(try await period(fixture, ann) == "02:00:00")
            #expect(try await set(fixture, nil, nil) == 3)
            #expect(try await period(fixture, bob) == "01:00:00")
        }
    }

    @Test func `a period is refused for names that don't exist and beyond its bounds`() async throws
    {
        try await Fixture.lend { fixture in
            try await fixture.addUser()
            for (call, state) in [
                ("'nobody', null, 'hub.refresh', '1 h'", "JR010"),
                ("'acme', 'nobody', 'hub.refresh', '1 h'", "JR011"),
                ("'acme', 'ann', 'hub.status', '1 h'", "JR012"),
                ("'acme', 'ann', 'hub.refresh', '0 s'", "JR017"),
                ("'acme', 'ann', 'hub.refresh', '367 days'", "JR017"),
            ] {
                let refusal = try await fixture.refusal("select jobrunner.set_period(\(call))")
                #expect(refusal == state, "\(call)")
            }
        }
    }

    @Test func `a job is not due later than its new period says, but for one that backs off`()
        async throws
    {
        try await Fixture.lend { fixture in
            let ann = try await fixture.addUser()
            let bob = try await fixture.addUser("bob")
            try await fixture.given(.notDue(for: "50 min"), .failing(.user(bob)))
            #expect(try await set(fixture, nil, "1 min") == 2)
            #expect(
                try await fixture.job("due_at <= now() + interval '1 min'", user: ann) == "true")
            #expect(
                try await fixture.job("due_at > now() + interval '49 min'", user: bob) == "true")
        }
    }

    @Test func `a run that is under way is followed by one at the new period's tick`() async throws
    {
        try await Fixture.lend { fixture in
            let ann = try await fixture.addUser()
            let worker = try await fixture.addWorker()
            let claim = try await fixture.run(worker, user: ann)
            #expect(try await set(fixture, "ann", "1 min") == 1)
            try await fixture.finish(claim)
            #expect(
                try await fixture.job("due_at <= now() + interval '1 min'", user: ann) == "true")
        }
    }

    @Test
    func `a changed file changes no period that was set, and goes through its jobs in pieces`()
        async throws
    {
        try await Fixture.lend { fixture in
            let ann = try await fixture.addUser()
            try await fixture.addUsers(50)
            _ = try await set(fixture, "ann", "1 day")
            try await fixture.script(
                """
                select jobrunner.store_job_file('{"name": "hub.refresh", "source": "hub", "every": "30 min",
                  "spread": true, "deadline": "5 min", "per_second": 20,
                  "expanded": {"entities": [{"entity": "video"}, {"entity": "channel"}]}}', in_is_scheduled => false)
                """)
            let piece = "select coalesce(jobrunner.schedule_next_jobs('hub.refresh', 20), -1)"
            var changed: [Int] = []
            repeat { changed.append(try await fixture.int(piece)) } while changed.last != -1
            #expect(changed == [19, 20, 11, -1])
            #expect(try await period(fixture, ann) == "1 day")
            #expect(
                try await fixture.int(
                    "select count(*) from jobrunner.jobs where every = '30 min'") == 50)
        }
    }

    @Test func `a removed user and a job that is taken leave no period`() async throws {
        try await Fixture.lend { fixture in
            try await fixture.addUser()
            try await fixture.addUser("bob")
            _ = try await set(fixture, "ann", "1 day")
            _ = try await set(fixture, "bob", "1 day")
            _ = try await set(fixture, nil, "2 days")
            try await fixture.script("select jobrunner.remove_user('acme', 'ann')")
            #expect(try await fixture.int("select count(*) from jobrunner.periods") == 2)
            try await fixture.script("select jobrunner.take_job('acme', 'hub.refresh')")
            #expect(try await fixture.int("select count(*) from jobrunner.periods") == 0)
        }
    }
}

/// Jobs for which nobody asks slow down, where their file says so.
@Suite(.timeLimit(.minutes(10))) struct SlowingTests {
    private static let rule = """
        select jobrunner.store_job_file('{"name": "hub.refresh", "source": "hub", "every": "1 hour",
          "spread": true, "deadline": "5 min", "per_second": 20,
          "expanded": {"entities": [{"entity": "video"}, {"entity": "channel"}]},
          "slow_after": "30 days",
          "slow_every": "1 day"}');
        """

    private func slow(_ fixture: Fixture) async throws -> Int {
        try await fixture.int("select jobrunner.slow_jobs()")
    }

    @Test func `a job that nobody asks for slows down, and who asks gives it its own pace again`()
        async throws
    {
        try await Fixture.lend { fixture in
            let ann = try await fixture.addUser()
            try await fixture.script(Self.rule)
            let bob = try await fixture.addUser("bob")
            #expect(try await slow(fixture) == 0)
            try await fixture.given(.time(.slowing, in: "-1 day"), .due(for: "1 s"))
            // Workers may remember where the rows of what is due stand.
            #expect(try await slow(fixture) == 0)
            try await fixture.given(.notDue())
            #expect(try await slow(fixture) == 2)
            #expect(try await slow(fixture) == 0)
            for user in [ann, bob] {
                #expect(try await fixture.job("every", user: user) == "1 day")
                #expect(try await fixture.job("slowed_at is not null", user: user) == "true")
            }
            try await fixture.script("select jobrunner.want_fresh('acme', 'ann', 'hub.refresh')")
            try await fixture.script("select jobrunner.enqueue('acme', 'bob', 'hub.refresh')")
            for user in [ann, bob] {
                #expect(try await fixture.job("every", user: user) == "01:00:00")
                #expect(
                    try await fixture.job(
                        "slowed_at is null and slows_at > now() + interval '29 days'", user: user)
                        == "true")
            }
        }
    }

    @Test func `a slowed job's ticks are spread over the slow period`() async throws {
        try await Fixture.lend(users: 200) { fixture in
            try await fixture.script(Self.rule)
            try await fixture.given(.time(.slowing, in: "-1 s"), .notDue())
            #expect(try await slow(fixture) == 200)
            let late = try await fixture.int(
                "select count(*) from jobrunner.jobs where phase > interval '12 hours'")
            #expect((60...140).contains(late), "\(late)")
        }
    }

    @Test func `who asks often writes once, and a rule that is taken away ends all slowness`()
        async throws
    {
        try await Fixture.lend { fixture in
            let ann = try await fixture.addUser()
            try await fixture.script(Self.rule)
            try await fixture.given(.time(.slowing, in: "28 days"))
            let before = try await fixture.job("slows_at", user: ann)
            try await fixture.script("select jobrunner.want_fresh('acme', 'ann', 'hub.refresh')")
            #expect(try await fixture.job("slows_at", user: ann) == before)
            try await fixture.given(.time(.slowing, in: "-1 s"), .notDue())
            #expect(try await slow(fixture) == 1)
            try await fixture.script(
                Self.rule.replacing(#""30 days""#, with: "null").replacing(
                    #""1 day""#, with: "null"))
            #expect(
                try await fixture.job(
                    "every || ' ' || (slows_at is null and slowed_at is null)", user: ann)
                    == "01:00:00 true")
        }
    }

    @Test func `a job that runs or is held slows down later`() async throws {
        try await Fixture.lend { fixture in
            let ann = try await fixture.addUser()
            try await fixture.script(Self.rule)
            let worker = try await fixture.addWorker()
            let claim = try await fixture.run(worker, user: ann)
            try await fixture.given(.time(.slowing, in: "-1 s"))
            #expect(try await slow(fixture) == 0)
            try await fixture.finish(claim)
            #expect(try await slow(fixture) == 1)
        }
    }
}
