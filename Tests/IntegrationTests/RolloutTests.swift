import JSON
import JobFiles
import JobQueue
import Postgres
import Runner
import Schema
import Testing

/// `migrate` has stored a job file, and workers that have the one before are still at work.
@Suite(.timeLimit(.minutes(10))) struct RolloutTests {
    private static let page = "style: token, token_at: next_token, size: 5"
    private static let cursor = #"cursor: "{page.token}""#

    private func withWiderFile(
        _ body: (World, JobFile) async throws -> Void
    ) async throws {
        try await withWorld(World.generic("token", page: Self.page, query: Self.cursor), videos: 12)
        { world in
            try await world.drain()
            let fields = World.standardFields + "\nlabel: { at: name, type: text }"
            let text = World.generic(
                "token", page: Self.page, query: Self.cursor, fields: fields)
            let wider = try JobFile.parse(text, file: "wider.yaml").get()
            _ = try await Migrator(database: world.pool).migrate(jobFiles: [wider])
            // The span over which users' passes fill a column is over.
            try await world.given(
                .columnsFilled(over: "1 second"), .columnsChanged(ago: "2 seconds"))
            try await body(world, wider)
        }
    }

    private func unfilled(_ world: World) async throws -> String? {
        try await world.value(
            "select count(*) filter (where label is null) from synced.generic_item")
    }

    @Test
    func
        `a full pass by an older file fills no new column, and does not count as the one that does`()
        async throws
    {
        try await withWiderFile { world, wider in
            try await world.given(.readFully(ago: "1 hour"))
            #expect(try await unfilled(world) == "12")
            let pages = try await world.source.asked().count
            // What is due by the column is not asked of a worker that can't fill it; a person may.
            try await world.runAgain()
            _ = try await world.enqueue("ann", full: true)
            try await world.drain()
            #expect(try await unfilled(world) == "12")
            #expect(
                try await world.value("select full_by_other_file from jobrunner.checkpoints")
                    == "true")
            #expect(try await world.source.asked().count > pages)
            try await world.makeDue()
            await (try await world.start(drains: true, files: [wider])).ended()
            #expect(try await unfilled(world) == "0")
            #expect(
                try await world.value("select full_by_other_file from jobrunner.checkpoints")
                    == "false")
        }
    }

    @Test
    func
        `a worker whose files are not the stored ones is told, in its log, to doctor and to who scrapes`()
        async throws
    {
        try await withWiderFile { world, wider in
            let gauge =
                "select value from jobrunner.gauges where name = 'workers_with_other_files'"
            let old = try await world.start { $0.maintenance = .milliseconds(20) }
            try await world.lines.wait(for: "job files differ", "generic.items")
            #expect(try await world.value(gauge) == "1")
            let doctor = try await world.queue.examine([.workers])
            #expect(doctor[.workers]?.map { $0["other_files"]?.string } == ["generic.items"])
            await old.stop()
            let new = try await world.start(files: [wider]) { $0.maintenance = .milliseconds(20) }
            try await eventually("it is registered") {
                try await world.value(
                    "select count(*) from jobrunner.workers where ended_at is null") == "1"
            }
            #expect(try await world.value(gauge) == "0")
            await new.stop()
            #expect(world.lines.all.count { $0.contains("job files differ") } == 1)
        }
    }
}
