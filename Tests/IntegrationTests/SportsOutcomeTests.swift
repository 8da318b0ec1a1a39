import JSON
import Postgres
import TestSupport
import Testing

@Suite struct SportsOutcomeTests {
    @Test func `ST11 a run whose worker is gone leaves no job that says it runs`() async throws {
        try await withSports { world in
            try await world.hang("Game", 2)
            let worker = try await world.start()
            try await world.waitForQuery("Game", 2)
            #expect(try await world.job("*").text("state") == "running")
            try await world.giveUpWorkers()
            let job = try await world.job("*")
            #expect(job.text("state") == "waiting")
            #expect(job.isNull("worker_id") && job.isNull("started_at"))
            #expect(try await world.outcomes("*") == ["partial crashed"])
            await worker.stop()
            try await world.drain()
            #expect(try await world.job("*").text("last_outcome") == "complete")
            #expect(try await world.differences() == [])
        }
    }

    @Test func `ST12 a run that was stopped before it changed anything is partial and unchanged`()
        async throws
    {
        try await withSports { world in
            try await world.drain()
            try await world.makeDue()
            try await world.cut("Game")
            let run = try #require(try await world.runs("*").last)
            #expect(run.text("outcome") == "partial" && run.text("error_kind") == "shutdown")
            for count in ["inserted", "updated", "deleted", "swept"] {
                #expect(run.int(count) == 0)
            }
            #expect(run.int("fetched") ?? 0 > 0)
            #expect(
                world.lines.all.contains {
                    $0.contains("outcome=partial") && $0.contains("error_kind=shutdown")
                })
        }
    }

    @Test func `ST35 a run that finds nothing new is a success`() async throws {
        try await withSports("\"records\": 30", app: .sportstimeHourly) { world in
            try await world.drain()
            try await world.sql(
                "update jobrunner.jobs set last_success_at = now() - interval '1 day'")
            try await world.runAgain()
            let job = try await world.job("*")
            #expect(job.text("last_outcome") == "complete")
            #expect(job.int("consecutive_failures") == 0)
            #expect(
                try await world.value(
                    "select last_success_at > now() - interval '1 hour' from jobrunner.jobs")
                    == "true")
        }
    }

    @Test func `ST13 a run tells its counts by entity, its time, and why it ended`() async throws {
        try await withSports("\"records\": 450, \"broken\": 2") { world in
            try await world.cut("Game", 3)
            let run = try #require(try await world.runs("*").first)
            let entities = try #require(run["entities"])
            #expect(entities["stadium"]?.int("inserted") == 150)
            #expect(entities["stadium"]?.int("skipped_incompatible") == 2)
            #expect(entities["team"]?.int("inserted") == 180)
            #expect(entities["game"]?.int("inserted") == 400)
            #expect(entities["game"]?.int("pages") == 2)
            #expect(entities["sport"] == nil)
            #expect(run.int("skipped_older") == 0)
            #expect(run.text("started_at") ?? "~" < run.text("ended_at") ?? "")
            #expect(run.text("error_kind") == "shutdown")
            let sum = try await world.value(
                """
                select (counters).fetched = (counters).inserted + (counters).updated + (counters).unchanged + (counters).skipped_older
                  + (counters).skipped_incompatible + (counters).filtered + (counters).duplicate + (counters).deleted
                from jobrunner.runs
                """)
            #expect(sum == "true")
        }
    }

    @Test func `ST14 an empty run is one that changed nothing and was not stopped`() async throws {
        try await withSports { world in
            try await world.drain()
            #expect(try await world.outcomes("*") == ["complete"])
            try await world.runAgain()
            // It leaves no row; its job says when it ran.
            #expect(try await world.outcomes("*") == ["complete"])
            #expect(
                try await world.value(
                    "select last_success_at > (select max(ended_at) from jobrunner.runs) from jobrunner.jobs"
                ) == "true")
            try await world.makeDue()
            try await world.cut("Game")
            #expect(try await world.outcomes("*") == ["complete", "partial shutdown"])
        }
    }

    @Test func `ST18 a success clears the failures and says when it was`() async throws {
        try await withSports { world in
            try await world.source.fault(
                #"{"kind": "cloudkit_error", "code": "INTERNAL_ERROR", "record_type": "Game", "times": 0}"#
            )
            try await world.drain()
            try await world.runAgain()
            #expect(try await world.job("*").int("consecutive_failures") == 2)
            #expect(try await world.checkpoint(of: "game").int("consecutive_failures") == 2)
            try await world.source.heal()
            try await world.runAgain()
            let job = try await world.job("*")
            #expect(job.int("consecutive_failures") == 0)
            #expect(job.isNull("last_error") && job.isNull("last_error_kind"))
            #expect(!job.isNull("last_success_at"))
            let game = try await world.checkpoint(of: "game")
            #expect(game.int("consecutive_failures") == 0 && game.isNull("last_error"))
        }
    }

    @Test func `ST19 a failure is counted and told, and what was done stays done`() async throws {
        try await withSports { world in
            try await world.source.fault(
                #"{"kind": "cloudkit_error", "code": "INTERNAL_ERROR", "reason": "out of order", "record_type": "Game", "times": 0}"#
            )
            try await world.drain()
            let job = try await world.job("*")
            #expect(job.text("last_outcome") == "failed")
            #expect(job.int("consecutive_failures") == 1)
            #expect(job.text("last_error")?.contains("INTERNAL_ERROR") == true)
            // An hour here; its next tick would be sooner, and now sooner still.
            #expect(
                try await world.value(
                    "select due_at - last_run_at = interval '1 hour' from jobrunner.jobs") == "true"
            )
            #expect(try await world.checkpoint(of: "game").int("consecutive_failures") == 1)
            #expect(try await world.count("st_stadium_alias") == 50)
            try await world.source.heal()
            let asked = try await world.queries().count
            try await world.runAgain()
            #expect(
                try await world.queries(from: asked).map(\.type)
                    == ["Game", "Game", "Game", "Sport"])
            #expect(try await world.differences() == [])
        }
    }

    @Test func `ST20 a start while it runs is no failure and no second run at once`() async throws {
        try await withSports("\"records\": 30") { world in
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 300, "record_type": "Game", "nth": 1}"#)
            let worker = try await world.start()
            try await world.waitForQuery("Game")
            try await world.sql("update jobrunner.jobs set next_due_at = now()")
            #expect(try await world.enqueue("*") == "follows_running")
            #expect(try await world.queries("Stadium").count == 1)
            try await eventually("one more run follows") {
                try await world.queries("Sport").count == 2
            }
            try await eventually("it ends") {
                try await world.job("*").text("state") == "waiting"
            }
            await worker.stop()
            #expect(try await world.job("*").int("consecutive_failures") == 0)
            #expect(try await world.queries().map(\.type) == SportsType.order + SportsType.order)
        }
    }

    @Test(arguments: [
        ("a wait that is longer than the run", "deferred"), ("no key", "needs_reauth"),
    ]) func `ST20 a CloudKit that is not to be had is no failure`(
        _ reason: String, _ outcome: String
    ) async throws {
        try await withSports("\"records\": 30") { world in
            if outcome == "deferred" {
                try await world.source.fault(
                    #"{"kind": "throttle", "retry_after": 900, "record_type": "Team"}"#)
            } else {
                try await world.sql("delete from jobrunner.secrets")
            }
            try await world.drain()
            let job = try await world.job("*")
            #expect(job.text("last_outcome") == outcome)
            #expect(job.int("consecutive_failures") == 0)
            #expect(job.isNull("last_success_at"))
        }
    }

    @Test(arguments: ["503", "no connection"])
    func `ST20 a CloudKit that is away for all counts against nobody once its breaker is open`(
        _ how: String
    ) async throws {
        try await withSports("\"records\": 30") { world in
            let move = "select jobrunner.set_source('acme', 'ck-sportstime', $1)"
            if how == "503" {
                try await world.source.fault(#"{"kind": "status", "status": 503, "times": 0}"#)
            } else {
                try await world.sql(move, .text("http://127.0.0.1:1"))
            }
            for failures in 1...10 {
                try await world.runAgain()
                #expect(try await world.job("*").int("consecutive_failures") == failures)
                #expect(try await world.job("*").text("last_error_kind") == "unavailable")
            }
            let asked = try await world.queries().count
            #expect((asked > 0) == (how == "503"))
            // Nobody is asked now, and the wait is the breaker's, not the failures'.
            try await world.runAgain()
            let job = try await world.job("*")
            #expect(job.text("last_outcome") == "deferred")
            #expect(job.text("last_error_kind") == "breaker_open")
            #expect(job.int("consecutive_failures") == 10)
            #expect(try await world.queries().count == asked)
            #expect(
                try await world.value(
                    """
                    select j.deferred_until = j.due_at
                      and j.due_at between now() and s.blocked_until + interval '1 second'
                    from jobrunner.jobs as j, jobrunner.sources as s
                    """) == "true")
            // It is back: the first run that is let through finds out.
            try await world.source.heal()
            try await world.sql(move, .text(world.source.base))
            try await world.sql("update jobrunner.sources set blocked_until = now()")
            try await world.runAgain()
            #expect(try await world.unfinished() == [])
            #expect(try await world.job("*").int("consecutive_failures") == 0)
            #expect(try await world.differences() == [])
        }
    }

    @Test func `ST21 the next start is set before the work begins`() async throws {
        try await withSports("\"records\": 30") { world in
            try await world.hang("Stadium")
            let worker = try await world.start()
            try await world.waitForQuery("Stadium")
            #expect(
                try await world.value(
                    "select next_due_at > now() and worker_id is not null from jobrunner.jobs")
                    == "true"
            )
            try await world.giveUpWorkers()
            #expect(try await world.value("select due_at <= now() from jobrunner.jobs") == "true")
            await worker.stop()
        }
    }

    @Test func `ST22 a deadline saves what there is and the next run begins at the page`()
        async throws
    {
        try await withSports(changes: [("deadline: 5m", "deadline: 8s")]) { world in
            try await world.source.fault(
                #"{"kind": "drip", "bytes": 1, "every_ms": 50, "record_type": "Game", "nth": 3}"#)
            try await world.drain()
            #expect(try await world.outcomes("*") == ["partial deadline", "complete"])
            let run = try #require(try await world.runs("*").first)
            #expect(run.int("pages") == 7 && run.int("inserted") == 880)
            let pages = try await world.queries("Game")
            try #require(pages.count == 4)
            #expect(pages[3].token == pages[2].token && pages[2].token != nil)
            #expect(try await world.job("*").int("consecutive_failures") == 0)
            #expect(try await world.differences() == [])
        }
    }

    @Test func `ST27 readers are told once of each run that changed something`() async throws {
        try await withSports { world in
            let listener = Listener(
                try world.database.configuration(), channels: ["jobrunner_changed"])
            defer { listener.close() }
            var events = listener.events.makeAsyncIterator()
            #expect(await events.next() == .listening)
            try await world.cut("Game", 2)
            try await world.drain()
            try await world.runAgain()
            try await world.makeDue()
            try await world.cut("Game")
            try await world.sql("select pg_notify('jobrunner_changed', 'no more')")
            var told: [String] = []
            while case .notification(_, let payload)? = await events.next(), payload != "no more" {
                let node = try JSONDocument(parsing: Array(payload.utf8)).root
                told.append(
                    "\(node.text("tenant") ?? "") \(node.text("user") ?? "") \(node.text("job") ?? "") "
                        + "\(node.int("inserted") ?? -1)")
            }
            #expect(
                told == ["acme * sportstime.processing 680", "acme * sportstime.processing 257"])
        }
    }
}
