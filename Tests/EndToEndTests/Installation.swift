import Foundation
import JSON
import Postgres
// For every file of the suite: the words that tests share.
@_exported import TestSupport
import Testing

/// Two jobs of a shop: orders with two entities and a list, and a status without either.
let shopFiles = [
    "orders": """
    version: 1
    job: shop.orders
    schedule: { every: 1h, deadline: 5m }
    source: { id: shop, base: "https://shop.example" }
    lists:
      store_ids: { table: store, column: store_id }
    entities:
      - entity: order
        request: { path: /orders }
        page: { style: single }
        records:
          at: orders[]
          key: [id]
          fields:
            id: { at: id, type: text, required: true }
        write: { table: shop_order, mode: overwrite }
      - entity: refund
        request: { path: /refunds }
        page: { style: single }
        records:
          at: refunds[]
          key: [id]
          fields:
            id: { at: id, type: text, required: true }
        write: { table: refund, mode: overwrite }

    """,
    "status": """
    version: 1
    job: shop.status
    schedule: { every: 5m, deadline: 30s }
    source: { id: shop, base: "https://shop.example" }
    entities:
      - entity: state
        request: { path: /state }
        page: { style: single }
        records:
          at: states[]
          key: [id]
          fields:
            id: { at: id, type: text, required: true }
        write: { table: shop_state, mode: overwrite }

    """,
]

/// A folder, a key and a database of a test's own, and the program over them.
struct Installation: Household {
    let folder: URL
    let url: String
    let pool: Database
    var environment: [String: String]

    /// Runs the body in a migrated installation, or one with an empty database.
    static func with(
        migrated: Bool = true, _ body: (Installation) async throws -> Void
    ) async throws {
        let template =
            migrated
            ? try await TestCluster.shared.template(named: "commands") { configuration in
                try await migrateTemplate(configuration)
            } : nil
        let test = try await TestDatabase.make(template: template)
        let installation = try Installation(test)
        do {
            try await body(installation)
        } catch {
            await installation.close()
            throw error
        }
        await installation.close()
    }

    private init(_ test: TestDatabase) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("jobrunner-test-\(UUID().uuidString)")
        url = test.url
        pool = Database(try test.configuration(lanes: 1))
        environment = [
            "DATABASE_URL": test.url, "JOBRUNNER_JOBS": folder.path + "/jobs",
            "JOBRUNNER_KEY_FILE": folder.path + "/key",
            "JOBRUNNER_PRIVATE_NETWORKS": "127.0.0.0/8, ::1/128",
        ]
        try writeJobs(to: folder)
        _ = try write("key", String(repeating: "0f", count: 32) + "\n")
    }

    private func close() async {
        await pool.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Writes a file that only its owner may read; returns its path.
    func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let path = folder.path + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// A library to preload into the program, of the C file of that name beside the tests; returns where it is.
    func library(_ name: String) throws -> String {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("\(name).c")
        let library = folder.appendingPathComponent("\(name).so")
        let clang = try Process.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            arguments: ["clang", "-O1", "-shared", "-fPIC", "-o", library.path, source.path])
        clang.waitUntilExit()
        try #require(clang.terminationStatus == 0)
        return library.path
    }

    /// Runs the program to its end; the line is split at spaces, and `@@` stands for `@` and the folder.
    func run(_ line: String, _ changes: [String: String] = [:]) async throws -> Ran {
        try await start(line, changes).end()
    }

    /// Starts the program.
    func start(
        _ line: String, _ changes: [String: String] = [:], input: Pipe? = nil,
        terminal: Pseudoterminal? = nil
    ) throws -> RunningProgram {
        var arguments = words(line.replacingOccurrences(of: "@@", with: "@\(folder.path)/"))
        var environment = environment
        // Each command by the login that the page of installation gives it.
        switch arguments.first {
        case "migrate": arguments += ["--roles", TestCluster.roles]
        case "test": break
        case "worker", "dry-run", "key": environment["DATABASE_URL"] = TestCluster.worker(of: url)
        case "serve": environment["DATABASE_URL"] = TestCluster.reader(of: url)
        default: environment["DATABASE_URL"] = TestCluster.operatorLogin(of: url)
        }
        return try RunningProgram(
            arguments, environment: environment.merging(changes) { $1 }, input: input,
            terminal: terminal)
    }

    /// Runs the program, which must succeed and complain about nothing; returns what it printed.
    @discardableResult
    func ok(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) async throws
        -> String
    {
        let ran = try await run(line)
        #expect(ran.code == 0, "\(line): \(ran.errors)", sourceLocation: sourceLocation)
        #expect(ran.errors == "", "\(line)", sourceLocation: sourceLocation)
        return ran.output
    }

    /// The JSON that a command line prints.
    func json(_ line: String) async throws -> JSONValue {
        let ran = try await run(line + " --json")
        return try #require(try JSONDocument(parsing: Array(ran.output.utf8)).root.value)
    }

    /// A tenant acme with both jobs, and its user ann.
    func addAnn() async throws {
        try await ok("tenant add acme --job shop.orders --job shop.status")
        try await ok("user add ann --tenant acme")
    }

    /// One value of one row, as text.
    func value(_ sql: String) async throws -> String {
        try await pool.run { try $0.query(.unprepared("select (\(sql))::text")).only().text(0) }
    }

    /// A hash of all rows of all tables, and of the tables themselves.
    func fingerprint() async throws -> String {
        try await value(
            """
            select coalesce(md5(string_agg(
              t.schemaname || t.tablename
                || query_to_xml(format('select * from %I.%I', t.schemaname, t.tablename), true, false, ''),
              '' order by t.schemaname, t.tablename
            )), 'empty')
            from pg_tables as t
            -- Whose turn it is to migrate is written each time.
            where t.schemaname in ('jobrunner', 'synced') and t.tablename <> 'migrating'
            """)
    }
}

private func writeJobs(to folder: URL) throws {
    let jobs = folder.appendingPathComponent("jobs/shop")
    try FileManager.default.createDirectory(at: jobs, withIntermediateDirectories: true)
    for (name, text) in shopFiles {
        try Data(text.utf8).write(to: jobs.appendingPathComponent(name + ".yaml"))
    }
}

/// The template is what the program itself makes.
private func migrateTemplate(_ configuration: DatabaseConfiguration) async throws {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("jobrunner-template-\(UUID().uuidString)")
    try writeJobs(to: folder)
    let ran = try await RunningProgram(
        ["migrate", "--roles", TestCluster.roles],
        environment: [
            // A connection string as well: the test server asks for no password.
            "DATABASE_URL": configuration.redacted,
            "JOBRUNNER_JOBS": folder.path + "/jobs",
        ]
    ).end()
    try FileManager.default.removeItem(at: folder)
    try #require(ran.code == 0, "\(ran.errors)")
}
