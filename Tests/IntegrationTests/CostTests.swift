import Claiming
import Asking
import HTTP
import JobFiles
import JSON
import Postgres
import JobQueue
import Runner
import Sync
import Telemetry
import Testing

/// What runs ask of the database: the idle run is the product's main cost.
@Suite struct CostTests {
    @Test func `a claim of a hundred jobs is two statements, their opening and outcomes one each`()
        async throws
    {
        try await withWorld { world in
            try await world.source.command(
                "POST", "users", #"{"prefix": "b", "first": 1, "count": 100, "registered": true}"#)
            try await addMany(100, world)
            let worker = try await world.queue.registerWorker(
                host: "test", pid: 1, version: "test", capacity: 200)
            func cost(_ body: () async throws -> Void) async throws -> [Int] {
                let before = world.pool.counts
                try await body()
                let after = world.pool.counts
                return [after.statements - before.statements, after.roundTrips - before.roundTrips]
            }
            var jobs: [ClaimedJob] = []
            // A worker's first look is at all that is due; and the first use of a statement on a session is prepared in a turn
            // of its own.
            let claimer = Claimer(world.queue, files: [world.file.name: .all], capacity: 100)
            try await world.given(.notDue())
            for _ in 1...3 { _ = try await claimer.claim(worker: worker, slots: 100) }
            try await world.makeDue()
            let claim = try await cost {
                jobs = try await claimer.claim(worker: worker, slots: 100)
            }
            #expect(jobs.count == 100 && claim[0] == 2)
            let open = try await cost {
                _ = try await world.queue.preloadRuns(
                    users: jobs.map(\.claim.userID),
                    lists: [ListColumn(table: "hub_channel", column: "channel_id")],
                    tables: ["hub_video"],
                    sources: [
                        BudgetRequest(
                            tenantID: jobs[0].tenantID, source: "metube-hub", requests: 400)
                    ])
            }
            #expect(open[0] == 1)
            let finish = try await cost {
                let verdicts = try await world.queue.finishRuns(
                    jobs.map { FinishedRun(claim: $0.claim, outcome: .complete) })
                #expect(verdicts.isEmpty)
            }
            #expect(finish[0] == 1)
        }
    }

    private func addMany(_ count: Int, _ world: World) async throws {
        try await world.sql(
            """
            select jobrunner.add_user('acme', 'b' || lpad(n::text, 6, '0'),
              jsonb_build_object('hub_user_id', 'b' || lpad(n::text, 6, '0')))
            from generate_series(1, $1) as n
            """, .int(count))
    }

    /// Runs a worker until nothing is due, with a slot for each job; no chore but the first comes, however long it takes.
    private func drain(_ world: World) async throws {
        let worker = try await world.start(concurrency: 100, drains: true) {
            $0.supervision = .seconds(3600)
            $0.maintenance = .seconds(3600)
            $0.lease = .seconds(36_000)
        }
        await worker.ended()
    }

    /// How often each verb of the schema was called meanwhile.
    private func statements(
        of world: World, _ body: () async throws -> Void
    ) async throws -> [String: Int] {
        try await world.database.administer(
            """
            create extension if not exists pg_stat_statements;
            alter database "\(world.database.name)" set pg_stat_statements.track = top;
            """)
        let this = "(select oid from pg_database where datname = current_database())"
        try await world.database.administer("select pg_stat_statements_reset(0, \(this), 0)")
        try await body()
        // Statements of a worker's login are hidden from the owner's.
        let text = try await world.database.administratorText(
            """
            select coalesce(json_agg(q), '[]')::text from (
              select substring(query from 'jobrunner\\.([a-z_]+)\\(') as verb, calls
              from pg_stat_statements where dbid = \(this) and query ~ 'jobrunner\\.[a-z_]+\\('
            ) as q
            """)
        let rows = try JSONDocument(parsing: Array((text ?? "").utf8)).root.elements
        return Dictionary(
            rows.map { ($0.text("verb") ?? "", $0.int("calls") ?? 0) }, uniquingKeysWith: +)
    }

    @Test func `an idle run writes no run, no record, and shares its statements with its batch`()
        async throws
    {
        try await withWorld { world in
            try await world.source.command(
                "POST", "users",
                #"{"prefix": "b", "first": 1, "count": 50, "videos_min": 3, "videos_max": 3, "registered": true}"#
            )
            try await addMany(50, world)
            try await drain(world)
            #expect(
                try await world.value(
                    "select count(*) from jobrunner.jobs where last_outcome = 'complete'") == "50")
            let runs = try await world.value("select count(*) from jobrunner.runs")
            let rows = try await world.rows(
                "select video_id, xmin::text, ctid::text from synced.hub_video order by 1")
            // What a worker asks of an empty queue is no run's. How often it asks depends on how long the runs take.
            let empty = try await statements(of: world) { try await drain(world) }
            let idle = try await statements(of: world) {
                try await world.makeDue()
                try await drain(world)
            }
            #expect(try await world.value("select count(*) from jobrunner.runs") == runs)
            let after = try await world.rows(
                "select video_id, xmin::text, ctid::text from synced.hub_video order by 1")
            #expect(after.map(\.rawText) == rows.map(\.rawText) && !rows.isEmpty)
            #expect(try await world.source.asked("feed").count == 100)
            // Outcomes further apart than a few milliseconds go in several batches: CompleterTests holds what shares one.
            // A worker's chores come by the clock, some of them after the end of a drain that has nothing to do.
            let chores: Set = [
                "maintain_runs", "reconcile_jobs", "slow_jobs", "lift_quarantines", "reap_jobs",
                "store_slot_use", "stop_requests", "heartbeat_worker", "activate_limits",
                "news_for_workers", "forget_ended_claims", "begin_health_checks", "claim_suspect",
                "look_due", "count_waiting", "count_freshness", "other_files", "note_history",
            ]
            let own = idle.filter {
                empty[$0.key] == nil && !chores.contains($0.key) && $0.key != "finish_idle_runs"
            }
            #expect(own == ["run_inputs": 1, "preload_runs": 1])
            #expect(idle["finish_idle_runs"] ?? 0 > 0)
        }
    }

