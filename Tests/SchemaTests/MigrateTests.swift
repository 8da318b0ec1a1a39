import JSON
import JobFiles
import Postgres
import Schema
import Testing

@Suite("migrate")
struct MigrateTests {
    @Test func `a fresh database gets everything, and the program may work there`() async throws {
        try await withTestDatabase { database async throws in
            let migrator = Migrator(database: database)
            await #expect { try await migrator.check() } throws: {
                "\($0)".contains("run `jobrunner migrate`")
            }
            let report = try await database.migrate([jobFile()])
            #expect(report.migrations.first == "0001_schema")
            #expect(
                report.migrations.count
                    == SQLFile.embedded.count { $0.path.hasPrefix("migrations/") })
            #expect(report.isCodeApplied)
            #expect(report.synced == ["created table synced.hub_video"])
            #expect(report.jobFiles == ["metube.refresh"])
            #expect(report.lackingRoles == [])
            try await migrator.check()
        }
    }

    @Test func `a second migrate finds nothing to do and writes nothing`() async throws {
        try await withTestDatabase { database async throws in
            let files = [
                jobFile(
                    fields: [
                        field("video_id", required: true), field("n", .int, default: .number("7")),
                        field("tags", .json, default: .array([.string("it's\\")])),
                    ],
                    lists: [
                        channelList()
                    ])
            ]
            try await database.migrate(files)
            let before = try await database.fingerprint()
            let report = try await database.migrate(files)
            #expect(report.isEmpty)
            #expect(try await database.fingerprint() == before)
        }
    }

    @Test func `a migrate makes the standing jobs that users lack`() async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile()])
            try await database.script(
                """
                select jobrunner.add_tenant('acme'), jobrunner.give_job('acme', 'metube.refresh'),
                  jobrunner.add_user('acme', 'ann');
                \(Given.noJob())
                """)
            try await database.migrate([jobFile()])
            #expect(
                try await database.texts("select name from jobrunner.jobs") == ["metube.refresh"])
        }
    }

    @Test func `eight migrates at once do everything once`() async throws {
        try await withTestDatabase(lanes: 8) { database async throws in
            let reports = try await withThrowingTaskGroup(of: MigrationReport.self) { group in
                for _ in 0..<8 { group.addTask { try await database.migrate([jobFile()]) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(reports.count { !$0.isEmpty } == 1)
        }
    }

    @Test func `a migrate waits for another, however short lock_timeout is`() async throws {
        var configuration = try await TestDatabase.make(
            template: try await TestCluster.shared.schemaTemplate()
        ).configuration(lanes: 2)
        configuration.lockTimeout = .milliseconds(1)
        let database = Database(configuration)
        let waiting = try await database.run { session in
            try session.script(
                """
                update jobrunner.migrating set pid = s.pid, session_started_at = s.backend_start
                from pg_stat_get_activity(pg_backend_pid()) as s
                """)
            let waiting = Task { try await database.migrate() }
            // It asks again and again: a statement that waited would keep indexes from being made `concurrently`.
            let blocked = Statement(
                """
                select from pg_stat_activity as a
                where a.datname = current_database() and a.pid <> pg_backend_pid()
                  and a.query ~ 'jobrunner.migrating'
                """)
            try eventuallyBlocking("a migrate asks for the lock") {
                try !session.query(blocked).isEmpty
            }
            // Twenty times its lock_timeout.
            _ = try session.query(Statement("select pg_sleep(0.02)"))
            try session.script("update jobrunner.migrating set pid = null")
            return waiting
        }
        #expect(try await waiting.value.isEmpty)
        await database.close()
    }

    @Test func `a migrate whose session is gone leaves its turn to the next`() async throws {
        try await withTestDatabase(lanes: 1) { database async throws in
            try await database.migrate()
            // A process number that is this session's, with another beginning: it was used again.
            for left in [
                "set pid = 1, session_started_at = now()",
                "set pid = pg_backend_pid(), session_started_at = now() - interval '1 day'",
            ] {
                try await database.run { try $0.script("update jobrunner.migrating \(left)") }
                #expect(try await database.migrate().isEmpty)
            }
        }
    }

    @Test func `the session is given back as it was`() async throws {
        try await withTestDatabase(lanes: 1) { database async throws in
            let settings =
                "select current_setting('lock_timeout') || current_setting('statement_timeout') || (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid())"
            let before = try await database.texts(settings)
            try await database.migrate()
            #expect(try await database.texts(settings) == before)
            await #expect(throws: SchemaError.self) {
                try await database.migrate(
                    files: SQLFile.embedded.with("migrations/0999_wrong.sql", "select from nowhere")
                )
            }
            #expect(try await database.texts(settings) == before)
        }
    }

    @Test func `an edited migration is refused by name, and nothing is changed`() async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate()
            let before = try await database.fingerprint()
            let path = "migrations/0001_schema.sql"
            let edited = SQLFile.embedded.with(path, "-- edited\n")
            await #expect { try await database.migrate([jobFile()], files: edited) } throws: {
                "\($0)".contains("sql/\(path) was edited")
            }
            #expect(try await database.fingerprint() == before)
        }
    }

    @Test func `a failing migration is undone whole, named, and can be mended`() async throws {
        try await withTestDatabase { database async throws in
            let path = "migrations/0999_more.sql"
            let wrong = SQLFile.embedded.with(
                path, "create table jobrunner.more (id int); selec 1;")
            await #expect { try await database.migrate(files: wrong) } throws: {
                "\($0)".contains("sql/\(path)") && "\($0)".contains("42601")
            }
            #expect(
                try await database.texts(
                    "select to_regclass('jobrunner.more')::text where to_regclass('jobrunner.more') is not null"
                ) == [])
            let mended = SQLFile.embedded.with(path, "create table jobrunner.more (id int);")
            #expect(try await database.migrate(files: mended).migrations == ["0999_more"])
        }
    }

    @Test(arguments: [
        "migrations/1_x.sql", "migrations/0001_twice.sql", "migrations/x.sql",
        "migrations/0009.sql",
    ])
    func `a file without a number of its own is refused`(path: String) async throws {
        try await withTestDatabase { database async throws in
            let files = SQLFile.embedded.with(path, "select 1")
            await #expect {
                try await database.migrate(files: files)
            } throws: {
                "\($0)".contains("sql/\(path)")
            }
        }
    }

    @Test func `every change is logged in a line`() async throws {
        try await withTestDatabase { database async throws in
            let lines = Lines()
            try await database.migrate([jobFile()], log: { lines.add($0) })
            #expect(lines.all.first == "applied migration 0001_schema")
            #expect(lines.all.contains("created table synced.hub_video"))
            #expect(lines.all.contains("stored job file metube.refresh"))
        }
    }
}
