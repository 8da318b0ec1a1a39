import JSON
import Postgres
import Testing

/// A position that the source has given and then refuses.
@Suite struct LostPositionTests {
    private static let yaml = World.generic(
        "token", page: "style: token, token_at: next_token, size: 20",
        query: #"cursor: "{page.token}""#)

    /// ann's pass stands behind its second page, and every request for what follows is refused.
    private func refuse(_ world: World, times: Int) async throws {
        try await world.addUser("ann", videos: 95)
        try await world.source.fault(
            #"{"kind": "status", "status": 400, "user": "ann", "nth": 3, "times": \#(times)}"#)
        try await world.drain()
    }

    @Test func `a position that is refused in two runs in a row begins the pass anew, by itself`()
        async throws
    {
        try await withWorld(Self.yaml) { world in
            try await refuse(world, times: 2)
            #expect(try await world.outcomes("ann") == ["failed cursor_refused"])
            #expect(try await world.checkpoint("ann").int("page_number") == 2)
            try await world.runAgain()
            #expect(try await world.outcomes("ann").last == "complete")
            #expect(try await world.holdsAllItems(of: "ann"))
            // The refused position, then the pass from its beginning.
            let asked = try await world.source.asked()
            #expect(asked.map(\.status) == [200, 200, 400, 400, 200, 200, 200, 200, 200])
            #expect(world.lines.all.contains { $0.contains("pass begun anew") })
            #expect(try await world.job("ann").int("consecutive_failures") == 0)
        }
    }

    @Test func `a position that is refused once goes on where it stood`() async throws {
        try await withWorld(Self.yaml) { world in
            try await refuse(world, times: 1)
            try await world.runAgain()
            #expect(try await world.outcomes("ann") == ["failed cursor_refused", "complete"])
            let asked = try await world.source.asked()
            #expect(asked.map(\.status) == [200, 200, 400, 200, 200, 200])
            #expect(try await world.holdsAllItems(of: "ann"))
        }
    }

    @Test func `a pass that is refused again and again fails, and never goes round within a run`()
        async throws
    {
        try await withWorld(Self.yaml, videos: 95) { world in
            let refusal = #"{"kind": "status", "status": 400, "user": "ann", "nth": "#
            try await world.source.fault(refusal + "3}")
            try await world.drain()
            // In the second run: the stored position, and the third page of the pass begun anew.
            try await world.source.fault(refusal + "1}")
            try await world.source.fault(refusal + "3}")
            try await world.runAgain()
            #expect(
                try await world.outcomes("ann") == [
                    "failed cursor_refused", "failed cursor_refused",
                ])
            #expect(try await world.job("ann").int("consecutive_failures") == 2)
            // Refused again, it is lost as the one before.
            try await world.source.fault(refusal + "1}")
            try await world.runAgain()
            #expect(try await world.outcomes("ann").last == "complete")
            #expect(try await world.holdsAllItems(of: "ann"))
        }
    }
}
