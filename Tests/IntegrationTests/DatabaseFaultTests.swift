import JobFiles
import Postgres
import JobQueue
import Runner
import Testing

/// The database hangs, lies or refuses: no worker wedges, no outcome is thrown away.
@Suite struct DatabaseFaultTests {
    static func yaml(deadline: String = "10m") -> String {
        World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}""#, deadline: deadline)
    }

    let users = (1...6).map { "user\($0)" }

    func addUsers(_ world: World) async throws {
        for user in users { try await world.addUser(user, videos: 55) }
    }

    /// Every job ended complete, holds what the source has, was never blamed, and counted once.
    func expectAllWell(_ world: World) async throws {
        try await eventually("every job is complete") {
            try await world.value(
                """
                select count(*) from jobrunner.jobs
                where last_outcome is distinct from 'complete' or worker_id is not null
                """) == "0"
        }
        for user in users { #expect(try await world.holdsAllItems(of: user), "\(user)") }
        let blamed = try await world.value(
            """
            select count(*) from jobrunner.jobs
            where consecutive_failures + stalled_runs + crashes > 0 or quarantined_at is not null
            """)
        #expect(blamed == "0")
        let failed = try await world.value(
            "select count(*) from jobrunner.runs where outcome not in ('complete', 'partial')")
        #expect(failed == "0")
        #expect(
            try await world.value("select sum((counters).inserted) from jobrunner.runs")
                == (try await world.value("select count(*) from synced.generic_item")))
    }

    /// Ends the sessions of workers, as a failover does.
    private func cutWorkers(_ world: World) async throws {
        try await world.database.administer(
            """
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name = 'jobrunner-worker'
            """)
    }

    @Test func `connections that all fall silent at once hold a worker up for one turn's limit`()
        async throws
    {
        try await withWorld(Self.yaml()) { world in
            try await addUsers(world)
            let relay = try FaultyRelay(
                to: world.database.url, options: "-c statement_timeout=300ms")
            let worker = try await world.start(through: relay.url)
            try await eventually("a page is committed") {
                try await world.value("select count(*) > 0 from synced.generic_item") == "true"
            }
            relay.silencePresent()
            // A turn's limit is 2.3 s, and a run may have more than one on its way.
            try await expectAllWell(world)
            try await world.makeDue()
            try await expectAllWell(world)
            await worker.stop()
        }
    }

    @Test func `a server that is read-only for a while loses no outcome and blames no job`()
        async throws
    {
        try await withWorld(Self.yaml()) { world in
            try await addUsers(world)
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 300, "probability": 0.5, "times": 0}"#)
            let worker = try await world.start()
            try await eventually("a page is committed") {
                try await world.value("select count(*) > 0 from synced.generic_item") == "true"
            }
            let name = world.database.name
            try await world.sql(
                "alter database \"\(name)\" set default_transaction_read_only = on")
            try await cutWorkers(world)
            try await world.lines.wait(for: "25006")
            try await outageLasts(.seconds(1))
            try await world.sql("alter database \"\(name)\" reset default_transaction_read_only")
            try await cutWorkers(world)
            try await expectAllWell(world)
            await worker.stop()
        }
    }

    @Test func `an outcome that a read-only server refuses is written later as it was`()
        async throws
    {
        try await withWorld(Self.yaml()) { world in
            // An empty list commits no page: the outcome is all that is to be written of its run.
            for (place, user) in users.enumerated() {
                try await world.addUser(user, videos: place == 0 ? 55 : 0)
            }
            try await world.drain()
            try await world.source.fault(#"{"kind": "slow", "delay_ms": 1000, "times": 0}"#)
            let asked = try await world.source.asked("token").count
            try await world.makeDue()
            let worker = try await world.start()
            try await world.source.waitFor(asked + users.count, "token")
            let name = world.database.name
            try await world.sql(
                "alter database \"\(name)\" set default_transaction_read_only = on")
            try await cutWorkers(world)
            try await outageLasts(.seconds(3))
            try await world.sql("alter database \"\(name)\" reset default_transaction_read_only")
            try await cutWorkers(world)
            try await eventually("every run has ended") {
                try await world.value(
                    "select count(*) from jobrunner.jobs where worker_id is null and due_at > now()"
                )
                    == "6"
            }
            let well = try await world.value(
                """
                select count(*) from jobrunner.jobs
                where last_outcome = 'complete' and consecutive_failures + stalled_runs + crashes = 0
                """)
            #expect(well == "6")
            #expect(!world.lines.all.contains { $0.contains("outcome refused") })
            await worker.stop()
        }
    }

    /// Pages are refused with this state while a row stands in `full`.
    private func refusePages(_ world: World, _ state: String) async throws {
        for text in [
            "create sequence public.tries", "create table public.full (f int)",
            "insert into public.full values (1)",
            """
            create function public.refuse() returns trigger language plpgsql security definer as $$
            begin
              if exists (select from public.full) then
                -- A sequence keeps what a transaction that fails has taken.
                perform nextval('public.tries');
                raise exception 'no space left on device' using errcode = '\(state)';
              end if;
              return new;
            end $$
            """,
            """
            create trigger refuse before insert on synced.generic_item
            for each row execute function public.refuse()
            """,
        ] {
            try await world.sql(text)
        }
    }

    @Test(arguments: ["53100", "53300", "25006", "58030"])
    func `a page waits for our database, and is fetched once`(state: String) async throws {
        try await withWorld(Self.yaml(), videos: 15) { world in
            try await refusePages(world, state)
            let worker = try await world.start()
            try await world.source.waitFor(1, "token")
            // A fault of the source would have had three tries.
            try await eventually("the page is tried again and again") {
                try await world.value("select last_value > 5 from public.tries") == "true"
            }
            try await world.sql("delete from public.full")
            try await eventually("the run is complete") {
                try await world.outcomes("ann") == ["complete"]
            }
            #expect(try await world.source.asked().count == 1)
            #expect(try await world.holdsAllItems(of: "ann"))
            await worker.stop()
        }
    }

    @Test func `a run that waits for our database to its deadline is partial and blames no job`()
        async throws
    {
        try await withWorld(Self.yaml(deadline: "1s"), videos: 15) { world in
            try await refusePages(world, "53100")
            let worker = try await world.start()
            try await eventually("the run has ended") {
                try await world.outcomes("ann").count == 1
            }
            #expect(try await world.outcomes("ann") == ["partial database"])
            #expect(
                try await world.runs("ann").first?.text("error")?.contains("53100") == true)
            let job = try await world.job("ann")
            #expect(job.int("stalled_runs") == 0 && job.int("consecutive_failures") == 0)
            #expect(
                try await world.value(
                    "select due_at > last_run_at + interval '0.9 s' from jobrunner.jobs") == "true")
            try await world.sql("delete from public.full")
            try await eventually("the next one is complete") {
                try await world.outcomes("ann").last == "complete"
            }
            await worker.stop()
        }
    }

    /// Ending a job's run is refused with this state, under a condition on the new row.
    private func refuseEnds(_ world: World, _ state: String, when condition: String) async throws {
        try await world.sql(
            """
            create function public.refuse_end() returns trigger language plpgsql security definer as
            $$ begin raise exception 'no such end' using errcode = '\(state)'; end $$
            """)
        try await world.sql(
            """
            create trigger refuse_end before update on jobrunner.jobs for each row
            when (old.worker_id is not null and new.worker_id is null and \(condition))
            execute function public.refuse_end()
            """)
    }

    @Test func `an outcome that the database refuses ends its run as failed, with backoff`()
        async throws
    {
        try await withWorld(Self.yaml(), videos: 15) { world in
            try await world.addUser("bob", videos: 15)
            let ann = try await world.userID("ann")
            try await refuseEnds(
                world, "22003", when: "new.user_id = \(ann) and new.last_outcome = 'complete'")
            try await world.drain()
            let job = try await world.job("ann")
            #expect(job.text("last_outcome") == "failed")
            #expect(job.text("last_error_kind") == "malformed")
            #expect(job.text("last_error")?.contains("22003") == true)
            #expect(job.int("consecutive_failures") == 1)
            #expect(
                try await world.value(
                    "select due_at > now() + interval '50 min' from jobrunner.jobs where user_id = $1",
                    .int(ann)) == "true")
            #expect(try await world.outcomes("ann") == ["failed malformed"])
            #expect(try await world.outcomes("bob") == ["complete"])
            // What the page committed stands, and is counted with the run.
            #expect(try await world.runs("ann").first?.int("inserted") == 15)
            #expect(world.lines.all.filter { $0.contains("outcome refused") }.count == 1)
        }
    }

    @Test(arguments: ["XX000", "42883", "55000"])
    func `an outcome that can't be written now waits alone, and is written later`(
        state: String
    ) async throws {
        try await withWorld(Self.yaml()) { world in
            try await addUsers(world)
            let first = try await world.userID(users[0])
            try await refuseEnds(world, state, when: "new.user_id = \(first)")
            let worker = try await world.start()
            for user in users.dropFirst() {
                try await eventually("\(user) is complete") {
                    try await world.outcomes(user) == ["complete"]
                }
            }
            #expect(try await world.job(users[0]).text("state") == "running")
            try await world.sql("drop trigger refuse_end on jobrunner.jobs")
            try await expectAllWell(world)
            #expect(try await world.outcomes(users[0]) == ["complete"])
            await worker.stop()
        }
    }

    @Test(arguments: ["register_worker", "claim_new", "finish_runs"])
    func `a drain whose database refuses everything ends after its patience and says why`(
        verb: String
    ) async throws {
        try await withWorld(Self.yaml(), videos: 15) { world in
            let signature = try await world.value(
                "select oid::regprocedure from pg_proc where proname = $1", .text(verb))
            try await world.sql("alter function \(try #require(signature)) rename to away")
            let worker = try await world.start(drains: true) {
                $0.patience = .seconds(1)
                $0.grace = .milliseconds(100)
            }
            guard case .databaseLost(let error, _) = await worker.ended(within: hangLimit) else {
                Issue.record("it ended as if all were well, or not by itself")
                return
            }
            #expect(error.contains(verb))
            #expect(
                world.lines.all.contains { $0.contains("database lost") } || verb == "finish_runs")
        }
    }

    /// Each claim works, and what its runs must know is refused after a while.
    @Test func `a drain whose runs can't begin ends after its patience and says why`() async throws
    {
        try await withWorld(Self.yaml(), videos: 15) { world in
            try await world.pool.replaceFunction(
                "run_inputs", with: "perform pg_sleep(0.3); raise exception 'no inputs today';")
            let worker = try await world.start(drains: true) {
                $0.patience = .seconds(2)
                $0.grace = .seconds(2)
            }
            guard case .databaseLost(let error, _) = await worker.ended(within: hangLimit) else {
                Issue.record("it ended as if all were well, or not by itself")
                return
            }
            #expect(error.contains("no inputs today"))
            #expect(!world.lines.all.contains { $0.contains("database back") })
            #expect(
                try await world.value(
                    "select count(*) from jobrunner.jobs where worker_id is not null")
                    == "0")
        }
    }

    @Test func `a worker whose database refused everything works when it does not any more`()
        async throws
    {
        try await withWorld(Self.yaml()) { world in
            try await addUsers(world)
            try await world.sql("alter function jobrunner.reattach_worker rename to attend_away")
            let signature = try #require(
                try await world.value(
                    "select oid::regprocedure from pg_proc where proname = 'register_worker'"))
            try await world.sql("alter function \(signature) rename to away")
            let worker = try await world.start()
            try await world.lines.wait(for: "database lost")
            try await world.sql(
                "alter function \(signature.replacing("register_worker", with: "away")) rename to register_worker"
            )
            try await world.sql("alter function jobrunner.attend_away rename to reattach_worker")
            try await expectAllWell(world)
            #expect(world.lines.all.contains { $0.contains("database back") })
            await worker.stop()
        }
    }
}
