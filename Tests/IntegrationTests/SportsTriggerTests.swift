import JSON
import Postgres
import Testing
import TestSupport

@Suite struct SportsTriggerTests {
    /// As if nothing were due for long: the job's own tick is an hour away.
    private func idle(_ world: World) async throws {
        try await world.drain()
        try await world.sql("update jobrunner.jobs set due_at = now() + interval '1 hour'")
    }

    private func dueIn(_ world: World) async throws -> Double {
        Double(
            try await world.value("select extract(epoch from due_at - now()) from jobrunner.jobs")
                ?? "") ?? .nan
    }

    @Test func `ST24 only a network that was lost can be restored`() async throws {
        try await withSports("\"records\": 30", app: .sportstimeHourly) { world in
            try await idle(world)
            #expect(try await world.happens("network_restored") == ["not_armed"])
            #expect(try await dueIn(world) > 3000)
            #expect(try await world.happens("network_lost") == ["armed"])
            #expect(try await dueIn(world) > 3000)
            #expect(try await world.happens("network_restored") == ["due"])
            #expect(try await dueIn(world) < 3)
            // It is on line now: the same again is no edge.
            #expect(try await world.happens("network_restored") == ["not_armed"])
            #expect(try await world.happens("rain") == [])
        }
    }

    @Test func `ST25 a network that flaps makes one run, and one that is lost again none`()
        async throws
    {
        try await withSports("\"records\": 30", app: .sportstimeHourly) { world in
            try await idle(world)
            let asked = try await world.queries().count
            for _ in 1...5 {
                try await world.happens("network_lost")
                try await world.happens("network_restored")
                let wait = try await dueIn(world)
                #expect(wait > 1 && wait <= 2.5, "\(wait) s")
            }
            #expect(try await world.happens("network_lost") == ["called_off"])
            #expect(try await dueIn(world) > 3000)
            try await world.drain()
            #expect(try await world.queries().count == asked)
            try await world.happens("network_restored")
            // The debounce is over: moved in rows.
            try await world.sql("update jobrunner.jobs set due_at = now()")
            try await world.drain()
            #expect(try await world.queries().count == asked + 7)
            #expect(try await dueIn(world) > 0)
        }
    }

    @Test func `ST26 a triggered run is the only one and has a deadline`() async throws {
        try await withSports(
            "\"records\": 30", app: .sportstimeHourly, changes: [("deadline: 25s", "deadline: 2s")]
        ) {
            world in
            try await idle(world)
            try await world.happens("network_lost")
            try await world.happens("network_restored")
            try await world.sql("update jobrunner.jobs set due_at = now()")
            try await world.hang("Team")
            let asked = try await world.queries().count
            let worker = try await world.start()
            try await world.waitForQuery("Team", 2)
            #expect(
                try await world.value("select deadline_at - started_at from jobrunner.jobs")
                    == "00:00:02")
            try await world.happens("network_lost")
            #expect(try await world.happens("network_restored") == ["follows_running"])
            #expect(try await world.queries().count == asked + 3)
            try await eventually("its deadline ends it") {
                try await world.outcomes("*").contains("partial deadline")
            }
            try await eventually("the next one is complete") {
                try await world.job("*").text("last_outcome") == "complete"
            }
            await worker.stop()
            #expect(try await world.job("*").int("consecutive_failures") == 0)
        }
    }
}
