public import JobFiles
public import JobQueue
public import Telemetry

/// What the sessions of a process share.
public struct SourceTools: Sendable {
    /// Stores what a source replaces, and holds the budget that all workers share.
    public var queue: Queue
    /// Sends what runs ask of sources.
    public var client: any Sender
    /// What this worker may ask of sources.
    public var budgets: Budgets
    /// Open secrets; nil when there is no key file, and a job with secrets needs one.
    public var keys: TenantKeys?
    /// What is measured.
    public var metrics: Metrics
    /// The job files that take secrets from records of other jobs.
    public var takers: [JobFile] = []
    /// Access tokens of OAuth 2.0 that are still good.
    public var tokens = AccessTokens()
    /// Makes the dialect of a source that has a preset; the composition root knows them.
    public var dialect: @Sendable (Source) -> (any SourceDialect)?

    /// Gathers what sessions share.
    public init(
        queue: Queue, client: any Sender, budgets: Budgets, keys: TenantKeys?,
        metrics: Metrics = Metrics(),
        dialect: @escaping @Sendable (Source) -> (any SourceDialect)? = { _ in nil }
    ) {
        self.queue = queue
        self.client = client
        self.budgets = budgets
        self.keys = keys
        self.metrics = metrics
        self.dialect = dialect
    }
}
