import JSON
import JobFiles
import Postgres
import Testing
import TestSupport

/// When a refresh asks, and what it may delete.
@Suite struct SnapRefreshTests {
    @Test func `SC16 force asks at any age`() async throws {
        try await withRecipes(6) { world in
            try await world.drain()
            // As young as can be, and unchanged: the probe is asked, and not believed.
            let calls = try await world.cloudCalls {
                #expect(try await world.wantFresh(force: true).answer == "wait")
                try await world.drain()
            }
            #expect(calls.map(\.records) == [1, 6])
        }
    }

    @Test(arguments: [(1, false), (2, false), (1, true)])
    func `SC17 SC25 a refresh that fails at its probe or its page keeps rows and age, by force too`(
        request: Int, isForced: Bool
    ) async throws {
        try await withRecipes(6) { world in
            try await world.drain()
            let rows = try await world.versions()
            try await world.share([recipe("new")])
            try await world.makeStale("20 minutes")
            try await world.source.fault(
                #"{"kind": "cloudkit_error", "op": "records/query", "code": "ACCESS_DENIED", "nth": \#(request)}"#
            )
            let word = isForced ? "wait" : "refreshing"
            #expect(try await world.wantFresh(force: isForced).answer == word)
            try await world.drain()
            #expect(try await world.job(firstUser).text("last_outcome") == "failed")
            #expect(try await world.versions() == rows)
            let answer = try await world.wantFresh()
            #expect(answer.isUsable && (1200..<1800).contains(answer.ageSeconds ?? 0))
            // The failure has a backoff, which readers don't shorten.
            let calls = try await world.cloudCalls { try await world.drain() }
            #expect(calls.isEmpty)
        }
    }

    @Test(arguments: [(oneStage, 4), ([], 8)])
    func `SC18 with nothing changed readers cost a probe in each soft age and no fetch`(
        changes: [(String, String)], probes: Int
    ) async throws {
        try await withRecipes(60, changes: changes) { world in
            try await world.drain()
            let calls = try await world.cloudCalls {
                for _ in 1...24 {
                    try await world.makeStale("5 minutes")
                    _ = try await world.wantFresh()
                    try await world.drain()
                }
            }
            #expect(calls.map(\.records) == Array(repeating: 1, count: probes))
        }
    }

    @Test func `SC19 an unchanged source is told by one tiny request, and nothing is written`()
        async throws
    {
        try await withRecipes(60) { world in
            try await world.drain()
            let rows = try await world.versions()
            let runs = try await world.runs(firstUser).count
            try await world.makeStale("40 minutes")
            let calls = try await world.cloudCalls { try await world.runAgain() }
            #expect(calls.map(\.operation) == ["records/query"])
            #expect(calls.map(\.records) == [1])
            #expect(try await world.versions() == rows)
            #expect(try await world.runs(firstUser).count == runs)
            // And one new recipe makes it read again.
            try await world.share([recipe("new")])
            try await world.makeStale("40 minutes")
            #expect(
                try await world.cloudCalls { try await world.runAgain() }.map(\.records)
                    == [1, 50, 11])
        }
    }

    /// The app has an index to sort by `createdAt`, and none by the time of a change.
    @Test func `SC20 a full pass a day finds edits of older recipes, which the probe can't see`()
        async throws
    {
        try await withRecipes(10) { world in
            try await world.drain()
            let name = "recipe_\(firstUser)_7"
            try await world.share([
                #"{"recordName": "\#(name)", "fields": {"title": {"value": "edited"}}}"#
            ])
            let title = "select title from synced.recipe where recipe_id = '\(name)'"
            let old = try await world.value(title)
            try await world.makeStale("40 minutes")
            let calls = try await world.cloudCalls { try await world.runAgain() }
            #expect(calls.map(\.records) == [1])
            #expect(try await world.value(title) == old && old != "edited")
            try await world.makeStale("25 hours")
            try await world.runAgain()
            #expect(try await world.value(title) == "edited")
        }
    }

    @Test func `SC19 OW3 a probe that has no index fails the run with a line that names it`()
        async throws
    {
        let byChange = [
            (
                "- { field: createdAt, order: desc }\n      skip",
                "- { system: modifiedTimestamp, order: desc }\n      skip"
            )
        ]
        try await withRecipes(3, changes: byChange) { world in
            try await world.drain()
            let job = try await world.job(firstUser)
            #expect(job.text("last_error_kind") == "bad_request")
            let error = job.text("last_error") ?? ""
            #expect(
                error.contains(
                    "Field 'modifiedTimestamp' is not marked sortable: add a SORTABLE index for it to record type Recipe in CloudKit's console"
                ), "\(error)")
            #expect(!error.contains("\n"))
        }
    }
}
