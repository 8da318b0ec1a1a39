public import JSON

/// One job file, checked and compiled: everything a run needs to know, and nothing about a user.
public struct JobFile: Sendable, Equatable {
    /// Unique name of the job, such as `metube.refresh`.
    public var name: String
    /// What people call this sort of job: `refresh`, `status` or another word.
    public var kind: String
    /// Free text for people.
    public var note: String?
    public var schedule: Schedule
    public var source: Source
    /// The named local id lists, in file order.
    public var lists: [ListTable]
    /// The named requests, in file order.
    public var calls: [Call]
    /// The steps before the entities, in file order.
    public var before: [BeforeStep]
    /// What the job syncs; file order is run order (ST1).
    public var entities: [Entity]
}

/// When a job is due and how long one run of it may take.
public struct Schedule: Sendable, Equatable {
    public enum Spread: String, Sendable { case user, none }
    public var every: Duration
    /// `user`: a fixed phase per user within the period; `none`: every user on the period's edge.
    public var spread: Spread
    /// Monotonic limit of one run, everything included.
    public var deadline: Duration
    /// What must exist before the run asks for anything; else the run is skipped or `needs_reauth`.
    public var requires: [Requirement]
}

public enum Requirement: Sendable, Equatable {
    /// Missing: outcome `needs_reauth`.
    case secret(String)
    /// Missing attribute: outcome `skipped`.
    case user(String)
}

/// The external system, shared by all users of a tenant.
public struct Source: Sendable, Equatable {
    public var id: String
    /// `scheme://host[:port][/prefix]` without a trailing slash; a tenant may override it.
    public var base: String
    public var auth: Authentication
    /// Limit of one request.
    public var timeout: Duration
    public var retry: RetryRule
    public var rate: Rate?
    /// Header fields sent with every request.
    public var headers: [NamedTemplate]
}

public enum Authentication: Sendable, Equatable {
    case none
    case basic(user: Template, password: Template)
    case bearer(token: Template)
    case header(name: String, value: Template)
    case query(name: String, value: Template)
}

/// Requests a source allows, shared by all workers (DESIGN: budget).
public struct Rate: Sendable, Equatable {
    public var perSecond: Double?
    public var concurrent: Int?
    public var concurrentPerUser: Int?
}

/// In-run retries of one request; never of 401, 421 or another 4xx (MH8).
public struct RetryRule: Sendable, Equatable {
    public enum Class: Sendable, Equatable {
        case network
        case timeout
        case status(Int)
        /// `5xx`
        case serverErrors
    }
    public enum WaitSource: Sendable, Equatable {
        case header(String)
        case body(Path)
    }
    /// Requests in all, the first included; 1 means no retry.
    public var attempts: Int
    /// Wait before the second attempt.
    public var first: Duration
    public var factor: Double
    /// Share of the wait that is random, 0…1.
    public var jitter: Double
    public var on: [Class]
    public var waitFrom: [WaitSource]
}

/// A local list of ids per user: `synced.<table>(user_id, <column>)`.
public struct ListTable: Sendable, Equatable {
    public var name: String
    public var table: String
    public var column: String
}

/// What is sent: every part may hold placeholders.
public struct Request: Sendable, Equatable {
    public var method: String
    /// Path below the source's base, starting with `/`.
    public var path: Template
    public var query: [NamedTemplate]
    public var headers: [NamedTemplate]
    public var body: BodyTemplate?
}

public struct NamedTemplate: Sendable, Equatable {
    public var name: String
    public var value: Template
}

/// A named request around the entities.
public struct Call: Sendable, Equatable {
    public enum FailurePolicy: String, Sendable { case fail, warn }
    public var name: String
    public var request: Request
    /// Status codes that are success.
    public var expect: [Int]
    /// False: the call is made once whatever happens.
    public var retries: Bool
    /// Not called when this list is empty (MH5).
    public var skipIfEmpty: String?
    /// At most one success per user in this span (MH28).
    public var minGap: Duration?
    public var onFailure: FailurePolicy
}

public struct BeforeStep: Sendable, Equatable {
    public var call: String
    /// Empty: always. Else: when any condition holds.
    public var ifAny: [Condition]
}

