import JSON
@testable import JobQueue
import Postgres
import Testing

/// Who is told of runs as they end is told of each once.
@Suite struct RunReaderTests {
    private func numbers(_ reader: inout RunReader, _ filter: RunFilter = RunFilter(limit: 1))
        async throws
        -> [Int]
    {
        var numbers: [Int] = []
        try await reader.read(filter) { runs in numbers += runs.compactMap { $0["run"]?.int } }
        return numbers
    }

    @Test func `runs are told once, whatever the order in which their transactions commit`()
        async throws
    {
        try await Fixture.lend(users: 1) { fixture async throws in
            try await fixture.given(.runs(1...1))
            // It has begun before the reader, and its runs end before all others by their times.
            let early = try await OpenTransaction(fixture.url, "\(Given.runs(2...3, ago: "1 min"))")
            var reader = try await fixture.queue.runReader(RunFilter(limit: 1))
            let late = try await OpenTransaction(fixture.url, "\(Given.runs(4...4))")
            try await fixture.given(.runs(5...5))
            #expect(try await numbers(&reader) == [5])
            #expect(try await numbers(&reader) == [])
            try await late.commit()
            #expect(try await numbers(&reader) == [4])
            try await fixture.given(.runs(6...6))
            try await early.commit()
            #expect(try await Set(numbers(&reader)) == [2, 3, 6])
            #expect(try await numbers(&reader) == [])
        }
    }

    @Test func `a poll of more runs than a page tells all of them, and none that ends meanwhile`()
        async throws
    {
        try await Fixture.lend(users: 1) { fixture async throws in
            var reader = try await RunReader(fixture.queue, pageMax: 2)
            try await fixture.given(.runs(1...3))
            try await fixture.given(.runs(4...5))
            var told: [Int] = []
            var isFirst = true
            try await reader.read(RunFilter(limit: 1)) { runs in
                told += runs.compactMap { $0["run"]?.int }
                if isFirst { try await fixture.given(.runs(6...6)) }
                isFirst = false
            }
            #expect(told == [1, 2, 3, 4, 5])
            #expect(try await numbers(&reader) == [6])
        }
    }

    @Test func `what maintenance moves into the partition of its day is not told again`()
        async throws
    {
        try await Fixture.lend(users: 1) { fixture async throws in
            try await fixture.script("drop table if exists \(try await today(fixture))")
            var reader = try await fixture.queue.runReader(RunFilter(limit: 1))
            try await fixture.given(.runs(1...2))
            #expect(try await numbers(&reader) == [1, 2])
            try await fixture.script("select jobrunner.maintain_runs()")
            #expect(try await fixture.int("select count(*) from jobrunner.runs_other") == 0)
            #expect(try await numbers(&reader) == [])
        }
    }

    private func today(_ fixture: Fixture) async throws -> String {
        try await fixture.text(
            "select 'jobrunner.runs_' || to_char(now() at time zone 'UTC', 'YYYYMMDD')")
    }

    @Test func `a reader is told of those that it asked for`() async throws {
        try await Fixture.lend(users: 2) { fixture async throws in
            var filter = RunFilter(limit: 1)
            (filter.tenant, filter.outcome) = ("acme", "failed")
            var reader = try await fixture.queue.runReader(filter)
            try await fixture.given(
                .runs(1...1), .runs(2...2, "failed", error: "rejected", whose: .first))
            #expect(try await numbers(&reader, filter) == [2])
            filter.tenant = "nobody"
            await #expect(throws: QueueError.self) { _ = try await fixture.queue.runReader(filter) }
        }
    }

    @Test func `one run is found by its number, with its counters`() async throws {
        try await Fixture.lend(users: 1) { fixture async throws in
            try await fixture.given(
                .runs(7...8, counted: "pages => 2, fetched => 5, inserted => 5"))
            let run = try #require(try await fixture.queue.run(7))
            #expect(run["run"]?.int == 7)
            #expect(run["counters"]?["pages"]?.int == 2)
            #expect(run["counters"]?["inserted"]?.int == 5)
            #expect(try await fixture.queue.run(9) == nil)
        }
    }
}

extension CostTests {
    @Test
    func `a poll for ended runs, and one run by its number, read few buffers of a long history`()
        async throws
    {
        try await Fixture.lend(users: 200) { fixture async throws in
            for day in 0..<5 {
                try await fixture.given(
                    .runs((day * 200 + 1)...(day * 200 + 200), ago: "\(day) days"))
            }
            try await fixture.script("vacuum analyze jobrunner.runs")
            try await fixture.script("vacuum analyze jobrunner.users")
            let costs = try await fixture.pool.run { session in
                try session.script(
                    """
                    prepare poll(text, text, text, bigint, timestamptz, bigint, text, text, text, text) as \(runsSinceSQL);
                    prepare one(bigint) as \(runSQL);
                    """)
                let seen = try session.query(.unprepared("select pg_current_snapshot()::text"))
                    .only().text(0)
                try session.script("\(Given.runs(5001...5001, whose: .first))")
                // Other tests' new databases empty the cache of rights, which is no part of the plan.
                return try [
                    "execute poll('\(seen)', null, null, null, now() - interval '1 day', 1000, null, null, null, null)",
                    "execute one(5001)",
                ].map { sql in try (1...10).map { _ in try cost(session, sql).buffers }.min() ?? 0 }
            }
            // Ten partitions may hold it, and all forty one run; each index of them is asked.
            #expect(costs[0] <= 100, "\(costs[0]) buffers")
            #expect(costs[1] <= 100, "\(costs[1]) buffers")
        }
    }
}
