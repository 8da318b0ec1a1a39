/// One kind of record a job syncs.
///
/// What it holds stands behind one reference: a run hands it to a dozen of its parts, and each copy would count all that
/// it refers to. A change makes a copy of its own.
public struct Entity: Sendable, Equatable {
    private struct Values: Equatable {
        var name: String
        var isEnabled: Bool
        var cloudkit: CloudKitOperation?
        var request: Request
        var continuation: Request?
        var errors: [ErrorRule]
        var page: Page
        var incremental: Incremental?
        var records: Records
        var write: Write
        var recover: [Recovery]
        var forEach: ForEach?
        var probe: Probe?
        var isConditional: Bool
        var push: Push?
        var requiresPrevious: Bool
        var question: Question
    }

    private final class Storage: Sendable {
        let values: Values

        init(_ values: Values) { self.values = values }
    }

    private var storage: Storage

    init(
        name: String,
        isEnabled: Bool,
        cloudkit: CloudKitOperation? = nil,
        request: Request,
        continuation: Request? = nil,
        errors: [ErrorRule] = [],
        page: Page,
        incremental: Incremental? = nil,
        records: Records,
        write: Write,
        recover: [Recovery],
        forEach: ForEach? = nil,
        probe: Probe? = nil,
        isConditional: Bool,
        push: Push? = nil,
        requiresPrevious: Bool = false,
        question: Question = Question()
    ) {
        storage = Storage(
            Values(
                name: name, isEnabled: isEnabled, cloudkit: cloudkit, request: request,
                continuation: continuation, errors: errors, page: page, incremental: incremental,
                records: records, write: write, recover: recover, forEach: forEach, probe: probe,
                isConditional: isConditional, push: push, requiresPrevious: requiresPrevious,
                question: question))
    }

    /// Whether all that they hold is the same.
    public static func == (one: Entity, other: Entity) -> Bool {
        one.storage === other.storage || one.storage.values == other.storage.values
    }

    private mutating func change(_ change: (inout Values) -> Void) {
        var values = storage.values
        change(&values)
        storage = Storage(values)
    }
}

// What it holds; `_read` lends a value where `get` would copy it.
extension Entity {
    /// Unique in its file; names the checkpoint.
    public var name: String {
        _read { yield storage.values.name }
        set { change { $0.name = newValue } }
    }
    /// False: declared, and left alone by runs.
    public var isEnabled: Bool {
        _read { yield storage.values.isEnabled }
        set { change { $0.isEnabled = newValue } }
    }
    /// The preset's operation, which `request` was made of; nil when the file has a request of its own.
    public var cloudkit: CloudKitOperation? {
        _read { yield storage.values.cloudkit }
        set { change { $0.cloudkit = newValue } }
    }
    /// What is sent for each page.
    public var request: Request {
        _read { yield storage.values.request }
        set { change { $0.request = newValue } }
    }
    /// What is sent for each page behind a position, where that is another request; nil means the same.
    public var continuation: Request? {
        _read { yield storage.values.continuation }
        set { change { $0.continuation = newValue } }
    }
    /// What an answer means that is no list, in file order; the first that fits holds.
    public var errors: [ErrorRule] {
        _read { yield storage.values.errors }
        set { change { $0.errors = newValue } }
    }
    /// How a pass goes from page to page.
    public var page: Page {
        _read { yield storage.values.page }
        set { change { $0.page = newValue } }
    }
    /// What makes a pass incremental; nil when every pass is full.
    public var incremental: Incremental? {
        _read { yield storage.values.incremental }
        set { change { $0.incremental = newValue } }
    }
    /// Where the records are.
    public var records: Records {
        _read { yield storage.values.records }
        set { change { $0.records = newValue } }
    }
    /// Where they go.
    public var write: Write {
        _read { yield storage.values.write }
        set { change { $0.write = newValue } }
    }
    /// Declared failures and their cures, in file order.
    public var recover: [Recovery] {
        _read { yield storage.values.recover }
        set { change { $0.recover = newValue } }
    }
    /// What it has a pass each for; nil means one pass.
    public var forEach: ForEach? {
        _read { yield storage.values.forEach }
        set { change { $0.forEach = newValue } }
    }
    /// The small request that tells whether a pass is worth reading; nil means none.
    public var probe: Probe? {
        _read { yield storage.values.probe }
        set { change { $0.probe = newValue } }
    }
    /// `ETag` and `Last-Modified` of a pass's first answer are sent back; 304 ends the next pass.
    public var isConditional: Bool {
        _read { yield storage.values.isConditional }
        set { change { $0.isConditional = newValue } }
    }
    /// How local edits reach the source; nil means never.
    public var push: Push? {
        _read { yield storage.values.push }
        set { change { $0.push = newValue } }
    }
    /// Synced only in a run that has read the entity before it to its end.
    public var requiresPrevious: Bool {
        _read { yield storage.values.requiresPrevious }
        set { change { $0.requiresPrevious = newValue } }
    }
    /// What decides which records its answers hold.
    public var question: Question {
        _read { yield storage.values.question }
        set { change { $0.question = newValue } }
    }
}

