public import Asking
public import JobFiles
public import JobQueue
public import Telemetry
import Writing

/// What a run needs of the process around it.
public struct Services: Sendable {
    /// The verbs of the database.
    public var queue: Queue
    /// What runs share of their conversations with sources.
    public var tools: SourceTools
    /// Where events go.
    public var log: Log
    /// What is measured.
    public var metrics: Metrics
    /// The statements of the entities that runs have written so far.
    let writes = WritesCache()

    /// Gathers what runs share.
    ///
    /// `dialect` makes the dialect of a source that has a preset; the composition root knows them.
    public init(
        queue: Queue, client: any Sender, budgets: Budgets, keys: TenantKeys?, log: Log,
        metrics: Metrics = Metrics(),
        dialect: @escaping @Sendable (Source) -> (any SourceDialect)? = { _ in nil }
    ) {
        self.queue = queue
        self.log = log
        self.metrics = metrics
        tools = SourceTools(
            queue: queue, client: client, budgets: budgets, keys: keys, metrics: metrics,
            dialect: dialect)
    }

    /// What records bring is sealed for those of the files that take it.
    public mutating func takeSecrets(for files: [JobFile]) {
        tools.takers = files.filter { !$0.source.secrets.isEmpty }
    }
}
