import CLinux
import CloudKit
import Glibc
import HTTP
import Postgres
import Queue
import Runner
import Schema
import Secrets
import Sync
import Telemetry

/// `jobrunner worker`: puts the parts together and lets them run.
enum WorkerCommand {
    /// Sessions for claims, pages and outcomes: more than two per core gain nothing.
    private static let lanes = 4
    private static let concurrencyDefault = 50
    /// Shorter, and a busy machine alone would make workers look dead.
    private static let leaseMin = Duration.seconds(1)

    /// Claims due jobs and runs them until told to stop, or with `--drain` until nothing is left.
    static func run(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
        returnLargeBuffers()
        let files = try context.settings.jobFiles()
        let log = Log(context.settings.log)
        let sealer = context.settings.hasKeyFile ? try context.settings.sealer() : nil
        var configuration = try context.settings.databaseConfiguration(lanes: lanes)
        configuration.plansOnce = true
        let concurrency = arguments.integer("concurrency") ?? concurrencyDefault
        let database = Database(configuration)
        try await checkSchema(database, log)

        let queue = Queue(database)
        try await checkKey(sealer, queue)
        let budgets = Budgets(queue)
        let client = HTTPClient(
            userAgent: "jobrunner/\(programVersion)", transfersMax: concurrency,
            connectionsPerHostMax: concurrency)
        var settings = WorkerSettings(
            concurrency: concurrency, drains: arguments.has("drain"), host: hostName(),
            pid: getpid(), version: programVersion)
        if let lease = arguments.duration("lease") { settings.lease = max(lease, leaseMin) }
        let worker = Worker(
            settings, configuration: configuration, queue: queue, files: files,
            sync: Sync(
                Services(
                    queue: queue, client: client, budgets: budgets, sealer: sealer, log: log,
                    dialect: cloudKitDialect)),
            budgets: budgets, log: log)
        async let checks: Void = logHealth(queue, files: files, log)
        await worker.run(Signals.stream())
        // A worker that was told to stop drops them: at the end of the scope they are cancelled.
        if arguments.has("drain") { await checks }
        client.close()
        await database.close()
        return .ok
    }

    /// A worker may start before its database; a schema it can't work with is refused.
    private static func checkSchema(_ database: Database, _ log: Log) async throws {
        var isLost = false
        while true {
            do {
                return try await Migrator(database: database).check()
            } catch let error as DatabaseError where error.isConnectionFailure || error.isTransient
            {
                if !isLost { log.emit(.databaseLost(Subject(), error: "\(error)")) }
                isLost = true
                if Signals.isPending { throw error }
                try await Task.sleep(for: .milliseconds(500), clock: .continuous)
            }
        }
    }

    /// Secrets that this worker's key does not open would park every job that needs them.
    private static func checkKey(_ sealer: Sealer?, _ queue: Queue) async throws {
        let foreign = try await queue.sealingKeys().filter { $0 != sealer?.keyID }
        guard let first = foreign.first else { return }
        guard let sealer else {
            throw Failure(
                .configuration,
                "secrets are sealed with key \(first), but JOBRUNNER_KEY_FILE is not set")
        }
        throw Failure(
            .configuration,
            "secrets are sealed with key \(first), but JOBRUNNER_KEY_FILE holds \(sealer.keyID)")
    }

    private static func hostName() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "unknown" }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A page's body, tape and columns go back to the system when they are done with.
///
/// Left alone the allocator learns from the first large page to keep all such buffers, in an arena for
/// every thread.
private func returnLargeBuffers() {
    mallopt(M_MMAP_THRESHOLD, 256 << 10)
    mallopt(M_ARENA_MAX, 2)
}
