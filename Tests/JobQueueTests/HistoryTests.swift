import Postgres
import JobQueue
import Testing

@Suite("History and views")
struct HistoryTests {
    private let partitions = """
        select count(*) from pg_inherits where inhparent = 'jobrunner.runs'::regclass
          and inhrelid::regclass::text ~ '^jobrunner.runs_[0-9]{8}$'
        """

    @Test func `partitions of runs are made a week ahead, and rows that came first move in`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            #expect(try await fixture.int(partitions) == 8)
            let worker = try await fixture.addWorker()
            let user = try await fixture.addUser()
            let today = try await fixture.text(
                "select 'jobrunner.runs_' || to_char(now() at time zone 'UTC', 'YYYYMMDD')")
            try await fixture.script("drop table \(today)")
            try await fixture.finish(
                try await fixture.run(worker, user: user), .failed, kind: .rejected, error: "no")
            #expect(
                try await fixture.texts("select tableoid::regclass::text from jobrunner.runs") == [
                    "jobrunner.runs_other"
                ])
            // One a call while rows wait for theirs: each is moved under a lock.
            #expect(try await fixture.queue.maintainRuns(keep: .seconds(30 * 86_400)) == false)
            #expect(try await fixture.queue.maintainRuns(keep: .seconds(30 * 86_400)))
            #expect(
                try await fixture.texts("select tableoid::regclass::text from jobrunner.runs") == [
                    today
                ])
            #expect(try await fixture.int("select count(*) from \(today)") == 1)
            #expect(try await fixture.int(partitions) == 8)
            #expect(
                try await fixture.text(
                    "select count(*)::text from pg_index where indrelid = '\(today)'::regclass")
                    == "6")
        }
    }

    @Test
    func `rows of past days leave runs_other for days of their own, and the oldest are deleted`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            try await fixture.addUser()
            for day in [2, 3, 40] {
                try await fixture.given(.runs(day...day, ago: "\(day) days"))
            }
            var calls = 0
            while try await !fixture.queue.maintainRuns(keep: .seconds(30 * 86_400)), calls < 10 {
                calls += 1
            }
            #expect(try await fixture.int("select count(*) from jobrunner.runs_other") == 0)
            #expect(
                try await fixture.texts(
                    """
                    select id || ' ' || (tableoid::regclass::text
                      = 'jobrunner.runs_' || to_char(ended_at at time zone 'UTC', 'YYYYMMDD'))
                    from jobrunner.runs order by id
                    """) == ["2 true", "3 true"])
            #expect(try await fixture.int(partitions) == 10)
        }
    }

    @Test
    func `partitions wholly older than retention are dropped, and workers that ended as long ago`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            try await fixture.script(
                """
                do $$ declare v_day date := (now() at time zone 'UTC')::date - 30; begin
                  for i in 0..2 loop
                    execute format('create table jobrunner.runs_%s partition of jobrunner.runs for values from (%L) to (%L)',
                      to_char(v_day - i, 'YYYYMMDD'), (v_day - i) || ' 00:00+00', (v_day - i + 1) || ' 00:00+00');
                  end loop;
                end $$;
                select jobrunner.register_worker('old', 1, '0', 1);
                \(Given.ended("stopped", ago: "31 days", cleared: true))
                select jobrunner.register_worker('new', 1, '0', 1);
                \(Given.ended("stopped", cleared: true))
                """)
            #expect(try await fixture.int(partitions) == 11)
            #expect(
                try await fixture.text(
                    "select created || ' ' || dropped from jobrunner.maintain_runs('30 days')")
                    == "0 2")
            #expect(try await fixture.int(partitions) == 9)
            #expect(try await fixture.texts("select host from jobrunner.workers") == ["new"])
        }
    }

    /// A partition that has to be made, and one that has to go.
    private func addChores(_ fixture: Fixture) async throws {
        try await fixture.script(
            """
            do $$
            declare
              v_last text := 'runs_' || to_char((now() at time zone 'UTC')::date + 7, 'YYYYMMDD');
            begin
              execute format('drop table jobrunner.%I', v_last);
              create table jobrunner.runs_20200101 partition of jobrunner.runs
                for values from ('2020-01-01 00:00+00') to ('2020-01-02 00:00+00');
            end
            $$
            """)
    }

    @Test func `a long reader of history postpones its partitions, and holds up no outcome`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            let run = try await fixture.run(worker, user: user)
            try await addChores(fixture)
            try await fixture.during("select count(*) from jobrunner.runs") {
                async let isDone = fixture.queue.maintainRuns(keep: .seconds(30 * 86_400))
                // It would wait behind one who waits for the reader.
                try await fixture.finish(run, .failed, kind: .rejected, error: "no")
                let wasDone = try await isDone
                #expect(!wasDone)
            }
            #expect(try await fixture.int("select count(*) from jobrunner.runs") == 1)
            #expect(try await fixture.queue.maintainRuns(keep: .seconds(30 * 86_400)))
            #expect(try await fixture.int(partitions) == 8)
        }
    }

    /// What a call made, dropped and postponed.
    private func maintain(_ fixture: Fixture) async throws -> String {
        try await fixture.text(
            "select created || ' ' || dropped || ' ' || postponed from jobrunner.maintain_runs()")
    }

    @Test func `a partition that can't be dropped yet keeps no other from being made`() async throws
    {
        try await Fixture.lend { fixture async throws in
            try await addChores(fixture)
            let first = try await fixture.during("select count(*) from jobrunner.runs_20200101") {
                try await maintain(fixture)
            }
            #expect(first == "1 0 true")
            #expect(try await maintain(fixture) == "0 1 false")
        }
    }

    @Test func `while one keeps history's partitions, another does nothing and waits for nothing`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            try await addChores(fixture)
            let other = try await fixture.during("select jobrunner.maintain_runs()") {
                try await maintain(fixture)
            }
            #expect(other == "0 0 false")
            #expect(try await fixture.int(partitions) == 8)
        }
    }

    @Test func `explain says in one sentence why a job is or is not running`() async throws {
        try await Fixture.lend { fixture async throws in
            let user = try await fixture.addUser()
            func sentence() async throws -> String {
                try await fixture.text("select jobrunner.explain_job('acme', 'ann', 'hub.refresh')")
            }
            func expect(_ part: String, after change: String = "") async throws {
                if !change.isEmpty { try await fixture.script(change) }
                let found = try await sentence()
                #expect(
                    found.contains(part) && found.hasPrefix("It ") && found.hasSuffix("."),
                    "\(found)")
            }
            try await expect("no worker is alive")
            let worker = try await fixture.addWorker()
            try await expect("waits for a slot behind 0 jobs of its tenant; one worker is alive")
            let claim = try await fixture.claim(worker)[0].claim
            try await expect(
                "running as run \(claim.fence) on worker \(worker) since 20 min ago, and yields in 10 min",
                after: "\(Given.running(since: "20 min", yielding: "10 min"))"
            )
            try await expect(
                "one more run follows",
                after: "select jobrunner.enqueue('acme', 'ann', 'hub.refresh')")
            try await expect("asked to stop", after: "select jobrunner.cancel_jobs('acme')")
            try await fixture.finish(claim)
            try await fixture.finish(try await fixture.run(worker, user: user))
            try await expect(
                "; the last run was complete 20 min ago",
                after: "\(Given.succeeded(ago: "20 min"))")
            try await fixture.finish(
                try await fixture.run(worker, user: user), .failed, kind: .rejected,
                error: "no such feed")
            try await expect("backing off after a failure: no such feed")
            try await fixture.finish(
                try await fixture.run(worker, user: user), .failed, kind: .rejected,
                error: "no such feed")
            try await expect("backing off after 2 failures in a row: no such feed")
            try await fixture.finish(
                try await fixture.run(worker, user: user), .deferred, kind: .rateLimited,
                wait: .seconds(600))
            try await expect("due in 10 min: the source asked for patience")
            try await fixture.finish(
                try await fixture.run(worker, user: user), .needsReauth, kind: .unauthorised)
            try await expect("a new secret wakes it, and so does `jobrunner retry`")
            try await expect(
                "set aside for 10 min more: its worker died",
                after: "\(Given.parked(for: "10 min", because: "its worker died"))")
            try await expect(
                "it has been paused",
                after: "select jobrunner.pause_jobs('acme', 'ann', 'hub.refresh')")
            try await fixture.script("select jobrunner.resume_jobs('acme', 'ann', 'hub.refresh')")
            try await expect(
                "its user has been paused", after: "select jobrunner.pause_jobs('acme', 'ann')")
            try await expect(
                "tenant 'acme' has been paused", after: "select jobrunner.pause_jobs('acme')")
            try await fixture.script(
                "select jobrunner.resume_jobs('acme'); select jobrunner.resume_jobs('acme', 'ann'); select jobrunner.retry_jobs('acme')"
            )
            try await expect(
                "the breaker of its source hub is open for 10 min: ten failures",
                after: "\(Given.blocked(for: "10 min", because: "ten failures"))")
            try await fixture.script(
                "select jobrunner.set_tenant('acme', in_max_running => 1); select jobrunner.add_user('acme', 'bob')"
            )
            try await fixture.given(.notDue(.user(user)))
            #expect(try await fixture.claim(worker).count == 1)
            try await expect(
                "runs its most of 1 jobs already",
                after: "\(Given.due(.user(user), for: "1 s"))")
        }
    }
}
