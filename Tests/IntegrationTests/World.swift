import Asking
import CloudKit
import FakeSource
import Foundation
import HTTP
import JobFiles
import JSON
import Postgres
import JobQueue
import Runner
import Schema
import Secrets
import Sync
import Synchronization
import Telemetry
// For every file of the suite: the words that tests share.
@_exported import TestSupport

/// A database with the schema, a source of its own, and as many workers as a test wants.
final class World: Household {
    let database: TestDatabase
    let pool: Database
    let queue: Queue
    let source: Hub
    let file: JobFile
    /// The job file's text.
    let text: String
    let lines = Lines()
    /// Jobs beside `file`.
    private let others = Mutex<[JobFile]>([])
    /// Its secrets' keys; nil when the worker has no key file.
    let keeper: KeyKeeper?
    /// Seconds since 1970.
    private let began = Double(time(nil))

    /// Makes a world whose job file is `yaml`, by default MeTube's without its long waits.
    ///
    /// `HUB_BASE` in it stands for the source's address, `HUB_PORT` for its port. `servers`: a primary of the test's own and its
    /// standby. `given`: an empty database of the test's own.
    init(
        _ yaml: String = World.metube(), seed: UInt64 = 1, keeper: KeyKeeper? = nil,
        servers: (primary: TestCluster, standby: TestCluster)? = nil,
        in given: TestDatabase? = nil
    ) async throws {
        source = try Hub(seed: seed)
        text = yaml.replacing("HUB_BASE", with: source.base)
            .replacing("HUB_PORT", with: "\(source.port)")
        file = try JobFile.parse(text, file: "test.yaml").get()
        if let given {
            database = given
        } else if let servers {
            database = try await TestDatabase.make(on: servers.primary)
                .reachable(also: servers.standby)
        } else {
            database = try await TestDatabase.make(
                template: try await TestCluster.shared.schemaTemplate())
        }
        pool = Database(try database.configuration(lanes: 2))
        queue = Queue(pool)
        self.keeper = keeper
        _ = try await Migrator(database: pool).migrate(
            jobFiles: [file], rolePrefix: TestCluster.roles)
        try await sql("select jobrunner.add_tenant('acme')")
        try await sql("select jobrunner.give_job('acme', $1)", .text(file.name))
        try await sql(
            "select jobrunner.set_source('acme', $1, $2)", .text(file.source.id),
            .text(source.base))
    }

    /// Ticks stand on a fixed grid, and one that comes in the middle of a test is a run more than it asked for: every
    /// job's last tick is the moment at which the world was made, so that its next one is a whole period away.
    private func holdTicks() async throws { try await given(.ticked(at: began)) }

    /// Gives the tenant another job, which the workers that are started from now on run too.
    func also(_ yaml: String) async throws {
        let other = try JobFile.parse(
            yaml.replacing("HUB_BASE", with: source.base), file: "other.yaml"
        ).get()
        let files = others.withLock {
            $0.append(other); return [file] + $0
        }
        _ = try await Migrator(database: pool).migrate(jobFiles: files)
        try await sql("select jobrunner.give_job('acme', $1)", .text(other.name))
        try await sql(
            "select jobrunner.set_source('acme', $1, $2)", .text(other.source.id),
            .text(source.base))
    }

    func close() async {
        await pool.close()
        source.stop()
    }

    /// Adds a user that the hub knows under the same name, with the channels its videos are from.
    func addUser(
        _ key: String, videos: Int, channels: [String] = ["c1", "c2"], tenant: String = "acme",
        hubID: String? = nil
    ) async throws {
        let hubID = hubID ?? key
        try await source.command(
            "POST", "users", #"{"id": "\#(hubID)", "videos": \#(videos), "registered": false}"#)
        try await pool.run { session in
            // At once, for a worker may be waiting for the job.
            try session.transaction { session in
                _ = try session.query(
                    Statement(
                        "select jobrunner.add_user($1, $2, jsonb_build_object('hub_user_id', $3::text))",
                        .text(tenant), .text(key), .text(hubID)))
                try session.script("\(Given.ticked(at: self.began))")
            }
        }
        guard let list = file.lists.first else { return }
        try await sql(
            "select jobrunner.replace_list($1, $2, $3, $4, $5)", .text(tenant), .text(key),
            .text(list.table), .text(list.column), .textArray(channels))
    }

    /// Adds a tenant with the same job, its source at `base`.
    func addTenant(_ name: String, base: String? = nil) async throws {
        try await sql("select jobrunner.add_tenant($1)", .text(name))
        try await sql("select jobrunner.give_job($1, $2)", .text(name), .text(file.name))
        try await sql(
            "select jobrunner.set_source($1, $2, $3)", .text(name), .text(file.source.id),
            .text(base ?? source.base))
    }

    /// Runs a worker until nothing is due or running.
    func drain(concurrency: Int = 20) async throws {
        await (try await start(concurrency: concurrency, drains: true)).ended()
    }

    /// Starts a worker; without `drains` it works until it is stopped.
    ///
    /// `url`: how it reaches the database, a relay for example. `files`: other job files than the world's.
    func start(
        concurrency: Int = 20, drains: Bool = false, level: Level = .debug,
        through url: String? = nil, files: [JobFile]? = nil,
        change: (inout WorkerSettings) -> Void = { _ in }
    ) async throws -> RunningWorker {
        try await holdTicks()
        let configuration = try DatabaseConfiguration(
            conninfo: TestCluster.worker(of: url ?? database.url),
            applicationName: "jobrunner-worker", lanes: 2)
        let own = Queue(Database(configuration))
        let budgets = Budgets(own)
        let log = Log(LogSettings(level: level), sink: lines.sink)
        let client = HTTPClient(userAgent: "jobrunner-test")
        var settings = WorkerSettings(
            concurrency: concurrency, drains: drains, host: "test", pid: getpid(), version: "test")
        settings.poll = .milliseconds(20)
        settings.supervision = .milliseconds(100)
        // An hour after the first failure: a failed job is due again when a test says so.
        settings.failedWait = 120
        change(&settings)
        let files = files ?? [file] + others.withLock { $0 }
        var services = Services(
            queue: own, client: client, budgets: budgets,
            keys: keeper.map { TenantKeys($0, own) }, log: log, dialect: cloudKitDialect)
        services.takeSecrets(for: files)
        let worker = Worker(
            settings, configuration: configuration, queue: own, files: files,
            sync: Syncer(services),
            budgets: budgets, log: log)
        return RunningWorker(worker, database: own.database)
    }

    /// Moves time in rows: every waiting job becomes due.
    func makeDue() async throws {
        try await given(.due(.waiting))
    }
}

extension World {
    /// The shipped file, its budget and waits shortened so that a test need not wait for them.
    static func metube(_ changes: [(String, String)] = []) -> String {
        let path = packageRoot.appending(path: "jobs/metube/refresh.yaml")
        var text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
        for (old, new) in [
            ("per_second: 20", "per_second: 100000"), ("first: 1s", "first: 20ms"),
            ("concurrent: 8", "concurrent: 500"),
        ]
            + changes
        {
            precondition(text.contains(old), "the job file no longer says '\(old)'")
            text = text.replacing(old, with: new)
        }
        return text
    }
}

let packageRoot = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
