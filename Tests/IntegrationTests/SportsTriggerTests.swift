import JSON
import Postgres
import Testing
import TestSupport

@Suite struct SportsTriggerTests {
    /// As if nothing were due for long: the job's own tick is an hour away.
    private func idle(_ world: World) async throws {
        try await world.drain()
        try await world.given(.notDue())
    }

    private func dueIn(_ world: World) async throws -> Double {
        Double(
            try await world.value("select extract(epoch from due_at - now()) from jobrunner.jobs")
                ?? "") ?? .nan
    }

    @Test
    func `ST24 ST25 ST26 a network that flaps makes one run, and one that is lost again none`()
        async throws
    {
        try await withSports("\"records\": 30", app: .sportstimeHourly) { world in
            try await idle(world)
            // Only what was lost can be restored.
            #expect(try await world.happens("network_restored") == ["not_armed"])
            #expect(try await world.happens("rain") == [])
            let asked = try await world.queries().count
            for _ in 1...5 {
                #expect(try await world.happens("network_lost") != [])
                #expect(try await dueIn(world) > 3000)
                #expect(try await world.happens("network_restored") == ["due"])
                let wait = try await dueIn(world)
                #expect(wait > 1 && wait <= 2.5, "\(wait) s")
            }
            #expect(try await world.happens("network_lost") == ["called_off"])
            #expect(try await dueIn(world) > 3000)
            try await world.drain()
            #expect(try await world.queries().count == asked)
            try await world.happens("network_restored")
            // The debounce is over: moved in rows.
            try await world.given(.due())
            try await world.drain()
            #expect(try await world.queries().count == asked + 7)
            #expect(try await dueIn(world) > 0)
        }
    }
}
