import Claiming
import JobFiles
import JSON
import Postgres
import JobQueue
import Runner
import Testing

@Suite struct FencingTests {
    /// Everything a stale run could touch.
    private func state(_ world: World) async throws -> [String] {
        var state: [String] = []
        for table in [
            "jobrunner.jobs", "jobrunner.checkpoints", "jobrunner.call_memory", "synced.hub_video",
        ] {
            state += try await world.rows(
                "select *, xmin::text as row_version from \(table) order by 1, 2, 3"
            ).map(\.rawText)
        }
        return state
            + (try await world.rows("select * from jobrunner.runs order by id")).map(\.rawText)
    }

    @Test func `AL2 a page that arrives after its job was given to another worker writes nothing`()
        async throws
    {
        try await withWorld(videos: 250) { world in
            // Long enough for the other worker.
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 9000, "path": "/api/users/*/feed", "nth": 2}"#)
            let job = try await world.claim()
            let stale = Task { try await world.run(job) }
            try await world.source.waitFor(2, "feed")
            try await world.giveUpWorkers()
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["partial crashed", "complete"])
            let before = try await state(world)
            #expect(try await stale.value == nil)
            // The source notes the end of its answer when the run may have read it already.
            try await eventually("the late page has come whole") {
                try await world.source.asked("feed").filter { $0.fault == "slow" }.first?.state
                    == "complete"
            }
            #expect(try await state(world) == before)
        }
    }

    @Test func `AL2 a stale claim ends nothing, gives back nothing and commits nothing`()
        async throws
    {
        try await withWorld(videos: 20) { world in
            let worker = try await world.queue.registerWorker(
                host: "old", pid: 1, version: "test", capacity: 1)
            let claimed = try await world.queue.claimJobs(
                worker: worker, limit: 1, names: [world.file.name])
            let claim = try #require(claimed.first).claim
            try await world.giveUpWorkers()
            try await world.drain()
            let before = try await state(world)
            let verdicts = try await world.queue.finishRuns([
                FinishedRun(
                    claim: claim, outcome: .failed, errorKind: "rejected", error: "x",
                    failures: [EntityFailure(entity: "video", kind: "rejected", error: nil)],
                    endedPasses: [
                        EndedPass(entity: "video", PassPosition())
                    ],
                    calls: [PendingCall(call: "register", listHash: nil)])
            ])
            #expect(verdicts.map(\.kind) == [.lost])
            #expect(try await world.queue.releaseJobs([claim]) == 0)
            await #expect(throws: QueueError.lost) {
                try await world.queue.turn([claim.holdStatement])
            }
            var forged = claim
            forged.fence = Int64(try await world.job("ann").int("fence") ?? 0)
            await #expect(throws: QueueError.lost) {
                try await world.queue.turn([forged.holdStatement])
            }
            #expect(try await state(world) == before)
        }
    }
}
