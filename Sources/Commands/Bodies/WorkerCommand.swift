import Asking
import CLinux
import CloudKit
import Glibc
import HTTP
import JobFiles
import Postgres
import JobQueue
import Runner
import Schema
import Secrets
import Serving
import Sync
import Telemetry

/// `jobrunner worker`: puts the parts together and lets them run.
enum WorkerCommand {
    /// Shorter, and a busy machine alone would make workers look dead.
    private static let leaseMin = Duration.seconds(1)

    /// After a signal the process is gone by then, whatever hangs.
    private static let stopMax = Duration.seconds(9.5)
    /// Between looks for a database that is away at the start.
    private static let startPause = Duration.milliseconds(500)

    /// Claims due jobs and runs them until told to stop, or with `--drain` until nothing is left.
    static func run(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
        returnLargeBuffers()
        let log = Log(context.settings.log)
        let metrics = Metrics()
        let endpoint = WorkerEndpoint(metrics)
        let readable = try jobFiles(context.settings, endpoint, log)
        let keeper = context.settings.hasKeyFile ? try context.settings.keyKeeper() : nil
        let networks = try context.settings.privateNetworks()
        let (configuration, work) = try databaseConfigurations(arguments, context.settings)
        let queue = Queue(Database(work))
        var settings = workerSettings(arguments)
        let openFiles = OpenFiles.raised()
        fit(&settings, into: openFiles, endpoint, log)
        metrics.begin(readable)
        let server = try listen(arguments, context.settings, endpoint, log)
        let starting = Task {
            try await patiently(log, settings) {
                try await askDirectWay(configuration, besides: work)
                return try await begin(with: readable, keeper, queue, endpoint, log)
            }
        }
        let checks = Task {
            if case .success(let files) = await starting.result {
                await logHealth(queue, files: files, log)
            }
        }
        let signals = Signals.stream(
            endingWithin: stopMax, asked: { endpoint.tellState(log) },
            stopping: {
                starting.cancel()
                checks.cancel()
            })
        let files: [JobFile]
        do { files = try await starting.value } catch let error as DatabaseError
            where starting.isCancelled
        {
            throw error.isConnectionFailure
                ? error : Failure(.temporary, "stopped before the database had answered")
        }

        let budgets = Budgets(queue)
        let client = client(settings, openFiles, networks)
        var services = Services(
            queue: queue, client: OwnLimitWatch(client, log), budgets: budgets,
            keys: keeper.map { TenantKeys($0, queue) },
            log: log, metrics: metrics, dialect: cloudKitDialect)
        services.takeSecrets(for: files)
        let worker = Worker(
            settings, configuration: configuration, queue: queue, files: files,
            sync: Syncer(services), budgets: budgets, log: log)
        endpoint.attach(worker)
        let end = await context.settings.serviceManager.watch(worker) { await worker.run(signals) }
        await server?.stop()
        // A worker that was told to stop drops them.
        if !settings.drains { checks.cancel() }
        await checks.value
        client.close()
        await queue.database.close()
        return try exitCode(of: end)
    }

    private static func fit(
        _ settings: inout WorkerSettings, into files: OpenFiles, _ endpoint: WorkerEndpoint,
        _ log: Log
    ) {
        let asked = settings.concurrency
        settings.fit(into: files, log)
        guard settings.concurrency < asked else { return }
        endpoint.lacks(
            "slots: \(settings.concurrency) in place of \(asked), as many as \(files.limit) open files allow"
        )
    }

    /// For the session that stands for the worker, and for all others: claims, pages and outcomes.
    private static func databaseConfigurations(
        _ arguments: ParsedArguments, _ settings: Settings
    ) throws -> (own: DatabaseConfiguration, work: DatabaseConfiguration) {
        guard let connections = arguments.integer("connections") else {
            preconditionFailure("--connections has a default")
        }
        let ways = try settings.databaseConfigurations(lanes: connections - 1)
        return (ofWorker(ways.own), ofWorker(ways.work))
    }

    /// The listener would ask it for ever; who begins is told at once what is wrong with it.
    private static func askDirectWay(
        _ own: DatabaseConfiguration, besides work: DatabaseConfiguration
    ) async throws {
        guard work.isPooled else { return }
        try await Database.withSessions(own) { try await $0.run { _ in } }
    }

    private static func ofWorker(_ way: DatabaseConfiguration) -> DatabaseConfiguration {
        var way = way.comparingServers()
        way.usesGenericPlans = true
        way.serversWanted = .writable
        return way
    }

