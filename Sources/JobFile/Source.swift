/// The external system, shared by all users of a tenant.
public struct Source: Sendable, Equatable {
    /// What budget and breaker are shared by; files with one id must say the same of it.
    public var id: String
    /// `scheme://host[:port][/prefix]` without a trailing slash; a tenant may override it.
    public var base: String
    /// How a request proves whose it is.
    public var auth: Authentication
    /// Limit of one request.
    public var timeout: Duration
    /// In-run retries of one request.
    public var retry: RetryRule
    /// What the source allows; nil: as much as we like.
    public var rate: Rate?
    /// Header fields sent with every request.
    public var headers: [NamedTemplate]
}

/// How a request proves whose it is; secrets stay placeholders until it is sent.
public enum Authentication: Sendable, Equatable {
    case none
    case basic(user: Template, password: Template)
    case bearer(token: Template)
    case header(name: String, value: Template)
    case query(name: String, value: Template)
}

/// Requests a source allows, shared by all workers (DESIGN: budget).
public struct Rate: Sendable, Equatable {
    /// Requests a second.
    public var perSecond: Double?
    /// Requests at the same time.
    public var concurrent: Int?
    /// Requests at the same time for one user.
    public var concurrentPerUser: Int?
}

/// In-run retries of one request; never of 401, 421 or another 4xx (MH8).
public struct RetryRule: Sendable, Equatable {
    /// A sort of failure that may pass by itself.
    public enum Class: Sendable, Equatable {
        case network
        case timeout
        case status(Int)
        /// `5xx`
        case serverErrors
    }
    /// Where a server says how long to wait.
    public enum WaitSource: Sendable, Equatable {
        case header(String)
        case body(Path)
    }
    /// Requests in all, the first included; 1 means no retry.
    public var attempts: Int
    /// Wait before the second attempt.
    public var first: Duration
    /// What each wait is multiplied by for the next.
    public var factor: Double
    /// Share of the wait that is random, 0…1.
    public var jitter: Double
    /// The failures that are retried.
    public var on: [Class]
    /// Where a server's own wait is looked for, in order.
    public var waitFrom: [WaitSource]
}
