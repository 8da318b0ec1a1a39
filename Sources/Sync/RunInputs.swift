import Basics
import JSON
public import JobFiles
public import Postgres
public import JobQueue
import Reading
import Telemetry

/// Everything one run is given before its first request.
///
/// A class, so that the many parts of a job file are not counted again with every copy.
public final class RunInputs: Sendable {
    /// The claim and what the database knows of its job; the attributes are as the file's inputs make them.
    public let job: ClaimedJob
    /// The declaration of the job, with the addresses that its source has for the user.
    public let file: JobFile
    /// What makes an attribute of no use to the file; nil when all is well.
    let problem: InputProblem?
    /// The tenant's own address for the source; nil means the job file's.
    public let base: String?
    /// Number and hash of the user's items, per list of the file; nil where it has none.
    public let lists: [String: ListState]
    /// Tables of the file's `table_empty` conditions that hold no row of the user.
    public let emptyTables: Set<String>
    /// Tables that hold an unsent edit of the user.
    public let dirtyTables: Set<String>
    /// Why the server told nothing of the lists and tables; nil when it did.
    public let refusal: DatabaseError?
    /// The source's breaker is open for so long, and this run is none that passes it; nil when it may ask.
    public let blocked: Duration?
    /// The run probes a source whose breaker is open, or a person asked for it by force.
    public let passesBreaker: Bool
    /// When the job was claimed: the deadline runs from here.
    public let claimedAt: ContinuousClock.Instant
    /// The database's time at the claim, microseconds since 1970.
    public let claimedAtMicroseconds: Int64

    /// Gathers what a run is given; `probes`: it is the one that an open breaker lets through.
    public init(
        job: ClaimedJob, file: JobFile, opened: PreloadedRuns, claimedAt: ContinuousClock.Instant,
        probes: Bool = false
    ) {
        let user = job.claim.userID
        var (file, job) = (file, job)
        var problem: InputProblem?
        if file.isPersonal {
            do throws(InputProblem) {
                (file, job.attributes) = try file.resolved(for: job.attributes)
            } catch {
                problem = error
            }
        }
        self.problem = problem
        let grant = opened.grants(of: file.source.budgetNames, tenant: job.tenantID).first
        base = grant?.base
        if let base, file.source.chosenHost != nil { file.source = file.source.moved(to: base) }
        self.job = job
        self.file = file
        passesBreaker = probes || job.isForced
        blocked = passesBreaker ? nil : grant?.blocked
        refusal = opened.refusal
        var lists: [String: ListState] = [:]
        for list in file.lists {
            let column = ListColumn(table: list.table, column: list.column)
            lists[list.name] = opened.lists[column]?[user]
        }
        self.lists = lists
        emptyTables = Set(opened.empty.filter { $0.value.contains(user) }.keys)
        dirtyTables = Set(opened.dirty.filter { $0.value.contains(user) }.keys)
        self.claimedAt = claimedAt
        claimedAtMicroseconds = job.claimedAt
    }

    private init(_ other: RunInputs, _ job: ClaimedJob) {
        self.job = job
        problem = other.problem
        file = other.file
        base = other.base
        lists = other.lists
        emptyTables = other.emptyTables
        dirtyTables = other.dirtyTables
        refusal = other.refusal
        blocked = other.blocked
        passesBreaker = other.passesBreaker
        claimedAt = other.claimedAt
        claimedAtMicroseconds = other.claimedAtMicroseconds
    }

    /// The same for a user that has another attribute as well.
    func with(_ attribute: String, _ value: JSONValue) -> RunInputs {
        var job = job
        var members: [JSONMember] = []
        if case .object(let present) = job.attributes { members = present }
        members.removeAll { $0.name == attribute }
        job.attributes = .object(members + [JSONMember(attribute, value)])
        return RunInputs(self, job)
    }
}

extension RunInputs {
    /// Whom the run's events are about.
    var subject: Subject {
        Subject(
            tenant: job.tenantName, user: job.userKey, job: job.claim.name, run: job.claim.fence)
    }

    /// The zone of the source's times that name no offset; nil when none is named, or there is none of that name.
    var zone: TimeZone? {
        switch file.source.zone {
        case nil: nil
        case .named(let name): TimeZone(named: name)
        case .attribute(let name): job.attributes[name]?.string.flatMap { TimeZone(named: $0) }
        }
    }

    /// Where the list of an entity begins in this run, as a time or a number; nil means at its beginning.
    ///
    /// Throws `RunEnd` skipped where the user has no such attribute, and failed where it holds something else.
    func start(of entity: Entity) throws -> Incremental.Start? {
        switch entity.incremental?.start {
        case nil, .fixed?: return entity.incremental?.start
        case .ago(let span)?:
            return .fixed(Timestamp.iso8601(claimedAtMicroseconds - span.wholeMicroseconds))
        case .attribute(let name)?:
            let text = job.attributes[name].flatMap { $0.string ?? $0.numberText } ?? ""
            if text.isEmpty {
                throw RunEnd.skipped(
                    message: "user attribute '\(name)' is not set, which says where the list begins"
                )
            }
            guard Timestamp.microseconds(text) != nil || Int64(text) != nil else {
                throw RunEnd.failed(
                    .malformed,
                    "user attribute '\(name)' is no time, expected one such as 2025-01-31T00:00:00Z"
                )
            }
            if entity.incremental?.window != nil, Timestamp.microseconds(text) == nil {
                throw RunEnd.failed(
                    .malformed,
                    "user attribute '\(name)' is a number, and a window is of time: expected one such as 2025-01-31T00:00:00Z"
                )
            }
            return .fixed(text)
        }
    }

    /// The entities that the run is for, in the order of the file.
    var wantedEntities: [Entity] {
        let enabled = file.entities.filter(\.isEnabled)
        guard let only = job.entity else { return enabled }
        return enabled.filter { $0.name == only }
    }
}

extension JobFile {
    /// The list tables a run of this job looks into.
    public var listColumns: [ListColumn] {
        lists.map { ListColumn(table: $0.table, column: $0.column) }
    }

    /// The tables whose emptiness decides something in this job.
    public var emptinessTables: [String] {
        let conditions = before.flatMap(\.ifAny) + entities.flatMap { $0.incremental?.fullIf ?? [] }
        let asked = conditions.compactMap { condition -> String? in
            if case .tableEmpty(let table) = condition { table } else { nil }
        }
        // What is said of rows that are not there is nothing.
        let judged = entities.filter { freshness != nil || $0.probe != nil || $0.isConditional }
            .map(\.write.table)
        return asked + judged
    }

    /// The tables whose unsent edits are a reason to push.
    public var pushedTables: [String] {
        entities.filter { $0.push != nil }.map(\.write.table)
    }
}