/// The small request that tells whether a pass is worth reading.
public struct Probe: Sendable, Equatable {
    /// What is sent.
    public var request: Request
    /// Values of the answer that are the same as last time when nothing changed.
    public var skipIfSame: [Path]
    /// After so long a pass is read whatever the probe says; it can't see deletions.
    public var fullEvery: Duration
    /// The preset's form: the order whose first record is compared; none in a request of the file's
    /// own.
    public var sort: [CloudKitQuery.Sort] = []
}

/// How local edits reach the source.
public struct Push: Sendable, Equatable {
    /// How a row is written at the source.
    public enum Operation: String, Sendable, CaseIterable {
        case createOrUpdateWithTag = "create_or_update_with_tag"
        /// Whatever is there is overwritten.
        case force
    }
    /// What a conflict's look-up leads to.
    public enum Resolution: String, Sendable, CaseIterable {
        case newestWins = "newest_wins"
        case remoteWins = "remote_wins"
    }
    /// Rows in one request, 1…200.
    public var batch: Int
    /// The record type.
    public var recordType: String
    /// Name of a row's record, of `{row.x}` placeholders.
    public var recordName: Template
    /// How a row is written.
    public var operation: Operation
    /// What a conflict's look-up leads to.
    public var resolution: Resolution
    /// Rounds of look-up and new attempt per batch, 0…10; what is left stays dirty.
    public var conflictRounds: Int
    /// Rows marked `pending_delete` are deleted at the source too.
    public var sendsDeletes: Bool
    /// A local edit makes the job due after this span; nil when edits wait for the schedule.
    public var debounce: Duration?
}

