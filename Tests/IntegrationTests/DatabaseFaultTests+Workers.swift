import Claiming
import JobFiles
import Postgres
import JobQueue
import Runner
import Testing

// What becomes of a worker, beside its runs.
extension DatabaseFaultTests {
    @Test func `a claim that nobody heard of is given back within a lease, though no slot is free`()
        async throws
    {
        try await withWorld(Self.yaml(deadline: "30m"), videos: 15) { world in
            try await world.source.fault(#"{"kind": "hang", "user": "ann"}"#)
            let worker = try await world.start(concurrency: 1) { $0.lease = .seconds(2) }
            try await world.source.waitFor(1, "token")
            try await world.addUser("bob", videos: 15)
            let number = Int(
                try await world.value(
                    "select worker_id from jobrunner.jobs where state = 'running'")
                    ?? "")
            // The claim of a connection that was cut, buffered on its way.
            let late = try await world.queue.claimJobs(
                worker: try #require(number), limit: 1, names: [world.file.name])
            #expect(late.count == 1)
            try await eventually("bob's claim is given back") {
                try await world.job("bob").text("state") == "waiting"
            }
            // Her run has the only slot still.
            #expect(try await world.job("ann").text("state") == "running")
            try await world.sql("select jobrunner.cancel_jobs('acme', 'ann')")
            try await eventually("her run ends") {
                try await world.outcomes("ann") == ["partial cancelled"]
            }
            #expect(try await world.enqueue("ann") == "due")
            try await eventually("both are complete") {
                let ends = [try await world.outcomes("ann"), try await world.outcomes("bob")]
                return ends == [["partial cancelled", "complete"], ["complete"]]
            }
            await worker.stop()
        }
    }

    @Test func `jobs that were claimed run, though nobody can look for a suspect`() async throws {
        try await withWorld(Self.yaml(deadline: "30m")) { world in
            for number in 1...5 { try await world.addUser("user\(number)", videos: 15) }
            try await world.sql(
                """
                create or replace function jobrunner.claim_suspect(in_worker_id integer, in_names text[])
                returns jobrunner.claimed_job[] language plpgsql as
                $$ begin raise exception 'out of order' using errcode = 'XX000'; end $$
                """)
            let batches = "select last_value from jobrunner.fences"
            let before = Int(try await world.value(batches) ?? "") ?? 0
            let worker = try await world.start()
            try await eventually("all are complete") {
                try await world.value(
                    "select count(*) from jobrunner.jobs where last_outcome = 'complete'") == "5"
            }
            // None was given back and claimed anew.
            #expect(Int(try await world.value(batches) ?? "") ?? 0 <= before + 1000)
            await worker.stop()
        }
    }

    @Test func `a worker that gets no session keeps its jobs while it shows life`()
        async throws
    {
        try await withWorld(Self.yaml(deadline: "30m"), videos: 15) { world in
            try await world.source.fault(#"{"kind": "hang", "user": "ann"}"#)
            let worker = try await world.start()
            // Watches the first.
            let other = try await world.start()
            try await world.source.waitFor(1, "token")
            try await world.sql(
                """
                create function public.no_session(integer) returns boolean language plpgsql as
                $$ begin raise exception 'too many clients already' using errcode = '53300'; end $$
                """)
            try await world.sql("alter function jobrunner.reattach_worker rename to attend_away")
            try await world.sql("alter function public.no_session rename to reattach_worker")
            try await world.sql("alter function public.reattach_worker set schema jobrunner")
            try await world.database.administer(
                """
                select pg_terminate_backend(w.session_pid) from jobrunner.workers as w
                join jobrunner.jobs as j on j.worker_id = w.id
                """)
            // A worker that is taken for dead is given up within two seconds.
            try await outageLasts(.seconds(4))
            try await world.sql("drop function jobrunner.reattach_worker")
            try await world.sql("alter function jobrunner.attend_away rename to reattach_worker")
            #expect(try await world.job("ann").text("state") == "running")
            try await world.sql("select jobrunner.cancel_jobs('acme', 'ann')")
            try await eventually("the run ends") {
                try await world.outcomes("ann") == ["partial cancelled"]
            }
            #expect(try await world.enqueue("ann") == "due")
            try await eventually("the run is complete") {
                try await world.outcomes("ann") == ["partial cancelled", "complete"]
            }
            #expect(
                try await world.value(
                    "select count(*) from jobrunner.workers where ended_at is not null") == "0")
            await worker.stop()
            await other.stop()
        }
    }

    @Test func `a worker is well again when the jobs that could not begin are not due any more`()
        async throws
    {
        try await withWorld(Self.yaml(), videos: 15) { world in
            try await world.pool.replaceFunction(
                "run_inputs", with: "raise exception 'no inputs today';")
            let worker = try await world.start()
            try await world.lines.wait(for: "no inputs today")
            #expect(!world.lines.all.contains { $0.contains("database back") })
            try await world.sql("select jobrunner.take_job('acme', $1)", .text(world.file.name))
            try await world.lines.wait(for: "database back")
            await worker.stop()
        }
    }

    /// The answer walks all that is due.
    @Test func `a drain asks whether others have work in a tenth of its time at most`() async throws
    {
        try await withWorld(Self.yaml()) { world in
            try await world.sql("create table public.asked (at timestamptz)")
            try await world.pool.replaceFunction(
                "has_work",
                with: """
                    insert into public.asked values (clock_timestamp());
                    perform pg_sleep(0.05);
                    return (select count(*) from public.asked) < 4;
                    """)
            try await world.drain()
            let pauses = try await world.sql(
                "select (extract(epoch from at - lag(at) over (order by at)) * 1000)::integer from public.asked offset 1"
            )
            #expect(pauses.count == 3)
            for pause in pauses { #expect(try pause.int(0) >= 490) }
        }
    }

    @Test func `a worker that is told to stop ends though its database hangs`() async throws {
        try await withWorld(Self.yaml()) { world in
            try await addUsers(world)
            let relay = try FaultyRelay(to: world.database.url)
            let worker = try await world.start(through: relay.url) { $0.grace = .milliseconds(300) }
            try await eventually("a page is committed") {
                try await world.value("select count(*) > 0 from synced.generic_item") == "true"
            }
            relay.silenceAll()
            try await eventually("the claim loop and the heartbeat wait") {
                relay.clientsHeldBack >= 2
            }
            await worker.stop()
            relay.speak()
        }
    }

    @Test func `a job runs to the same rows under a role whose defaults are hostile`() async throws
    {
        try await withWorld(Self.yaml()) { world in
            try await addUsers(world)
            for setting in [
                "default_transaction_isolation = 'serializable'", "datestyle = 'German'",
                "intervalstyle = 'sql_standard'", "timezone = 'Asia/Kolkata'",
                "bytea_output = 'escape'", "standard_conforming_strings = off",
                "extra_float_digits = -15", "search_path = nowhere, pg_catalog",
                "statement_timeout = 1", "lock_timeout = 1", "idle_session_timeout = 1",
                "synchronous_commit = off",
            ] {
                try await world.sql(
                    "alter role current_user in database \"\(world.database.name)\" set \(setting)")
            }
            try await world.drain()
            try await expectAllWell(world)
            try await world.sql("select jobrunner.reset_jobs('acme')")
            try await world.runAgain()
            // Every value reads as it was written.
            #expect(
                try await world.value(
                    "select coalesce(sum((counters).updated), 0) from jobrunner.runs")
                    == "0")
        }
    }
}
