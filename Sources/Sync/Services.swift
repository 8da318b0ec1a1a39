public import HTTP
public import Queue
public import Secrets
public import Telemetry

/// What a run needs of the process around it.
public struct Services: Sendable {
    public var queue: Queue
    public var client: HTTPClient
    public var budgets: Budgets
    public var sealer: Sealer?
    public var log: Log

    /// Gathers what runs share.
    public init(queue: Queue, client: HTTPClient, budgets: Budgets, sealer: Sealer?, log: Log) {
        self.queue = queue
        self.client = client
        self.budgets = budgets
        self.sealer = sealer
        self.log = log
    }
}
