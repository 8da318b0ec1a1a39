import JSON
import Postgres
import TestSupport
import Testing

@Suite struct SportsOutcomeTests {
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

    @Test(arguments: ["503", "no connection"])
    func `ST20 a CloudKit that is away for all counts against nobody once its breaker is open`(
        _ how: String
    ) async throws {
        try await withSports("\"records\": 30") { world in
            let move = "select jobrunner.set_source('acme', 'ck-sportstime', $1)"
            if how == "503" {
                try await world.source.fault(#"{"kind": "status", "status": 503, "times": 0}"#)
            } else {
                let origins = [world.source.base, "http://127.0.0.1:1"]
                let key = try TestKey.shared.get().privatePEM
                try await world.store("key-1", as: "ck_key_id", of: nil, origins: origins)
                try await world.store(key, as: "ck_private_key", of: nil, origins: origins)
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
            try await world.given(.blockOver())
            try await world.runAgain()
            #expect(try await world.unfinished() == [])
            #expect(try await world.job("*").int("consecutive_failures") == 0)
            try await world.compareSports()
        }
    }
}