/// How a pass goes from page to page.
public struct Page: Sendable, Equatable {
    /// Where the next page's whole URL is.
    public enum URLLocation: Sendable, Equatable {
        case body(Path)
        case header(String)
        /// At the first of these places of the body that has one.
        case firstOf([Path])
    }
    /// Where a token for the next page is.
    public enum TokenLocation: Sendable, Equatable {
        case body(Path)
        case header(String)
        /// In the last record of the page.
        case lastRecord(Path)
        /// Numbers of the body that make the next position together; the pass ends where that is not below another one.
        case sum([Addend], below: Path?)
    }
    /// What a sum is made of.
    public enum Addend: Sendable, Equatable {
        case at(Path)
        case number(Int)
    }
    /// What ends a pass beside its style's own sign.
    public enum End: String, Sendable, CaseIterable {
        case shortPage = "short_page"
        case emptyPage = "empty_page"
        /// The page shows the records of the one before.
        case repeated
    }
    /// A parameter of a link by which the source says that no more follows.
    public struct LinkSign: Sendable, Equatable {
        /// Name of the parameter.
        public var name: String
        /// Its value then.
        public var value: String
    }
    /// Where the next position is and what ends a pass.
    public enum Style: Sendable, Equatable {
        case single
        case token(TokenLocation)
        case nextURL(URLLocation)
        /// Ends where there is no link, or where it bears all of the signs, of which there may be none.
        case linkHeader(endIf: [LinkSign])
        /// Position plus records received; ends at an empty page or `totalAt`.
        case offset(start: Int, totalAt: Path?)
        /// Page number; ends where the source says so, else at an empty page.
        case number(start: Int, end: NumberEnd?)
        /// Largest position seen, from `tokenAt` in the body or from a mapped field of the records.
        case keyset(KeysetLocation, start: String)
        /// A position that outlives the pass, which ends when `moreAt` is false.
        case syncToken(at: Path, moreAt: Path)
    }
    /// What a source that counts its pages says of their end.
    public enum NumberEnd: Sendable, Equatable {
        /// The last page's number, or whether this is the last page.
        case last(Path)
        /// The next page: its number, a link or true; none, null or false at the end.
        case next(Path)
        /// How many records there are in all pages.
        case total(Path)
    }
    /// Where a keyset's position is.
    public enum KeysetLocation: Sendable, Equatable {
        case body(Path)
        case field(String)
    }
    /// Where the next position is.
    public var style: Style
    /// Records asked for at once, 1…10000: `{page.size}`.
    public var size: Int?
    /// Reaching it yields (partial, cursor kept); it never ends a pass.
    public var maxPages: Int?
    /// What ends the pass besides; nil means nothing.
    public var end: End?
    /// Where the source says, beside its style's own sign, whether more follows; nil when it does not.
    public var moreAt: Path?
    /// Where something stands as long as more follows, whatever it is; nil when no such place is known.
    public var moreIf: Path?
    /// Where the source says, beside its style's own sign, whether this page is the last one; nil when it does not.
    public var lastAt: Path?
    /// The first request of a counted list has the position too.
    public var sendsStart = true
    /// A next address is asked for at the source's own origin, whatever it names.
    public var staysAtOrigin = false
    /// Where the last page of a pass has what the next pass begins with: an address, or a token that is sent as `{since}`;
    /// nil when it has nothing.
    public var resumeAt: Path?
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
    public enum Format: Sendable, Equatable {
        /// As the source wrote it.
        case raw
        case time(TimeFormat)
    }
    /// Where the list begins for this file.
    public enum Start: Sendable, Equatable {
        /// A time, or a number where the watermark is one.
        case fixed(String)
        /// So long before the run.
        case ago(Duration)
        /// What the user's attribute says.
        case attribute(String)
    }
    /// What a complete pass commits.
    public var watermark: Watermark
    /// Taken off the committed watermark when it is sent.
    public var overlap: Duration
    /// The same of a watermark that is a number.
    public var overlapCount: Int64 = 0
    /// How it is written into a request.
    public var format: Format
    /// Any of these holds: the pass is full although a watermark exists.
    public var fullIf: [Condition]
    /// An entity without a watermark begins at the job's last success.
    public var fallsBackToJob: Bool
    /// A pass is full when the last full one is so long ago; nil means never for that reason.
    public var fullEvery: Duration?
    /// Where the list begins for this file; nil means at its beginning.
    public var start: Start?
    /// How much time a pass asks for at once; nil means for all up to its end.
    public var window: Duration?
    /// How long before its start a pass ends; nil means at its start.
    public var lag: Duration?
    /// The list comes in the order of the watermark, oldest first.
    public var isAscending = false
}

/// What to do when a page's request is answered with a declared failure.
public struct Recovery: Sendable, Equatable {
    /// What follows the steps.
    public enum Then: String, Sendable, CaseIterable {
        case retryRequest = "retry_request"
        case fullPass = "full_pass"
        case fail
    }
    /// Also the error's word when recovery is spent, such as `user_not_found`.
    public var name: String
    /// One cure.
    public enum Step: Sendable, Equatable {
        /// A call whose list is empty makes recovery impossible.
        case call(String)
        /// The entity's sync token is dropped; its next pass is full.
        case forgetToken
        /// The zone of the entity's operation is made.
        case createZone
    }
    /// The status codes that mean this failure.
    public var statuses: [Int]
    /// The source's own error codes that mean it, such as `ZONE_NOT_FOUND`.
    public var codes: [String]
    /// Words in the source's reason that mean it, whatever the code.
    public var reasonHas: [String]
    /// The cures in order.
    public var steps: [Step]
    /// What follows the steps.
    public var then: Then
    /// At most so many times per run.
    public var times: Int
}
