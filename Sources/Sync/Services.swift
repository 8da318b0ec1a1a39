public import JobFile
public import Queue
public import Secrets
public import Telemetry

/// What a run needs of the process around it.
public struct Services: Sendable {
    /// The verbs of the database.
    public var queue: Queue
    /// Sends what runs ask of sources.
    public var client: any Sender
    /// What this worker may ask of sources.
    public var budgets: Budgets
    /// Opens secrets; nil: there is no key file, and a job with secrets needs one.
    public var sealer: Sealer?
    /// Where events go.
    public var log: Log
    /// Access tokens of OAuth 2.0 that are still good.
    public var tokens = AccessTokens()
    /// The statements of the entities that runs have written so far.
    public var writes = WritesCache()
    /// Makes the dialect of a source that has a preset; the composition root knows them.
    public var dialect: @Sendable (Source) -> (any SourceDialect)?

    /// Gathers what runs share.
    public init(
        queue: Queue, client: any Sender, budgets: Budgets, sealer: Sealer?, log: Log,
        dialect: @escaping @Sendable (Source) -> (any SourceDialect)? = { _ in nil }
    ) {
        self.dialect = dialect
        self.queue = queue
        self.client = client
        self.budgets = budgets
        self.sealer = sealer
        self.log = log
    }
}
