import Postgres
import Claiming
import JobQueue
import Testing

/// Users who are added by thousands have a lane of their own until they are synced once.
@Suite(.timeLimit(.minutes(10))) struct LaneTests {
    private func addUsers(
        _ fixture: Fixture, _ count: Int, within span: Duration = .zero
    ) async throws -> Int {
        try await fixture.queue.addUsers(
            (1...count).map { NewUser(key: "new\($0)", attributes: #"{"n": \#($0)}"#) },
            tenant: "acme", within: span
        ).users
    }

    @Test
    func `users that are added together are due spread over the span, in a lane of their own`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            #expect(try await addUsers(fixture, 1000, within: .seconds(6 * 3600)) == 1000)
            #expect(try await addUsers(fixture, 1001) == 1)
            let words = try await fixture.text(
                """
                select concat_ws(' ', count(*), min(priority), max(priority),
                  min(due_at) < now() + interval '10 min', max(due_at) between now() + interval '5 h' and now() + interval '6 h',
                  count(*) filter (where due_at < now() + interval '3 h') between 400 and 600)
                from jobrunner.jobs
                """)
            #expect(words == "1001 -1 -1 t t t")
            let attributes = try await fixture.text(
                "select attributes::text from jobrunner.users where key = 'new7'")
            #expect(attributes == #"{"n": 7}"#)
        }
    }

    @Test func `a job that many get is due at once, or spread over a span in that lane`()
        async throws
    {
        try await Fixture.lend { fixture in
            try await fixture.script("select jobrunner.take_job('acme', 'hub.refresh')")
            #expect(try await addUsers(fixture, 1000) == 1000)
            let read = """
                select concat_ws(' ', count(*), min(priority), max(priority), max(due_at) <= now(),
                  count(*) filter (where due_at < now() + interval '3 h'))
                from jobrunner.jobs where name = 'hub.refresh'
                """
            for (span, lane) in [("interval '6 h'", "-1"), ("null", "0")] {
                try await fixture.script(
                    "select jobrunner.give_job('acme', 'hub.refresh', \(span))")
                let words = try await fixture.text(read).split(separator: " ")
                #expect(words.prefix(3) == ["1000", lane[...], lane[...]])
                #expect(words[3] == (lane == "0" ? "t" : "f"))
                #expect((lane == "0" ? 1000...1000 : 400...600) ~= Int(words[4]) ?? 0)
                try await fixture.script("select jobrunner.take_job('acme', 'hub.refresh')")
            }
            let refusal = try await fixture.refusal(
                "select jobrunner.give_job('acme', 'hub.refresh', '31 days')")
            #expect(refusal == "JR017")
        }
    }

    @Test func `a span, arrays and keys that can't be are refused`() async throws {
        try await Fixture.lend { fixture in
            for (call, state) in [
                ("'nobody', '{a}'", "JR010"), ("'acme', '{*}'", "JR013"),
                ("'acme', '{a}', in_within => '31 days'", "JR017"),
                ("'acme', '{a,b}', '{\"{}\"}'", "JR017"),
            ] {
                let refusal = try await fixture.refusal("select jobrunner.add_users(\(call))")
                #expect(refusal == state, "\(call)")
            }
        }
    }

    @Test func `the first runs of many have half of the slots also when nothing else is due`()
        async throws
    {
        try await Fixture.lend { fixture in
            _ = try await addUsers(fixture, 3)
            let worker = try await fixture.addWorker()
            let claimer = fixture.claimer(4)
            _ = try await claimer.claim(worker: worker, slots: 4)
            let running = try await fixture.int(
                "select count(*) from jobrunner.jobs where worker_id is not null")
            #expect(running == 2)
        }
    }

    @Test func `what is due comes before the first runs of many, which have half of the slots`()
        async throws
    {
        try await Fixture.lend { fixture in
            _ = try await addUsers(fixture, 100)
            try await fixture.given(.due(for: "1 h"))
            try await fixture.addUsers(6)
            let worker = try await fixture.addWorker()
            let claimer = fixture.claimer(20)
            let first = try await claimer.claim(worker: worker, slots: 20)
            #expect(first.prefix(6).allSatisfy { $0.lane == .due }, "\(first.map(\.lane))")
            #expect(first.count { $0.lane == .new } == 10)
            #expect(try await claimer.claim(worker: worker, slots: 4).isEmpty)
            #expect(claimer.isHeldBack)
            // One of them ends, and another begins.
            let new = try #require(first.first { $0.lane == .new })
            claimer.ended(new)
            #expect(try await claimer.claim(worker: worker, slots: 5).map(\.lane) == [.new])
            // What becomes due does not wait for them.
            try await fixture.addUser("quick")
            let next = try await claimer.claim(worker: worker, slots: 4)
            #expect(next.map(\.lane) == [.due])
        }
    }

    @Test func `jobs whose claim failed halfway hold no slot in the worker's memory`() async throws
    {
        try await Fixture.lend { fixture in
            _ = try await addUsers(fixture, 100)
            let worker = try await fixture.addWorker()
            let claimer = fixture.claimer(20)
            try await fixture.script(
                "alter function jobrunner.run_inputs rename to run_inputs_away")
            await #expect(throws: DatabaseError.self) {
                try await claimer.claim(worker: worker, slots: 20)
            }
            let held = try await fixture.int(
                "select count(*) from jobrunner.jobs where worker_id is not null")
            #expect(held == 10)
            try await fixture.script(
                """
                alter function jobrunner.run_inputs_away rename to run_inputs;
                select jobrunner.release_jobs(array_agg(user_id), array_agg(name), array_agg(fence), array_agg(nonce))
                from jobrunner.jobs where worker_id is not null
                """)
            claimer.rescan()
            #expect(try await claimer.claim(worker: worker, slots: 20).count == 10)
        }
    }

    @Test func `a run that made room is as asked for as before, and due at once`() async throws {
        try await Fixture.lend { fixture in
            let ann = try await fixture.addUser()
            let worker = try await fixture.addWorker()
            try await fixture.script("select jobrunner.enqueue('acme', 'ann', 'hub.refresh')")
            let jobs = try await fixture.claim(worker)
            try await fixture.finish(jobs[0].claim, .partial, kind: .yielded)
            #expect(
                try await fixture.job("priority || ' ' || (due_at <= now())", user: ann) == "1 true"
            )
            #expect(try await fixture.claim(worker).map(\.isAsked) == [true])
        }
    }

    /// One that met its deadline goes on behind the others of its tenant.
    @Test(arguments: [("yielded", "1"), ("shutdown", "1"), ("database", "1"), ("deadline", "0")])
    func `a run that we broke off is as asked for as before`(_ kind: String, _ lane: String)
        async throws
    {
        try await Fixture.lend { fixture in
            let ann = try await fixture.addUser()
            let worker = try await fixture.addWorker()
            try await fixture.script("select jobrunner.enqueue('acme', 'ann', 'hub.refresh')")
            let jobs = try await fixture.claim(worker)
            _ = try await fixture.queue.finishRuns([
                FinishedRun(claim: jobs[0].claim, outcome: .partial, errorKind: kind)
            ])
            #expect(try await fixture.job("priority", user: ann) == lane)
        }
    }

    @Test func `a first run keeps to its lane until it is complete, or somebody asks`() async throws
    {
        try await Fixture.lend { fixture in
            _ = try await addUsers(fixture, 3)
            let worker = try await fixture.addWorker()
            let jobs = try await fixture.claim(worker)
            #expect(jobs.map(\.lane) == [.new, .new, .new])
            try await fixture.finish(jobs[0].claim, .partial, kind: .deadline)
            try await fixture.finish(jobs[1].claim)
            try await fixture.finish(jobs[2].claim, .failed, kind: .unavailable)
            func lane(_ job: ClaimedJob) async throws -> String {
                try await fixture.job("priority", user: job.claim.userID)
            }
            #expect(try await lane(jobs[0]) == "-1")
            #expect(try await lane(jobs[1]) == "0")
            #expect(try await lane(jobs[2]) == "-1")
            try await fixture.script(
                "select jobrunner.want_fresh('acme', '\(jobs[0].userKey)', 'hub.refresh')")
            #expect(try await lane(jobs[0]) == "1")
        }
    }
}
