import Postgres
import Schema
import Testing

@Suite("A worker's check of the schema")
struct CheckTests {
    private let more = SQLFile.embedded.with(
        "migrations/0999_more.sql", "create table jobrunner.more (id int);")
    private let breaking = SQLFile.embedded.with(
        "migrations/0999_more.sql", "-- breaking\ncreate table jobrunner.more (id int);")

    @Test func `a schema that lacks a migration is too old, and the message names it`() async throws
    {
        try await withTestDatabase { database async throws in
            try await database.migrate()
            await #expect { try await Migrator(database: database, files: more).check() } throws: {
                "\($0)" == "the database lacks migration 0999_more: run `jobrunner migrate`"
            }
        }
    }

    @Test func `functions that were never in force are too old`() async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate()
            let files = SQLFile.embedded.with("functions/one.sql", one)
            await #expect { try await Migrator(database: database, files: files).check() } throws: {
                "\($0)".contains("functions and views")
            }
            // After the newer program has migrated, both may work.
            try await database.migrate(files: files)
            try await Migrator(database: database, files: files).check()
            try await Migrator(database: database).check()
        }
    }

    @Test func `a newer schema is fine unless a migration is flagged breaking`() async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate(files: more)
            try await Migrator(database: database).check()
        }
        try await withTestDatabase { database async throws in
            try await database.migrate(files: breaking)
            await #expect { try await Migrator(database: database).check() } throws: {
                "\($0)".contains("migration 0999_more")
            }
            await #expect { try await database.migrate() } throws: { "\($0)".contains("0999_more") }
            try await Migrator(database: database, files: breaking).check()
        }
    }

    @Test func `an older program's migrate leaves newer functions alone`() async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate(files: more.with("functions/one.sql", one))
            let report = try await database.migrate([jobFile()])
            #expect(!report.isCodeApplied)
            #expect(report.dropped == [])
            #expect(report.jobFiles == ["metube.refresh"])
            #expect(try await database.texts("select jobrunner.one()::text") == ["1"])
        }
    }
}

let one = "create or replace function jobrunner.one() returns integer language sql as 'select 1';"
