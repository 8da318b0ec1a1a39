import JSON
import JobFiles
import Postgres
import Testing
import TestSupport

/// How old rows may be, seen in the log of the source.
@Suite struct SnapFreshnessTests {
    private func lastSynced(_ world: World) async throws -> String? {
        try await world.value("select last_synced_at from jobrunner.checkpoints")
    }

    @Test
    func
        `SC5 SC10 rows younger than the soft age cost no request, whoever asks, and outlive the worker`()
        async throws
    {
        try await withRecipes(6) { world in
            try await world.drain()
            try await world.makeStale("14 minutes 50 seconds")
            let (rows, time) = (try await world.versions(), try await lastSynced(world))
            let calls = try await world.cloudCalls {
                let answer = try await world.wantFresh()
                #expect(answer.answer == "fresh")
                #expect(answer.isUsable)
                // A worker with sessions of its own, which has seen nothing of the first.
                try await world.runAgain()
                try await world.enqueue(firstUser)
                try await world.drain()
            }
            #expect(calls.isEmpty)
            #expect(try await world.versions() == rows)
            #expect(try await lastSynced(world) == time)
            #expect(try await world.unfinished() == [])
        }
    }

    @Test
    func `SC6 OW9 between the ages twenty readers get the rows at once and cause one refresh`()
        async throws
    {
        try await withRecipes(6) { world in
            try await world.drain()
            try await world.makeStale("20 minutes")
            try await world.share([recipe("new")])
            try await world.hold("records/query")
            let calls = try await world.cloudCalls {
                let worker = try await world.start()
                #expect(try await answers(of: 20, world) == ["refreshing"])
                try await world.waitUntilHeld()
                #expect(try await answers(of: 20, world) == ["refreshing"])
                #expect(try await world.recipes().count == 6)
                try await world.letGo()
                try await eventually("the refresh is over") {
                    try await world.wantFresh().answer == "fresh"
                }
                await worker.stop()
            }
            #expect(calls.map(\.records) == [1, 7])
            #expect(try await world.recipes().count == 7)
        }
    }

    private func answers(of readers: Int, _ world: World) async throws -> Set<String> {
        try await withThrowingTaskGroup(of: Freshness.self) { group in
            for _ in 1...readers { group.addTask { try await world.wantFresh() } }
            var answers: Set<String> = []
            for try await answer in group {
                #expect(answer.isUsable)
                answers.insert(answer.answer)
            }
            return answers
        }
    }

    @Test(arguments: ["truncate synced.recipe", "\(Given.noCheckpoint())"])
    func `SC7 SC8 an empty table and rows without a time of theirs are fetched, however young`(
        loss: String
    ) async throws {
        try await withRecipes(6) { world in
            try await world.drain()
            try await world.sql(loss)
            let answer = try await world.wantFresh()
            #expect(answer.answer == "wait")
            #expect(!answer.isUsable)
            let calls = try await world.cloudCalls { try await world.drain() }
            #expect(calls.map(\.records) == [1, 6])
            #expect(try await world.recipes().count == 6)
            #expect(try await world.wantFresh().answer == "fresh")
        }
    }

    @Test
    func
        `SC13 SC14 a recipe made here is there at once, makes no other younger, and stays until sent`()
        async throws
    {
        try await withRecipes(6) { world in
            try await world.drain()
            let values =
                #"{"recipe_id": "mine", "owner_id": "ann", "created_at": "2025-01-01T00:00:00Z"}"#
            try await world.makeStale("10 minutes")
            let time = try await lastSynced(world)
            let calls = try await world.cloudCalls {
                try await world.edit("recipe", values)
                #expect(try await world.recipes().contains("mine"))
            }
            #expect(calls.isEmpty)
            #expect(try await lastSynced(world) == time)
            #expect(try await world.wantFresh().ageSeconds ?? 0 >= 600)
            // Its fields that the app writes are sent, and the source is not looked at.
            let sent = try await world.cloudCalls { try await world.runAgain() }
            #expect(sent.map(\.operation) == ["records/modify"])
            #expect(
                try await world.value("select synced from synced.recipe where recipe_id = 'mine'")
                    == "true")
            #expect(
                try await world.cloudRecords(.snapchef)["mine"]?["fields"]?["ownerID"]?["value"]?
                    .string == "ann")
            // Once the source has had it, it is as all others are.
            try await world.cloud(.snapchef, "delete", #""names": ["mine"]"#)
            for _ in 1...2 {
                try await world.makeStale("25 hours")
                try await world.runAgain()
            }
            #expect(try await world.recipes().count == 6)
        }
    }
}
