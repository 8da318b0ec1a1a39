import JobQueue
import Testing

/// What the curves of the pages are drawn of.
@Suite struct CurveTests {
    private func history(_ fixture: Fixture) async throws -> [String] {
        try await fixture.texts(
            """
            select concat_ws(' ', h.measure, h.subject, nullif(h.detail, ''), h.value, h.quarters_ago)
            from jobrunner.history as h order by 1
            """)
    }

    @Test func `workers add what they have counted to the present quarter of an hour`() async throws
    {
        try await Fixture.lend { fixture async throws in
            let counts = [
                HistoryCount(.runs, "hub.refresh", "complete", 3),
                HistoryCount(.requests, "hub", "2xx", 5),
            ]
            try await fixture.queue.noteHistory(counts)
            try await fixture.queue.noteHistory(counts)
            let told = try await history(fixture)
            // The quarter may have ended between the two.
            #expect(
                told.map { $0.split(separator: " ").dropLast().joined(separator: " ") }
                    .allSatisfy {
                        [
                            "requests hub 2xx 10", "runs hub.refresh complete 6",
                            "requests hub 2xx 5", "runs hub.refresh complete 3",
                        ].contains($0)
                    })
            let runs = try await fixture.int("select sum(value)::bigint from jobrunner.runs_of_day")
            #expect(runs == 6)
            let asked = try await fixture.int(
                "select sum(s.requests)::bigint from jobrunner.source_overview as s where s.source = 'hub'"
            )
            #expect(asked == 10)
        }
    }

    @Test func `what was counted is kept once in a quarter, for three days`() async throws {
        try await Fixture.lend(users: 4) { fixture async throws in
            try await fixture.given(.counted("runs", "old", daysAgo: 2...5))
            for _ in 1...2 {
                try await fixture.script("select jobrunner.count_waiting(in_anew => true)")
            }
            let told = try await history(fixture)
            #expect(told.filter { $0.hasPrefix("waiting no_worker 4") }.count == 1, "\(told)")
            #expect(told.filter { $0.hasPrefix("runs old") }.count == 2, "\(told)")
        }
    }
}
