import Postgres

/// Due jobs that a worker has found and not claimed yet: of each tenant the oldest, and apart from them what was asked for.
///
/// It is a memory and not the truth: another worker may have claimed a job since. Of one tenant it keeps some
/// thousands at most, and notes from where on there are more.
struct DueJobs: Sendable {
    /// A place in the index `jobs_due`; what lies behind it is greater.
    struct Position: Sendable, Comparable {
        /// Microseconds since 1970, the job's `claimable_at`.
        var time: Int64
        var user: Int64

        static let beginning = Position(time: .min, user: .min)

        /// Behind everything that is due at `time`.
        static func after(_ time: Int64) -> Position { Position(time: time, user: .max) }

        /// In front of all that a user has due at this time.
        var before: Position { Position(time: time, user: user - 1) }

        static func < (one: Position, other: Position) -> Bool {
            (one.time, one.user) < (other.time, other.user)
        }
    }

    /// A job by where its row stood when it was found.
    struct Job: Sendable, Equatable {
        var position: Position
        var place: RowPlace
        var lane: Lane
    }

    /// A tenant's jobs, the oldest first, and in front of them what was asked for.
    fileprivate struct Line {
        // Slices: what is claimed goes from the front, and the rest is not moved.
        var asked: ArraySlice<Job> = []
        var others: ArraySlice<Job> = []
        /// Behind it there are jobs that are not remembered; nil: there are none.
        var more: Position?
        /// A look has been where there were more.
        var isRefilled = false

        var count: Int { asked.count + others.count }
    }

    /// Who was added with many has a line apart, so that what they are in front of is not lost sight of.
    fileprivate struct Backlog {
        var line = Line()
        var new = Line()

        var count: Int { line.count + new.count }
    }

    /// Jobs of one tenant that are remembered at most.
    private static let mostOfTenant = 10_000

    /// Jobs of all tenants, as a rule.
    private let most: Int
    private var backlogs: [Int64: Backlog] = [:]
    /// Tenants of whom few jobs are remembered, though there are more.
    private var dry: Set<Int64> = []
    /// From where on a look finds more of the tenants that run dry, or somewhat before; nil: none does.
    ///
    /// Before, because the one that it was noted for may not be dry any more.
    private(set) var refillStart: Position?

    init(most: Int = 200_000) { self.most = most }

    var isEmpty: Bool { backlogs.isEmpty }

    /// How many jobs of a tenant are remembered.
    func count(of tenant: Int64) -> Int { backlogs[tenant]?.count ?? 0 }

    /// The next jobs of a tenant, in the order in which they are to be claimed.
    ///
    /// At most `newMax` of them are of users who were added with many.
    func next(_ count: Int, of tenant: Int64, newMax: Int = .max) -> [Job] {
        guard let backlog = backlogs[tenant] else { return [] }
        let jobs = backlog.line.next(count)
        return jobs + backlog.new.next(min(newMax, count - jobs.count))
    }

    /// Whether there is more of a tenant of whom few jobs are remembered.
    var isDry: Bool { !dry.isEmpty }

    /// Remembers a job that was found.
    mutating func add(_ job: Job, of tenant: Int64) {
        let most = room
        backlogs[tenant, default: Backlog()].add(job, most: most)
        noteDryness(of: tenant)
    }

    /// Forgets jobs of a tenant that `next` gave, which were claimed or are not what they were.
    ///
    /// Returns whether nothing of the tenant is left.
    mutating func drop(_ jobs: some Collection<Job>, of tenant: Int64) -> Bool {
        guard !jobs.isEmpty, backlogs[tenant] != nil else { return false }
        let new = jobs.count { $0.lane == .new }
        backlogs[tenant]?.line.drop(jobs.count - new)
        backlogs[tenant]?.new.drop(new)
        return forgetIfEmpty(tenant)
    }

    /// Forgets a tenant's jobs at some places, which were claimed, wherever they stand.
    ///
    /// Returns whether nothing of the tenant is left.
    mutating func remove(_ places: Set<RowPlace>, of tenant: Int64) -> Bool {
        guard !places.isEmpty, backlogs[tenant] != nil else { return false }
        backlogs[tenant]?.line.remove(places)
        backlogs[tenant]?.new.remove(places)
        return forgetIfEmpty(tenant)
    }

    /// Adds what a look from `start`, the `refillStart` of then, found of tenants of whom there was more; `end`
    /// nil: it came to the end of what is due.
    ///
    /// Not only those that run dry: what lies side by side is then looked at once for all of them. Returns the tenants that
    /// turned out to have nothing.
    mutating func refill(
        _ found: [(tenant: Int64, job: Job)], from start: Position, upTo end: Position?
    ) -> [Int64] {
        var covered: [Int64] = []
        // By hand: a loop over the indices would hold a copy of all.
        var index = backlogs.startIndex
        while index != backlogs.endIndex {
            if backlogs.values[index].beginRefill(from: start, upTo: end) {
                covered.append(backlogs.keys[index])
            }
            backlogs.formIndex(after: &index)
        }
        let most = room
        for (tenant, job) in found { backlogs[tenant]?.addRefilled(job, most: most) }
        refillStart = nil
        let empty = covered.filter { tenant in
            backlogs[tenant]?.endRefill(at: end)
            return forgetIfEmpty(tenant)
        }
        for tenant in dry { noteDryness(of: tenant) }
        return empty
    }