    @Test func `what a worker has run and asked stands in the history once, by the worker's login`()
        async throws
    {
        try await withWorld { world in
            try await world.source.command(
                "POST", "users",
                #"{"prefix": "b", "first": 1, "count": 20, "videos_min": 3, "videos_max": 3, "registered": true}"#
            )
            try await addMany(20, world)
            try await drain(world)
            try await world.makeDue()
            try await drain(world)
            #expect(
                try await world.value(
                    "select sum(value) from jobrunner.history where measure = 'runs' and detail = 'complete'"
                )
                    == "40")
            let asked = try await world.value(
                "select sum(value) from jobrunner.history where measure = 'requests'")
            #expect(Int(asked ?? "") ?? 0 >= 40)
            #expect(
                try await world.value(
                    "select count(distinct subject) from jobrunner.history where measure = 'request_seconds' and value > 0"
                )
                    == "1")
        }
    }

    @Test func `a page is committed in exactly one network turn of four statements`() async throws {
        try await withWorld { world in
            let pool = Database(try world.database.configuration())
            let queue = Queue(pool)
            let worker = try await queue.registerWorker(
                host: "test", pid: 1, version: "test", capacity: 1)
            // The first run prepares the statements on the pool's only session.
            _ = try await cost(of: "warm", videos: 100, worker, queue, world)
            let ten = try await cost(of: "ten", videos: 1000, worker, queue, world)
            // One turn loads the list that is registered, and one of four statements marks its items as sent. The first page also
            // remembers two calls. The first and the last page note that some lengths could not be read.
            #expect(ten.roundTrips == 10 + 2)
            #expect(ten.statements == 10 * 4 + 1 + 4 + 2 + 2)
            await pool.close()
        }
    }

    /// What one run of a new user costs between its opening and its outcome.
    private func cost(
        of user: String, videos: Int, _ worker: Int, _ queue: Queue, _ world: World
    ) async throws -> Counts {
        try await world.addUser(user, videos: videos)
        var file = world.file
        file.source.rate = nil
        let job = try #require(
            try await queue.claimJobs(worker: worker, limit: 1, names: [file.name]).first)
        let opened = try await queue.preloadRuns(
            users: [job.claim.userID], lists: file.listColumns, tables: file.emptinessTables,
            sources: [BudgetRequest(tenantID: job.tenantID, source: file.source.id, requests: 1)])
        let sync = Syncer(
            Services(
                queue: queue, client: HTTPClient(userAgent: "test"), budgets: Budgets(queue),
                keys: nil, log: Log(sink: world.lines.sink)))
        let before = queue.database.counts
        let finished = await sync.run(
            RunInputs(job: job, file: file, opened: opened, claimedAt: .now), RunControl())
        let after = queue.database.counts
        let run = try #require(finished)
        #expect(run.outcome == .complete)
        _ = try await queue.finishRuns([run])
        return Counts(
            statements: after.statements - before.statements,
            roundTrips: after.roundTrips - before.roundTrips,
            connects: after.connects - before.connects)
    }
}
