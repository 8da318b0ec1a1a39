import Postgres
import Schema
import Testing

@Suite("Functions and views")
struct CodeTests {
    private let path = "functions/one.sql"

    private func function(_ arguments: String, _ result: String, _ body: String) -> String {
        """
        create or replace function jobrunner.one(\(arguments)) returns \(result)
        language sql as '\(body)';
        comment on function jobrunner.one is 'One.';
        """
    }

    private func signatures(_ database: Database) async throws -> [String] {
        try await database.texts(
            "select oid::regprocedure::text from pg_proc where proname = 'one' order by 1")
    }

    @Test func `are applied again when one has changed, and only then`() async throws {
        try await withTestDatabase { database async throws in
            let first = SQLFile.embedded.with(path, function("", "integer", "select 1"))
            let second = first.with(path, function("", "integer", "select 2"))
            #expect(try await database.migrate(files: first).isCodeApplied)
            #expect(try await database.migrate(files: first).isCodeApplied == false)
            #expect(try await database.migrate(files: second).isCodeApplied)
            #expect(try await database.texts("select jobrunner.one()::text") == ["2"])
        }
    }

    @Test func `a function with other arguments or another result does not linger`() async throws {
        try await withTestDatabase { database async throws in
            let files = SQLFile.embedded
            try await database.migrate(files: files.with(path, function("", "integer", "select 1")))
            try await database.migrate(
                files: files.with(path, function("in_a text", "integer", "select 1")))
            #expect(try await signatures(database) == ["jobrunner.one(text)"])
            try await database.migrate(
                files: files.with(path, function("in_b text", "text", "select in_b")))
            #expect(try await signatures(database) == ["jobrunner.one(text)"])
            #expect(try await database.texts("select jobrunner.one('x')") == ["x"])
            let uncommented =
                "create or replace function jobrunner.one() returns text language sql as 'select ''y''';"
            try await database.migrate(files: files.with(path, uncommented))
            #expect(try await signatures(database) == ["jobrunner.one()"])
            let report = try await database.migrate(files: files)
            #expect(report.dropped == ["jobrunner.one()"])
            #expect(try await signatures(database) == [])
        }
    }

    @Test func `a view whose columns change is made anew, with what it uses`() async throws {
        try await withTestDatabase { database async throws in
            let view = "views/ones.sql"
            let files = SQLFile.embedded.with(path, function("", "integer", "select 1"))
            try await database.migrate(
                files: files.with(
                    view,
                    "create or replace view jobrunner.ones as select 1 as a, jobrunner.one() as b;")
            )
            try await database.migrate(
                files: files.with(path, function("", "text", "select ''t''"))
                    .with(
                        view,
                        "create or replace view jobrunner.ones as select jobrunner.one() as b;"))
            #expect(try await database.texts("select b from jobrunner.ones") == ["t"])
            let report = try await database.migrate(files: files)
            #expect(report.dropped == ["jobrunner.ones"])
        }
    }

    @Test func `one mistake in a file undoes all of it and names the file`() async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate()
            let before = try await database.fingerprint()
            await #expect {
                try await database.migrate(files: SQLFile.embedded.with(path, "create function;"))
            } throws: {
                "\($0)".contains("sql/functions/one.sql")
            }
            #expect(try await database.fingerprint() == before)
        }
    }
}