    /// Whether this program can work on the database, and with which of the files; what it can't is logged.
    private static func begin(
        with files: [JobFile], _ keeper: KeyKeeper?, _ queue: Queue, _ endpoint: WorkerEndpoint,
        _ log: Log
    ) async throws -> [JobFile] {
        let migrator = Migrator(database: queue.database)
        try await migrator.check()
        let unfit = try await migrator.unfit(of: files)
        // The last question to the database: a start that is cut off and repeated tells each lack once.
        try await tellLockedSecrets(keeper, queue, endpoint, log)
        for (name, reason) in unfit.sorted(by: { $0.key < $1.key }) {
            log.emit(.jobFileRefused(Subject(job: name), mistake: reason))
            endpoint.lacks("job file of \(name): \(reason)")
        }
        let fit = files.filter { unfit[$0.name] == nil }
        if fit.isEmpty { endpoint.hasNothing() }
        return fit
    }

    private static func client(
        _ settings: WorkerSettings, _ files: OpenFiles, _ networks: Networks
    ) -> HTTPClient {
        HTTPClient(
            userAgent: "jobrunner/\(programVersion)", privateNetworks: networks,
            transfersMax: settings.concurrency,
            connectionsPerHostMax: settings.concurrency, connectionsMax: files.connectionsMax)
    }

    /// The files that are right; what is wrong with the others is logged.
    private static func jobFiles(
        _ settings: Settings, _ endpoint: WorkerEndpoint, _ log: Log
    ) throws -> [JobFile] {
        let (files, mistakes) = try settings.jobFiles()
        for mistake in mistakes {
            log.emit(.jobFileRefused(Subject(), mistake: mistake.description))
            endpoint.lacks("job file \(mistake)")
        }
        return files
    }

    private static func workerSettings(_ arguments: ParsedArguments) -> WorkerSettings {
        guard let concurrency = arguments.integer("concurrency") else {
            preconditionFailure("--concurrency has a default")
        }
        var settings = WorkerSettings(
            concurrency: concurrency, drains: arguments.has("drain"), host: hostName(),
            pid: getpid(),
            version: programVersion)
        if let reserved = arguments.integer("reserve") { settings.reserved = reserved }
        if let lease = arguments.duration("lease") { settings.lease = max(lease, leaseMin) }
        return settings
    }

    /// Nil when the worker is to answer nobody.
    private static func listen(
        _ arguments: ParsedArguments, _ settings: Settings, _ endpoint: WorkerEndpoint, _ log: Log
    ) throws -> HTTPServer? {
        guard let address = arguments.address("metrics") else { return nil }
        let gate = try ServeGate(settings, address)
        let server = try HTTPServer(address) { gate.refusal(of: $0) ?? endpoint.answer($0) }
        log.emit(.listening(Subject(), address: "\(server.address)"))
        return server
    }

    static func exitCode(of end: WorkerEnd) throws -> ExitCode {
        switch end {
        case .done: return .ok
        case .databaseLost(let error, let lasting):
            throw Failure(
                .unavailable,
                "gave up after \(lasting.components.seconds) s without a database that works: \(error)"
            )
        }
    }

    /// A worker may start before its database, and its first questions may be cut off.
    private static func patiently<R: Sendable>(
        _ log: Log, _ settings: WorkerSettings, _ check: () async throws -> R
    ) async throws -> R {
        let outage = DatabaseOutage()
        while true {
            do {
                return try await check()
            } catch let error as DatabaseError
                where error.isTransient && !error.isRefusedLogin
            {
                if let report = outage.observe(error) {
                    log.emit(
                        .databaseLost(Subject(), error: report.error, failures: report.failures))
                }
                let isHopeless =
                    settings.drains && outage.report(lasting: settings.patience) != nil
                if isHopeless || Task.isCancelled { throw error }
                try? await Task.sleep(for: startPause, clock: .continuous)
            }
        }
    }

    /// What this worker's keys do not open puts off its own jobs (`no_key`) and is no reason to keep all others waiting.
    private static func tellLockedSecrets(
        _ keeper: KeyKeeper?, _ queue: Queue, _ endpoint: WorkerEndpoint, _ log: Log
    ) async throws {
        let own = keeper?.ring.ids ?? []
        for key in try await queue.wrappingKeys() where key.secrets > 0 && !own.contains(key.id) {
            let reason = lockedWords(key.id, own)
            log.emit(.secretsLocked(Subject(), count: key.secrets, reason: reason))
            endpoint.lacks("key file, at its start: \(counted(key.secrets, "secret")) \(reason)")
        }
    }

    private static func lockedWords(_ id: String, _ own: [String]) -> String {
        "of tenants whose keys are wrapped by key \(id), "
            + (own.isEmpty
                ? "but JOBRUNNER_KEY_FILE is not set"
                : "but JOBRUNNER_KEY_FILE holds \(own.joined(separator: ", "))")
            + "; jobrunner doctor names them"
    }

    private static func hostName() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "unknown" }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension Metrics {
    /// Counters that everybody has begin at nothing, so that a rate sees their first increase.
    fileprivate func begin(_ files: [JobFile]) {
        for file in files {
            begin(.runs, file.name, "complete", "")
            for entity in file.entities {
                for fate in ["fetched", "changed", "deleted"] {
                    begin(.records, file.name, entity.name, fate)
                }
            }
        }
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
