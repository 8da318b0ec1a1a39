import Foundation
import JSON
import Postgres
import Testing

@Suite struct RateLimitTests {
    private static let yaml = World.generic(
        "token", page: "style: token, token_at: next_token, size: 20",
        query: #"cursor: "{page.token}""#)

    private func limit(_ header: String, user: String, times: Int = 1, _ world: World) async throws
    {
        try await world.source.fault(
            """
            {"kind": "status", "status": 429, "user": "\(user)", "skip": 1, "times": \(times),
            "headers": {"Retry-After": "\(header)"}}
            """)
    }

    @Test func `a short Retry-After is waited for within the run`() async throws {
        try await withWorld(Self.yaml, videos: 50) { world in
            try await limit("1", user: "ann", world)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["complete"])
            let asked = try await world.source.asked()
            try #require(asked.map(\.status) == [200, 429, 200, 200])
            #expect(asked[2].monotonic - asked[1].monotonic >= 990)
        }
    }

    @Test func `a long Retry-After, as seconds or as a date, defers the job and frees its slot`()
        async throws
    {
        try await withWorld(Self.yaml) { world in
            let date = DateFormatter()
            date.locale = Locale(identifier: "en_US_POSIX")
            date.timeZone = TimeZone(secondsFromGMT: 0)
            date.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            let later = date.string(from: Date(timeIntervalSinceNow: 7200))
            for (user, header) in [("seconds", "7200"), ("date", later)] {
                try await world.addUser(user, videos: 50)
                try await limit(header, user: user, world)
            }
            // One slot: the second user runs only when the first has given it back.
            try await world.drain(concurrency: 1)
            for user in ["seconds", "date"] {
                #expect(try await world.outcomes(user) == ["deferred rate_limited"])
                let job = try await world.job(user)
                #expect(job.int("consecutive_failures") == 0)
                let wait = try await world.value(
                    "select round(extract(epoch from deferred_until - last_run_at)) from jobrunner.jobs where user_id = $1",
                    .int8(Int64(world.userID(user))))
                // Less what went by since the date was written, and up to ten seconds of jitter more.
                #expect((6900...7212).contains(Int(wait ?? "") ?? 0), "\(user): \(wait ?? "")")
                #expect(try await world.source.asked(by: user).count == 2)
            }
            // Asking again changes nothing, force does.
            #expect(try await world.enqueue("seconds") == "deferred")
            #expect(try await world.enqueue("date", force: true) == "due")
            try await world.drain()
            #expect(try await world.source.asked(by: "seconds").count == 2)
            #expect(try await world.holdsAllItems(of: "date"))
        }
    }

    @Test func `a Retry-After that is none is as if there were none`() async throws {
        try await withWorld(Self.yaml) { world in
            for (user, header) in [
                ("words", "soon"), ("minus", "-5"), ("huge", "99999999999999999999"),
            ] {
                try await world.addUser(user, videos: 50)
                try await limit(header, user: user, world)
            }
            try await world.drain()
            for user in ["words", "minus"] {
                #expect(try await world.outcomes(user) == ["complete"], "\(user)")
            }
            // Whatever a source says, it is asked again after two days.
            let job = try await world.job("huge")
            if job.text("last_outcome") == "deferred" {
                #expect(
                    try await world.value(
                        "select deferred_until <= now() + interval '2 days' from jobrunner.jobs where user_id = $1",
                        .int8(Int64(world.userID("huge")))) == "true")
            } else {
                #expect(job.text("last_outcome") == "complete")
            }
        }
    }

    @Test func `a source that flaps is read to its end`() async throws {
        try await withWorld(Self.yaml, videos: 200) { world in
            for page in 0..<10 {
                try await world.source.fault(
                    #"{"kind": "status", "status": 503, "skip": \#(page), "times": 2}"#)
            }
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["complete"])
            #expect(try await world.holdsAllItems(of: "ann"))
        }
    }

    @Test func `twenty requests a second are not exceeded by two workers together`() async throws {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 20",
            query: #"cursor: "{page.token}""#, source: "rate: { per_second: 20 }")
        try await withWorld(yaml) { world in
            for number in 0..<6 { try await world.addUser("u\(number)", videos: 200) }
            let workers = [
                try await world.start(concurrency: 3), try await world.start(concurrency: 3),
            ]
            try await eventually("all read") {
                try await world.value(
                    "select count(*) from jobrunner.jobs where last_outcome = 'complete'") == "6"
            }
            for worker in workers { await worker.stop() }
            let times = try await world.source.asked().map(\.monotonic).sorted()
            try #require(times.count == 60)
            // A full bucket, then a second's refill: no second sees more than both, all of them 20 each.
            let most =
                times.indices.map { first in
                    times[first...].prefix { $0 < times[first] + 1000 }.count
                }.max() ?? 0
            #expect(most <= 44, "\(most) within a second")
            #expect(times[59] - times[0] >= 1700, "60 requests in \(times[59] - times[0]) ms")
        }
    }
}
