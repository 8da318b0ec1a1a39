public import Asking
import HTTP
public import JobFiles
import Postgres
public import JobQueue
import Runner
import Schema
public import Secrets
import Sync
import Telemetry

/// Tries which guarantees a job holds, by real runs of it in a scratch database.
///
/// The copy of the job that runs pushes nothing, repeats no request, and has neither budget, probe
/// nor freshness: they would slow it, or keep it from reading what it is to be judged by.
public final class GuaranteeSuite: Sendable {
    static let tenant = "test"
    let file: JobFile
    let source: any Sender
    let pages: Pages
    let rows: ScratchRows
    private let scratch: ScratchDatabase
    private let queue: Queue
    private let keys: KeyKeeper
    private let dialect: @Sendable (Source) -> (any SourceDialect)?
    private let tokens = AccessTokens()
    private let version: String

    /// Prepares for a job, over what answers its requests.
    public init(
        _ file: JobFile, in scratch: ScratchDatabase, source: any Sender, keys: KeyKeeper,
        version: String,
        dialect: @escaping @Sendable (Source) -> (any SourceDialect)?
    ) {
        self.file = file.forTests
        self.source = source
        self.scratch = scratch
        self.keys = keys
        self.version = version
        self.dialect = dialect
        pages = Pages(file)
        let database = Database(scratch.configuration)
        queue = Queue(database)
        rows = ScratchRows(database: database, file: self.file)
    }

    /// Makes the schema, a tenant and its user.
    ///
    /// `base`: the source's address in place of the file's. Throws `SchemaError`, `QueueError`.
    public func prepare(
        base: String?, attributes: String, lists: [(column: ListColumn, items: [String])],
        seal: Sealing?
    ) async throws {
        _ = try await Migrator(database: queue.database).migrate(jobFiles: [file])
        var tenant = TenantChange(name: Self.tenant)
        tenant.jobs = [file.name]
        tenant.sources = base.map { [(id: file.source.id, base: $0)] } ?? []
        if file.scope == .tenant { tenant.seal = seal }
        _ = try await queue.addTenant(tenant)
        guard file.scope == .user else { return }
        var user = UserChange(tenant: Self.tenant, key: "test")
        user.attributes = attributes
        user.lists = lists
        user.seal = seal
        _ = try await queue.addUser(user)
    }

    /// Lets go of the scratch database.
    public func close() async { await queue.database.close() }

    /// Runs the job until nothing of it is due; tells how that ended.
    ///
    /// Throws `CancellationError` when the task was cancelled meanwhile.
    @discardableResult
    func runJob(through sender: any Sender) async throws -> RunResult {
        let budgets = Budgets(queue)
        let log = Log(sink: LineSink { _ in true })
        var services = Services(
            queue: queue, client: sender, budgets: budgets, keys: TenantKeys(keys, queue), log: log,
            dialect: dialect)
        services.tools.tokens = tokens
        let worker = Worker(
            WorkerSettings(concurrency: 1, drains: true, host: "test", pid: 1, version: version),
            configuration: scratch.configuration, queue: queue, files: [file],
            sync: Syncer(services), budgets: budgets, log: log)
        let (signals, continuation) = AsyncStream.makeStream(of: WorkerSignal.self)
        _ = await withTaskCancellationHandler {
            await worker.run(signals)
        } onCancel: {
            continuation.yield(.abort)
        }
        continuation.finish()
        try Task.checkCancellation()
        return try await rows.lastRun()
    }

    /// From a clean state, through a sender; the rest as `runJob`.
    func runJobFromClean(through sender: any Sender) async throws -> RunResult {
        try await rows.clean()
        return try await runJob(through: sender)
    }

    /// Asks for a full pass of every entity, whatever holds it back.
    func requestFullPass() async throws {
        try await rows.makeDue()
        var request = RunRequest()
        request.isFull = true
        request.isForced = true
        let user = file.scope == .tenant ? "*" : "test"
        _ = try await queue.enqueue(
            JobScope(tenant: Self.tenant, user: user, job: file.name), request)
    }
}

extension JobFile {
    /// A tick may not come into the middle of a test.
    private static let rarely = Duration.seconds(30 * 86_400)

    /// What of the job is run.
    fileprivate var forTests: JobFile {
        var file = self
        file.schedule.every = Self.rarely
        file.freshness = nil
        file.source.retry.attempts = 1
        file.source.rate = nil
        for index in file.entities.indices {
            file.entities[index].push = nil
            file.entities[index].probe = nil
        }
        return file
    }
}
