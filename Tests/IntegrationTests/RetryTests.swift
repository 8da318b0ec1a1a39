import JSON
import Testing

@Suite struct RetryTests {
    @Test func `MH6 a registration that times out twice succeeds at the third attempt`()
        async throws
    {
        try await withWorld(World.metube([("timeout: 30s", "timeout: 1s")]), videos: 20) { world in
            try await world.source.fault(
                #"{"kind": "hang", "path": "/api/users/*/channels", "times": 2}"#)
            try await world.drain()
            #expect(
                try await world.source.story(of: "ann")
                    == ["channels", "channels", "channels", "reconcile", "feed"])
            #expect(try await world.outcomes("ann") == ["complete"])
        }
    }

    @Test func `MH7 three attempts have two waits, of one second and of two, less their jitter`()
        async throws
    {
        try await withWorld(World.metube([("first: 20ms", "first: 1s")])) { world in
            try await world.source.fault(
                #"{"kind": "status", "status": 503, "path": "/api/users/*/channels", "times": 0}"#)
            // What a shared machine adds is not the clock's: of three users one is left alone by it.
            var seen: [[Int]] = []
            for user in ["ann", "bea", "cem"] {
                try await world.addUser(user, videos: 20)
                try await world.drain()
                #expect(try await world.outcomes(user) == ["failed unavailable"])
                let times = try await world.source.asked(by: user).map(\.monotonic)
                try #require(times.count == 3)
                let waits = zip(times.dropFirst(), times).map { $0 - $1 }
                #expect(waits[0] >= 800 && waits[1] >= 1600, "\(waits) ms")
                seen.append(waits)
                if waits[0] < 1500, waits[1] < 3000 { return }
            }
            Issue.record("waits of \(seen) ms")
        }
    }

    /// What the feed's failure does, how often it is asked, and how the run ends.
    private static let classes: [(name: String, fault: String, attempts: Int, end: String)] = [
        ("400", #""kind": "status", "status": 400"#, 1, "failed rejected"),
        ("403", #""kind": "status", "status": 403"#, 1, "failed rejected"),
        ("422", #""kind": "status", "status": 422"#, 1, "failed rejected"),
        ("429", #""kind": "status", "status": 429"#, 3, "deferred rate_limited"),
        ("408", #""kind": "status", "status": 408"#, 3, "failed timed_out"),
        ("500", #""kind": "status", "status": 500"#, 3, "failed unavailable"),
        ("503", #""kind": "status", "status": 503"#, 3, "failed unavailable"),
        ("599", #""kind": "status", "status": 599"#, 3, "failed unavailable"),
        ("close", #""kind": "close""#, 3, "failed unavailable"),
        ("reset", #""kind": "reset""#, 3, "failed unavailable"),
        ("cut", #""kind": "cut", "after": 200"#, 3, "failed unavailable"),
    ]

    @Test func `MH8 only what may pass by itself is asked again: network, 408, 429 and 5xx`()
        async throws
    {
        try await withWorld { world in
            for entry in Self.classes {
                try await world.addUser(entry.name, videos: 20)
                try await world.source.fault(
                    """
                    {\(entry.fault), "user": "\(entry.name)", "path": "/api/users/*/feed", "times": 0}
                    """)
            }
            try await world.drain()
            for entry in Self.classes {
                let asked = try await world.source.asked("feed", by: entry.name)
                // A connection that is closed before the first byte is tried anew by libcurl itself,
                // as it can't tell it from one that had been idle too long.
                let mayBeMore = ["close", "reset"].contains(entry.name)
                #expect(
                    mayBeMore ? asked.count >= entry.attempts : asked.count == entry.attempts,
                    "\(entry.name)")
                let run = try await world.runs(entry.name).first
                #expect(run?.int("request_count") == 3 + entry.attempts, "\(entry.name)")
                #expect(try await world.outcomes(entry.name) == [entry.end], "\(entry.name)")
            }
        }
    }
}
