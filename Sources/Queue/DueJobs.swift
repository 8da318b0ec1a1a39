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
        var asked: [Job] = []
        var others: [Job] = []
        /// Behind it there are jobs that are not remembered; nil: there are none.
        var more: Position?

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

    /// From where on a look finds more of the tenants that run dry; nil: none does.
    var refillStart: Position? {
        let most = dryness
        return dry.lazy.compactMap { tenant in
            [backlogs[tenant]?.line, backlogs[tenant]?.new].compactMap { line in
                line.flatMap { $0.isDry(most) ? $0.more : nil }
            }.min()
        }.min()
    }

    /// Adds what a look from `start`, the `refillStart` of then, found of the tenants that run dry; `end`
    /// nil: it came to the end of what is due.
    ///
    /// Returns the tenants that turned out to have nothing.
    mutating func refill(
        _ found: [(tenant: Int64, job: Job)], from start: Position, upTo end: Position?
    ) -> [Int64] {
        var covered: [Int64: [WritableKeyPath<Backlog, Line>]] = [:]
        for tenant in dry {
            for line in [\Backlog.line, \Backlog.new] {
                // A tenant that has run dry since the look began may have more in front of it.
                guard let more = backlogs[tenant]?[keyPath: line].more, start <= more,
                    end.map({ more < $0 }) ?? true
                else { continue }
                covered[tenant, default: []].append(line)
                backlogs[tenant]?[keyPath: line].more = nil
            }
        }
        let most = room
        for (tenant, job) in found where covered[tenant] != nil {
            backlogs[tenant]?.add(job, most: most)
        }
        return covered.compactMap { tenant, lines in
            for line in lines where backlogs[tenant]?[keyPath: line].more == nil {
                backlogs[tenant]?[keyPath: line].more = end
            }
            noteDryness(of: tenant)
            return forgetIfEmpty(tenant) ? tenant : nil
        }
    }

    private var room: Int { min(Self.mostOfTenant, max(4, most / max(1, backlogs.count))) }

    /// Of a line with fewer jobs than this, more are looked for.
    private var dryness: Int { room / 4 + 1 }

    private mutating func noteDryness(of tenant: Int64) {
        let most = dryness
        guard let backlog = backlogs[tenant], backlog.line.isDry(most) || backlog.new.isDry(most)
        else {
            dry.remove(tenant)
            return
        }
        dry.insert(tenant)
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
    fileprivate mutating func add(_ job: DueJobs.Job, most: Int) {
        if job.lane == .new { new.add(job, most: most) } else { line.add(job, most: most) }
    }
}

extension DueJobs.Line {
    fileprivate func next(_ count: Int) -> [DueJobs.Job] {
        let first = asked.prefix(count)
        return Array(first + others.prefix(count - first.count))
    }

    /// Few are left of it, and there are more.
    fileprivate func isDry(_ least: Int) -> Bool { more != nil && count < least }

    fileprivate mutating func add(_ job: DueJobs.Job, most: Int) {
        if job.lane == .asked {
            insert(job, into: \.asked, most: most)
        } else if more.map({ job.position <= $0 }) ?? true {
            insert(job, into: \.others, most: most)
        }
    }

    /// In order of time; a job that is remembered already is not doubled.
    private mutating func insert(
        _ job: DueJobs.Job, into jobs: WritableKeyPath<Self, [DueJobs.Job]>, most: Int
    ) {
        var low = 0
        var high = self[keyPath: jobs].count
        if let last = self[keyPath: jobs].last, last.position < job.position { low = high }
        while low < high {
            let middle = (low + high) / 2
            if self[keyPath: jobs][middle].position < job.position {
                low = middle + 1
            } else {
                high = middle
            }
        }
        // A user's jobs of several files may be due at the same time.
        var place = low
        while place < self[keyPath: jobs].count, self[keyPath: jobs][place].position == job.position
        {
            if self[keyPath: jobs][place].place == job.place { return }
            place += 1
        }
        self[keyPath: jobs].insert(job, at: low)
        guard self[keyPath: jobs].count > most else { return }
        let last = self[keyPath: jobs].removeLast().position.before
        more = min(more ?? last, last)
        if job.lane == .asked { others.removeAll { $0.position > last } }
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
