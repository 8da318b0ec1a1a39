import Postgres
import JobQueue
import Testing

@Suite("Jobs in trouble, and jobs that are taken away")
struct TroubleTests {
    private func troubles(_ fixture: Fixture) async throws -> [String] {
        try await fixture.texts(
            """
            select concat_ws(' ', t.user_key, t.job, t.entity, t.trouble)
            from jobrunner.jobs_in_trouble as t order by 1
            """)
    }

    @Test func `a healthy system has no trouble, and each sort of trouble is in the view`()
        async throws
    {
        try await Fixture.lend { fixture, worker async throws in
            for user in ["a", "b", "c", "d", "e", "f", "g", "h"] {
                _ = try await fixture.addUser(user)
            }
            let healthy = try await fixture.addUser("healthy")
            try await fixture.finish(try await fixture.run(worker, user: healthy))
            #expect(try await troubles(fixture) == [])
            try await fixture.script(
                """
                create view public.u as select id, key from jobrunner.users;
                \(Given.failing(.key("a")))
                \(Given.parked(.key("b"), because: "it died"))
                \(Given.needingSecret(.key("c")))
                \(Given.stalled(.key("d")))
                \(Given.deferred(.key("e"), times: 5))
                select jobrunner.set_trouble(u.id, 'hub.refresh', 'video', 'sweep_refused', 'no') from u where key = 'f';
                \(Given.noJob(.key("g")))
                """)
            let late = try await fixture.run(
                worker, user: Int64(try await fixture.int("select id from u where key = 'h'")))
            try await fixture.given(.time(.yield, in: "-2 min", .user(late.userID)))
            #expect(
                try await troubles(fixture) == [
                    "a hub.refresh failing", "b hub.refresh quarantined",
                    "c hub.refresh needs_reauth",
                    "d hub.refresh stalled", "e hub.refresh deferred",
                    "f hub.refresh video sweep_refused", "g hub.refresh lacking",
                    "h hub.refresh overdue",
                ])
            try await fixture.given(.ended(ago: "2 min", cleared: true))
            #expect(try await troubles(fixture).last == "h hub.refresh orphaned")
        }
    }

    @Test
    func
        `another file has jobs in trouble due, chunks too, but none that backs off, and forgets what it syncs no more`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            for user in ["ann", "bob", "well"] { _ = try await fixture.addUser(user) }
            try await fixture.script(
                """
                \(Given.notDue())
                \(Given.failing(.user(2)))
                select jobrunner.set_trouble(u.id, 'hub.refresh', e.name, 'end_unproven', 'no')
                from jobrunner.users as u, unnest('{video#c1,former#c1}'::text[]) as e (name) where u.key in ('ann', 'bob');
                \(Given.entities(#"{"entity": "video"}"#, of: "hub.refresh"))
                select jobrunner.look_again(f) from jobrunner.job_files as f where f.name = 'hub.refresh';
                """)
            #expect(
                try await fixture.texts(
                    """
                    select u.key || ' ' || (j.due_at <= now()) from jobrunner.jobs as j join jobrunner.users as u on u.id = j.user_id
                    where j.name = 'hub.refresh' order by 1
                    """) == ["ann true", "bob false", "well false"])
            #expect(
                try await fixture.texts(
                    "select distinct entity from jobrunner.checkpoints where troubles is not null")
                    == ["video#c1"])
        }
    }

    @Test func `a trouble keeps its beginning, and no good page and no complete run ends it`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            func set(_ words: String) async throws -> String {
                try await fixture.text(
                    "select jobrunner.set_trouble(\(user), 'hub.refresh', 'video', 'sweep_refused', \(words))::text"
                )
            }
            // Also where the entity has no checkpoint yet.
            #expect(try await set("'four'") == "true")
            try await fixture.given(.trouble("sweep_refused", since: "2026-01-01T00:00:00+00:00"))
            #expect(try await set("'five'") == "false")
            let claim = try await fixture.run(worker, user: user)
            try await fixture.commit(claim, page(1))
            try await fixture.commit(claim, page(2, isEnd: true))
            _ = try await fixture.queue.finishRuns([
                FinishedRun(claim: claim, outcome: .complete, endedPasses: [passEnd(pass: 2)])
            ])
            #expect(
                try await fixture.checkpoint("troubles -> 'sweep_refused'", user: user)
                    == #"{"error": "five", "since": "2026-01-01T00:00:00+00:00"}"#)
            let why = try await fixture.text(
                "select jobrunner.explain_job('acme', 'ann', 'hub.refresh')")
            #expect(why.contains("Entity video waits for a person") && why.contains("five"))
            #expect(try await set("null") == "true")
            #expect(try await set("null") == "false")
            #expect(try await fixture.checkpoint("troubles is null", user: user) == "true")
        }
    }

    @Test func `a pass of a day and a hundred runs that yield is in the view, and told of once`()
        async throws
    {
        try await Fixture.lend { fixture, worker async throws in
            let user = try await fixture.addUser("ann")
            func yield(_ page: Int) async throws -> [Verdict.Kind] {
                let claim = try await fixture.run(worker, user: user)
                try await fixture.commit(claim, JobQueueTests.page(page))
                return try await fixture.finish(claim, .partial, kind: .yielded).map(\.kind)
            }
            for page in 1...98 { #expect(try await yield(page) == []) }
            let before = Given.runsEarlier("1 day")
            try await fixture.given(before)
            // A day is over, and not a hundred runs.
            #expect(try await yield(99) == [])
            #expect(try await troubles(fixture) == [])
            #expect(try await yield(100) == [.endless])
            #expect(try await troubles(fixture) == ["ann hub.refresh video endless"])
            #expect(try await yield(101) == [])
            #expect(try await troubles(fixture) == ["ann hub.refresh video endless"])
            // A hundred runs, and not a day.
            try await fixture.given(.runsEnded(ago: "1 hour"))
            #expect(try await yield(102) == [])
            #expect(try await troubles(fixture) == [])
            // Once it comes to its end, it counts anew.
            try await fixture.given(before)
            #expect(try await troubles(fixture) == ["ann hub.refresh video endless"])
            let claim = try await fixture.run(worker, user: user)
            try await fixture.commit(claim, JobQueueTests.page(103, isEnd: true))
            #expect(try await fixture.finish(claim) == [])
            #expect(try await troubles(fixture) == [])
        }
    }

    @Test func `a healthy job stands in no index of trouble, whose scan finds the others`()
        async throws
    {
        try await Fixture.lend(users: 3000) { fixture async throws in
            try await fixture.script(
                """
                \(Given.failing(.users(1...3)))
                analyze jobrunner.jobs;
                reindex index jobrunner.jobs_troubled;
                """)
            let entries = try await fixture.int(
                "select reltuples::integer from pg_class where relname = 'jobs_troubled'")
            #expect(entries == 3)
            let plan = try await fixture.sql(
                "explain select * from jobrunner.jobs_in_trouble where trouble = 'failing'"
            ).map { try $0.text(0) }
            #expect(plan.contains { $0.contains("jobs_troubled") }, "\(plan)")
        }
    }

    @Test func `a taken job waits for the page in progress, and then its run can write nothing`()
        async throws
    {
        try await Fixture.lend { fixture, worker async throws in
            let user = try await fixture.addUser("ann")
            _ = try await fixture.addUser("bob")
            let claim = try await fixture.run(worker, user: user)
            try await fixture.remember("register", listHash: nil, for: claim)
            try await fixture.script("insert into synced.hub_video values (\(user), 'v')")
            let page = try await OpenTransaction(
                fixture.url,
                [claim.holdStatement, JobQueueTests.page(1).statement(for: claim, PageCounts())])
            async let taken = fixture.int("select jobrunner.take_job('acme', 'hub.refresh')")
            try await waitForLock(in: fixture.url)
            try await page.commit()
            #expect(try await taken == 2)
            #expect(
                await fixture.claimRefusal(claim) == .lost)
            for table in ["jobs", "checkpoints", "call_memory", "tenant_jobs"] {
                #expect(
                    try await fixture.int("select count(*) from jobrunner.\(table)") == 0,
                    "\(table)")
            }
            #expect(try await fixture.int("select count(*) from synced.hub_video") == 1)
            // Who comes later gets none, and who is given it again begins anew.
            _ = try await fixture.addUser("eve")
            #expect(try await fixture.int("select count(*) from jobrunner.jobs") == 0)
            #expect(try await fixture.int("select jobrunner.give_job('acme', 'hub.refresh')") == 3)
        }
    }

    @Test func `a job that the tenant does not have can't be taken, and says which it has`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            let refusal = try await fixture.refusal(
                "select jobrunner.take_job('acme', 'hub.status')")
            #expect(refusal?.hasPrefix("JR014") == true, "\(refusal ?? "")")
        }
    }

    @Test func `rows of a taken job go when asked, but for a table that another job fills`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            try await fixture.script(
                """
                \(Given.entities(#"{"entity": "video", "write": {"table": "hub_video"}}, {"entity": "c", "write": {"table": "hub_channel"}}"#, of: "hub.refresh"))
                \(Given.entities(#"{"entity": "status", "write": {"table": "hub_channel"}}"#, of: "hub.status"))
                select jobrunner.give_job('acme', 'hub.status');
                """)
            let user = try await fixture.addUser("ann")
            try await fixture.script(
                """
                insert into synced.hub_video values (\(user), 'v');
                insert into synced.hub_channel values (\(user), 'c');
                select jobrunner.take_job('acme', 'hub.refresh', true);
                """)
            #expect(try await fixture.int("select count(*) from synced.hub_video") == 0)
            #expect(try await fixture.int("select count(*) from synced.hub_channel") == 1)
        }
    }
}

extension Fixture {
    fileprivate func claimRefusal(_ claim: Claim) async -> QueueError? {
        do {
            _ = try await queue.turn([claim.holdStatement], deadline: .now + .seconds(5))
            return nil
        } catch {
            return error as? QueueError
        }
    }
}
