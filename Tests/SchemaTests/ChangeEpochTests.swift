import Foundation
import Postgres
import Testing

/// What a cursor is worth where the database is another one.
@Suite("Changes behind a restore")
struct ChangeEpochTests {
    @Test func `a dump that its owner restores into another database has every reader begin anew`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("dump").path
        try await Told.lend { world async throws in
            var mirror = Mirror()
            try await mirror.read(world)
            try await world.script(
                "insert into synced.recipe (user_id, recipe_id) values (1, 'a'), (2, 'b')")
            try await mirror.catchUp(world)
            try run("pg_dump", "--format=custom", "--file=\(file)", "--dbname=\(world.url)")
            var stayed = mirror
            // What the dump does not have.
            try await world.script("delete from synced.recipe where recipe_id = 'a'")
            try await mirror.catchUp(world)

            let other = try await TestDatabase.make()
            try run("pg_restore", "--exit-on-error", "--dbname=\(other.url)", file)
            try await Database.withSessions(try other.configuration(lanes: 1)) { restored in
                var moved = mirror
                #expect(
                    try await moved.read(restored) == [
                        "begin", #"upsert ann {"recipe_id": "a"}"#,
                        #"upsert bob {"recipe_id": "b"}"#,
                    ])
                try await restored.script("delete from synced.recipe where recipe_id = 'b'")
                try await moved.catchUp(restored)
                #expect(try await moved.contents == restored.texts(recipesSQL()))
                #expect(moved.rows.count == 1 && moved.beginnings == 2)
                // One who had read what the dump has, and no more, might else go on.
                #expect(try await stayed.read(restored).first == "begin")
            }
            #expect(try await mirror.read(world) == [])
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a standby tells nothing, and in the primary's place has every reader begin anew`()
        async throws
    {
        func database(_ cluster: TestCluster) throws -> Database {
            Database(
                try DatabaseConfiguration(
                    conninfo: cluster.url, applicationName: "jobrunner-test", lanes: 1))
        }
        let primary = try TestCluster.start()
        let old = try database(primary)
        try await old.migrate(toldFiles())
        try await old.script(
            """
            select jobrunner.add_tenant('acme'); select jobrunner.add_user('acme', 'ann');
            insert into synced.recipe (user_id, recipe_id) values (1, 'a');
            """)
        var mirror = Mirror()
        try await mirror.catchUp(old)
        let standby = try primary.standby()
        await old.close()
        try primary.stop()
        let new = try database(standby)
        #expect(
            try await new.refusal("select jobrunner.changes_since('acme', 'recipe')") == "25006")
        try standby.promote()
        try await eventually("it is promoted") {
            try await new.int("select pg_is_in_recovery()::integer") == 0
        }
        #expect(try await mirror.read(new) == ["begin", #"upsert ann {"recipe_id": "a"}"#])
        #expect(try await mirror.read(new) == [])
        await new.close()
        try standby.stop()
    }
}

/// Runs a program of PostgreSQL; throws what it said when it failed.
private func run(_ program: String, _ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let pipe = Pipe()
    process.standardError = pipe
    try process.run()
    let said = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
        throw Failure(description: "\(program): \(String(decoding: said, as: UTF8.self))")
    }
}

private struct Failure: Error, CustomStringConvertible { let description: String }