public enum Condition: Sendable, Equatable {
    case equals(Template, JSONValue)
    /// The named call never succeeded for this user.
    case neverSucceeded(String)
    /// The list differs from what the call it guards last sent with success.
    case listChanged(String)
    /// The user has no row in `synced.<table>` (MH17).
    case tableEmpty(String)
}

/// One kind of record a job syncs.
public struct Entity: Sendable, Equatable {
    public var name: String
    public var request: Request
    public var page: Page
    public var incremental: Incremental?
    public var records: Records
    public var write: Write
    public var recover: [Recovery]
}

/// How a pass goes from page to page.
public struct Page: Sendable, Equatable {
    public enum URLPlace: Sendable, Equatable {
        case body(Path)
        case header(String)
    }
    public enum Style: Sendable, Equatable {
        case single
        case token(at: Path)
        case nextURL(URLPlace)
        case linkHeader
        /// Position plus records received; ends at an empty page or `totalAt`.
        case offset(start: Int, totalAt: Path?)
        /// Page number; ends at an empty page or `lastAt`.
        case number(start: Int, lastAt: Path?)
        /// Largest position seen, from `tokenAt` in the body or from a mapped field of the records.
        case keyset(KeysetPlace, start: String)
    }
    public enum KeysetPlace: Sendable, Equatable {
        case body(Path)
        case field(String)
    }
    public var style: Style
    public var size: Int?
    /// Reaching it yields (partial, cursor kept); it never ends a pass (MH11).
    public var maxPages: Int?
    /// `end: short_page`: fewer records than `size` end the pass as well.
    public var endsAtShortPage: Bool
    /// Keyset only: the position outlives the pass.
    public var persists: Bool
}

/// What makes a pass incremental: the watermark and the way it is sent as `{since}`.
public struct Incremental: Sendable, Equatable {
    public enum Watermark: String, Sendable { case runStart = "run_start", maxSeen = "max_seen" }
    public enum Format: String, Sendable {
        case iso8601, epochSeconds = "epoch_s", epochMilliseconds = "epoch_ms", raw
    }
    public var watermark: Watermark
    /// Taken off the committed watermark when it is sent.
    public var overlap: Duration
    public var format: Format
    /// Any of these holds: the pass is full although a watermark exists.
    public var fullIf: [Condition]
}

/// Where the records are and what becomes of each.
public struct Records: Sendable, Equatable {
    public var at: Path
    /// Names of fields, all required.
    public var key: [String]
    public var fields: [Field]
    /// All must hold, else the record is counted `filtered`.
    public var keepIf: [KeepRule]
}

public struct Field: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case text, timestamp, duration, int, double, bool, json, url
    }
    public var name: String
    /// Empty: the whole record.
    public var at: Path
    public var kind: Kind
    /// Missing: the record is counted `skipped_incompatible` (MH19).
    public var required: Bool
    public var defaultValue: JSONValue?
    /// Permitted texts; another one makes the record incompatible.
    public var oneOf: [String]?
}

public struct KeepRule: Sendable, Equatable {
    public enum Comparison: String, Sendable, CaseIterable { case gte, gt, lte, lt, eq, ne }
    public var field: String
    public var comparison: Comparison
    public var value: JSONValue
}

public struct Write: Sendable, Equatable {
    public enum Mode: String, Sendable, CaseIterable {
        case insertNew = "insert_new"
        case overwrite
        case newestWins = "newest_wins"
    }
    public var table: String
    public var mode: Mode
    /// Field that decides which version is newer; required by `newest_wins` and `max_seen`.
    public var newerBy: String?
}

/// What to do when a page's request is answered with a declared failure.
public struct Recovery: Sendable, Equatable {
    public enum Then: String, Sendable, CaseIterable {
        case retryRequest = "retry_request"
        case fullPass = "full_pass"
        case fail
    }
    /// Also the error's word when recovery is spent, such as `user_not_found` (MH13).
    public var name: String
    public var statuses: [Int]
    /// Names of calls, made in order; a call whose list is empty makes recovery impossible (MH14).
    public var steps: [String]
    public var then: Then
    /// At most so many times per run.
    public var times: Int
}
