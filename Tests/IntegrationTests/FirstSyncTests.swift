import JSON
import Postgres
import Testing

@Suite struct FirstSyncTests {
    @Test func `a user's videos arrive page by page, each once`() async throws {
        let world = try await World()
        try await world.addUser("ann", videos: 250)
        try await world.drain()
        print(world.lines.all.joined())
        let expected = try await world.source.command("GET", "expected?user=ann")
        #expect(
            try await world.value("select count(*) from synced.hub_video")
                == expected["kept"]?.numberText)
        print(try await world.value("select to_jsonb(k) from jobrunner.checkpoints k")!)
        print(try await world.value("select jsonb_agg(to_jsonb(k)) from jobrunner.runs k")!)
        await world.close()
    }
}
