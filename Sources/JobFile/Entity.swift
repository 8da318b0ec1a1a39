/// One kind of record a job syncs.
public struct Entity: Sendable, Equatable {
    /// Unique in its file; names the checkpoint.
    public var name: String
    /// What is sent for each page.
    public var request: Request
    /// How a pass goes from page to page.
    public var page: Page
    /// What makes a pass incremental; nil: every pass is full.
    public var incremental: Incremental?
    /// Where the records are.
    public var records: Records
    /// Where they go.
    public var write: Write
    /// Declared failures and their cures, in file order.
    public var recover: [Recovery]
}

/// How a pass goes from page to page.
public struct Page: Sendable, Equatable {
    /// Where the next page's whole URL is.
    public enum URLPlace: Sendable, Equatable {
        case body(Path)
        case header(String)
    }
    /// Where the next position is and what ends a pass.
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
    /// Where a keyset's position is.
    public enum KeysetPlace: Sendable, Equatable {
        case body(Path)
        case field(String)
    }
    /// Where the next position is.
    public var style: Style
    /// Records asked for at once, 1…10000: `{page.size}`.
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
    /// What a complete pass commits: its start, or the largest `newer_by` it has seen.
    public enum Watermark: String, Sendable, CaseIterable {
        case runStart = "run_start"
        case maxSeen = "max_seen"
    }
    /// How a watermark is written into a request.
    public enum Format: String, Sendable, CaseIterable {
        case iso8601
        case epochSeconds = "epoch_s"
        case epochMilliseconds = "epoch_ms"
        case raw
    }
    /// What a complete pass commits.
    public var watermark: Watermark
    /// Taken off the committed watermark when it is sent.
    public var overlap: Duration
    /// How it is written into a request.
    public var format: Format
    /// Any of these holds: the pass is full although a watermark exists.
    public var fullIf: [Condition]
}

/// What to do when a page's request is answered with a declared failure.
public struct Recovery: Sendable, Equatable {
    /// What follows the steps.
    public enum Then: String, Sendable, CaseIterable {
        case retryRequest = "retry_request"
        case fullPass = "full_pass"
        case fail
    }
    /// Also the error's word when recovery is spent, such as `user_not_found` (MH13).
    public var name: String
    /// The status codes that mean this failure.
    public var statuses: [Int]
    /// Names of calls, made in order; a call whose list is empty makes recovery impossible (MH14).
    public var steps: [String]
    /// What follows the steps.
    public var then: Then
    /// At most so many times per run.
    public var times: Int
}