    private var room: Int { min(Self.mostOfTenant, max(4, most / max(1, backlogs.count))) }

    /// Of a line with fewer jobs than this, more are looked for.
    private var dryness: Int { room / 4 + 1 }

    private mutating func noteDryness(of tenant: Int64) {
        guard let start = backlogs[tenant]?.refillStart(below: dryness) else {
            if dry.remove(tenant) != nil, dry.isEmpty { refillStart = nil }
            return
        }
        dry.insert(tenant)
        refillStart = min(refillStart ?? start, start)
    }

    private mutating func forgetIfEmpty(_ tenant: Int64) -> Bool {
        noteDryness(of: tenant)
        guard let backlog = backlogs[tenant], backlog.count == 0, backlog.line.more == nil,
            backlog.new.more == nil
        else {
            return false
        }
        backlogs[tenant] = nil
        return true
    }
}

extension DueJobs.Backlog {
    /// From where on there are more of a line with fewer jobs than `least`; nil: neither has so few, or there are none.
    fileprivate func refillStart(below least: Int) -> DueJobs.Position? {
        switch (line.refillStart(below: least), new.refillStart(below: least)) {
        case (let one?, let other?): min(one, other)
        case (let one, let other): one ?? other
        }
    }

    /// Takes the lines that a look covers for complete, until it has ended; returns whether there is one.
    fileprivate mutating func beginRefill(
        from start: DueJobs.Position, upTo end: DueJobs.Position?
    ) -> Bool {
        let isOne = line.beginRefill(from: start, upTo: end)
        let isOther = new.beginRefill(from: start, upTo: end)
        return isOne || isOther
    }

    fileprivate mutating func addRefilled(_ job: DueJobs.Job, most: Int) {
        if line.isRefilled || new.isRefilled { add(job, most: most) }
    }

    fileprivate mutating func endRefill(at end: DueJobs.Position?) {
        line.endRefill(at: end)
        new.endRefill(at: end)
    }

    fileprivate mutating func add(_ job: DueJobs.Job, most: Int) {
        if job.lane == .new { new.add(job, most: most) } else { line.add(job, most: most) }
    }
}

extension DueJobs.Line {
    fileprivate func next(_ count: Int) -> [DueJobs.Job] {
        let first = asked.prefix(count)
        return Array(first + others.prefix(count - first.count))
    }

    fileprivate func refillStart(below least: Int) -> DueJobs.Position? {
        count < least ? more : nil
    }

    /// A tenant that has run dry since the look began may have more in front of it.
    fileprivate mutating func beginRefill(
        from start: DueJobs.Position, upTo end: DueJobs.Position?
    ) -> Bool {
        guard let more, start <= more, end.map({ more < $0 }) ?? true else { return false }
        self.more = nil
        isRefilled = true
        return true
    }

    fileprivate mutating func endRefill(at end: DueJobs.Position?) {
        if isRefilled, more == nil { more = end }
        isRefilled = false
    }

    fileprivate mutating func add(_ job: DueJobs.Job, most: Int) {
        if job.lane == .asked {
            guard let last = Self.insert(job, into: &asked, most: most) else { return }
            more = min(more ?? last, last)
            others.removeAll { $0.position > last }
        } else if more.map({ job.position <= $0 }) ?? true {
            guard let last = Self.insert(job, into: &others, most: most) else { return }
            more = min(more ?? last, last)
        }
    }

    /// In order of time; a job that is remembered already is not doubled.
    ///
    /// Returns from where on there are more than are kept.
    private static func insert(
        _ job: DueJobs.Job, into jobs: inout ArraySlice<DueJobs.Job>, most: Int
    ) -> DueJobs.Position? {
        var low = jobs.startIndex
        var high = jobs.endIndex
        if let last = jobs.last, last.position < job.position { low = high }
        while low < high {
            let middle = low + (high - low) / 2
            if jobs[middle].position < job.position {
                low = middle + 1
            } else {
                high = middle
            }
        }
        // A user's jobs of several files may be due at the same time.
        var place = low
        while place < jobs.endIndex, jobs[place].position == job.position {
            if jobs[place].place == job.place { return nil }
            place += 1
        }
        jobs.insert(job, at: low)
        return jobs.count > most ? jobs.removeLast().position.before : nil
    }

    fileprivate mutating func drop(_ count: Int) {
        let first = min(count, asked.count)
        asked.removeFirst(first)
        others.removeFirst(min(count - first, others.count))
    }

    fileprivate mutating func remove(_ places: Set<RowPlace>) {
        asked.removeAll { places.contains($0.place) }
        others.removeAll { places.contains($0.place) }
    }
}
