import Glibc
import Postgres
import Synchronization

/// Where PostgreSQL's own programs are; `bin/pg` uses the same.
let serverPrograms = "/usr/lib/postgresql/15/bin"

/// A private PostgreSQL of one benchmark, durable, with the settings of `bin/pg start --bench`.
final class Cluster: Sendable {
    private struct State {
        var url = ""
        var administratorURL = ""
        var postmaster: pid_t = 0
    }

    let folder: String
    /// For what programs print.
    let scratch: String
    private let state = Mutex(State())

    init(folder: String, scratch: String) {
        self.folder = folder
        self.scratch = scratch
    }

    /// Of the role that owns the database and nothing else, as the measured programs have it.
    var url: String { state.withLock { $0.url } }
    /// The same for the login of workers.
    var workerURL: String {
        url.replacing("jobrunner@", with: "jobrunner_work@", maxReplacements: 1)
    }
    /// The same for the login of `serve --actions`.
    var pagesURL: String {
        url.replacing("jobrunner@", with: "jobrunner_pages@", maxReplacements: 1)
    }
    /// Of the same database, by a superuser, for instruments; no measured program has it.
    private var administratorURL: String { state.withLock { $0.administratorURL } }

    func start() async throws {
        let said = try await runProgram("bin/pg", ["start", "--bench", folder], in: scratch)
        func address(_ name: String) throws -> String {
            let line = said.split(separator: "\n").first { $0.hasPrefix(name + "=") }
            guard let line else { throw BenchError("bin/pg start said no \(name)") }
            return String(line.dropFirst(name.count + 1))
        }
        let url = try address("DATABASE_URL")
        let administratorURL = try address("ADMINISTRATOR_URL")
        let first = try readFile("\(folder)/data/postmaster.pid").split(separator: "\n").first
        guard let postmaster = first.flatMap({ pid_t($0) }) else {
            throw BenchError("\(folder)/data/postmaster.pid names no process")
        }
        state.withLock { state in
            state.url = url
            state.administratorURL = administratorURL
            state.postmaster = postmaster
        }
    }

    /// Stops the server and removes its folder, also in a task that was cancelled.
    func remove() async {
        let (folder, scratch) = (self.folder, self.scratch)
        guard fileExists(folder) else { return }
        // A start that failed leaves a folder that bin/pg does not take for a cluster.
        let isCluster = fileExists("\(folder)/data/PG_VERSION")
        _ = await Task {
            if isCluster {
                try? await runProgram("bin/pg", ["stop", folder], in: scratch)
            } else {
                try? await runProgram("rm", ["-rf", folder], in: scratch)
            }
        }.value
    }

    /// Processor time of the server's processes, of sessions that have ended too.
    var cpuSeconds: Double { processorSecondsOfTree(state.withLock { $0.postmaster }) }

    /// Lends sessions for the time of the body; statements have ten minutes.
    func withDatabase<R>(
        lanes: Int = 1, asAdministrator: Bool = false, _ body: (Database) async throws -> R
    ) async throws -> R {
        var configuration = try DatabaseConfiguration(
            conninfo: asAdministrator ? administratorURL : url, applicationName: "jobrunner-bench",
            lanes: lanes)
        configuration.statementTimeout = .seconds(600)
        configuration.lockTimeout = .seconds(60)
        configuration.idleInTransactionTimeout = .zero
        return try await Database.withSessions(configuration, body)
    }

    /// Runs SQL with the rights of a superuser: extensions that measure, settings, checkpoints.
    func administer(_ sql: String) async throws {
        try await withDatabase(asAdministrator: true) { try await $0.run { try $0.script(sql) } }
    }

    /// Runs SQL whose rows nobody needs.
    func script(_ sql: String) async throws {
        try await withDatabase { try await $0.run { try $0.script(sql) } }
    }

    /// The rows of one statement.
    func query(_ sql: String, _ binds: Bind...) async throws -> Rows {
        let statement = Statement(sql, binds: binds, cached: false)
        return try await withDatabase { try await $0.run { try $0.query(statement) } }
    }

    /// The rows of one statement, by a superuser: statistics hide what other logins have run.
    func inspect(_ sql: String, _ binds: Bind...) async throws -> Rows {
        let statement = Statement(sql, binds: binds, cached: false)
        return try await withDatabase(asAdministrator: true) {
            try await $0.run { try $0.query(statement) }
        }
    }

    /// A number, the only value of the only row.
    func number(_ sql: String, _ binds: Bind...) async throws -> Double {
        let statement = Statement(sql, binds: binds, cached: false)
        return try await withDatabase {
            try await $0.run { try $0.query(statement).only().double(0) }
        }
    }

    /// Waits until a statement answers true, asking every 20 ms; throws `BenchError` at the limit.
    func wait(
        until sql: String, atMost limit: Duration, _ what: String
    ) async throws {
        let end = ContinuousClock.now + limit
        try await withDatabase { database in
            while try await !database.run({ try $0.query(Statement(sql)).only().bool(0) }) {
                guard ContinuousClock.now < end else {
                    throw BenchError("waited \(limit.components.seconds) s for \(what)")
                }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// The server's clock, in seconds since 1970.
    func now() async throws -> Double {
        try await number("select extract(epoch from clock_timestamp())::float8")
    }

    /// Removes dead rows and writes dirty pages, so that no round pays for the one before.
    func settle(_ tables: String...) async throws {
        for table in tables { try await script("vacuum (analyze) \(table)") }
        try await administer("checkpoint")
    }
}
