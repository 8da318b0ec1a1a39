import JobFiles
import JSON
import Postgres
import Testing

@Suite struct BreakerTests {
    /// Ends the block in the row and makes everything due.
    private func endBlock(_ world: World) async throws {
        try await world.given(.blockOver())
        try await world.makeDue()
    }

    @Test(arguments: [true, false])
    func `one request alone finds out whether a source is back, with a budget or without`(
        hasRate: Bool
    ) async throws {
        let rate = "  rate:\n    per_second: 100000\n    concurrent: 500\n"
        let yaml = World.metube(hasRate ? [] : [(rate, "")])
        try await withWorld(yaml) { world in
            for number in 0..<10 { try await world.addUser("u\(number)", videos: 5) }
            try await world.source.fault(
                #"{"kind": "status", "status": 503, "path": "/health", "times": 0}"#)
            try await world.drain()
            #expect(try await isBlocked(world))
            let asked = try await world.source.asked().count
            try await endBlock(world)
            try await world.drain()
            #expect(try await world.source.asked().count == asked + 1)
            #expect(try await world.value("select failed_openings from jobrunner.sources") == "2")
            // A person who asks by force learns what becomes of it, however long the block lasts.
            try await world.sql(
                "select jobrunner.enqueue('acme', 'u3', $1, in_force => true)",
                .text(world.file.name))
            try await world.drain()
            #expect(try await world.source.asked().count == asked + 2)
            #expect(try await world.job("u3").text("last_error_kind") == "unavailable")
            try await world.source.heal()
            try await world.sql(
                "select jobrunner.enqueue('acme', 'u3', $1, in_force => true)",
                .text(world.file.name))
            try await world.drain()
            #expect(try await world.job("u3").text("last_outcome") == "complete")
            #expect(try await !isBlocked(world))
        }
    }

    private func isBlocked(_ world: World) async throws -> Bool {
        try await world.value("select blocked_until > now() from jobrunner.sources") == "true"
    }

    @Test
    func `ten runs that found the source away open its breaker, a probe that finds it closes it`()
        async throws
    {
        try await withWorld { world in
            for number in 0..<10 { try await world.addUser("u\(number)", videos: 5) }
            try await world.source.fault(
                #"{"kind": "status", "status": 503, "path": "/health", "times": 0}"#)
            try await world.drain()
            #expect(try await isBlocked(world))
            // Open: nobody asks, nothing counts as a failure.
            let asked = try await world.source.asked().count
            try await world.runAgain()
            #expect(try await world.source.asked().count == asked)
            #expect(
                try await world.outcomes("u0") == ["failed unavailable", "deferred breaker_open"])
            #expect(try await world.job("u0").int("consecutive_failures") == 1)
            // Half open: one asks, and finds it away still.
            try await endBlock(world)
            try await world.drain()
            #expect(try await world.source.asked().count == asked + 1)
            #expect(try await isBlocked(world))
            // It is back: one run finds out, and then all go on.
            try await world.source.heal()
            try await endBlock(world)
            try await world.drain()
            #expect(try await !isBlocked(world))
            try await world.runAgain()
            for number in 0..<10 {
                #expect(try await world.job("u\(number)").text("last_outcome") == "complete")
            }
            #expect(
                try await world.value("select consecutive_failures from jobrunner.sources") == "0")
        }
    }
}
