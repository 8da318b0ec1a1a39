import Postgres

/// What runs of one job file can make use of, so that a claim reads nothing else for them.
public struct RunNeeds: OptionSet, Sendable {
    /// The bits of `in_reads` of `run_inputs`.
    public let rawValue: Int32

    /// The bits as they are.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// How far each entity has come.
    public static let checkpoints = RunNeeds(rawValue: 1)
    /// What is remembered of named calls.
    public static let calls = RunNeeds(rawValue: 2)
    /// Sealed secrets.
    public static let secrets = RunNeeds(rawValue: 4)
    /// Everything.
    public static let all: RunNeeds = [.checkpoints, .calls, .secrets]
}

/// What a worker asks for when it claims.
public struct ClaimWish: Sendable {
    /// Number of the worker.
    public var worker: Int
    /// Most jobs, 1 and more.
    public var limit: Int
    /// Names of the job files it can run, and what their runs need.
    public var files: [String: RunNeeds]
    /// Nothing that waits has been due for longer, microseconds since 1970; `Int64.min`: not known.
    public var since: Int64
    /// The same of single tenants, by the tenant's number.
    public var tenantSince: [Int64: Int64]
    /// Jobs of each tenant that the worker runs already, by the tenant's number.
    public var running: [Int64: Int]

    /// Asks for jobs.
    public init(
        worker: Int, limit: Int, files: [String: RunNeeds], since: Int64 = .min,
        tenantSince: [Int64: Int64] = [:], running: [Int64: Int] = [:]
    ) {
        self.tenantSince = tenantSince
        self.worker = worker
        self.limit = limit
        self.files = files
        self.since = since
        self.running = running
    }
}

/// What a claim gave.
public struct ClaimedBatch: Sendable {
    /// The jobs, each held by the worker.
    public var jobs: [ClaimedJob] = []
    /// What it tells of the jobs that still wait; nil: nothing.
    public var waiting: WaitingJobs?
    /// More may be due: the slots were used up, or a tenant's share of them.
    public var mayBeMore = false
}

/// From when on jobs may still wait, as far as a claim can tell.
public struct WaitingJobs: Sendable, Equatable {
    /// Of tenants that are not named below, none was due before; microseconds since 1970.
    public var since: Int64
    /// Tenants that did not get all they have due, and from when on they may have more.
    public var tenants: [Int64: Int64]

    /// Tells what waits.
    public init(since: Int64, tenants: [Int64: Int64]) {
        self.since = since
        self.tenants = tenants
    }
}

extension Queue {
    /// Claims in a batch what is due, fair between tenants, and reads what the runs must know.
    ///
    /// Two turns, and two more for each time that a tenant left a part of its share to others.
    /// Throws `QueueError.workerEnded` when the worker was given up or drains.
    public func claim(_ wish: ClaimWish) async throws -> ClaimedBatch {
        var batch = ClaimedBatch()
        var wish = wish
        while wish.limit > 0 {
            let round = try await claimRound(wish)
            batch.jobs += round.jobs
            batch.waiting = round.waiting ?? batch.waiting
            batch.mayBeMore = round.mayBeMore
            guard round.mayBeMore, !round.jobs.isEmpty else { break }
            wish.limit -= round.jobs.count
            for job in round.jobs { wish.running[job.tenantID, default: 0] += 1 }
            if let waiting = round.waiting {
                (wish.since, wish.tenantSince) = (waiting.since, waiting.tenants)
            }
        }
        return batch
    }

    /// Claims up to `limit` due jobs of the named job files, with all that their runs must know.
    ///
    /// Throws `QueueError.workerEnded` when the worker was given up or drains.
    public func claimJobs(
        worker: Int, limit: Int, names: [String]
    ) async throws -> [ClaimedJob] {
        let files = Dictionary(names.map { ($0, RunNeeds.all) }, uniquingKeysWith: { $1 })
        return try await claim(ClaimWish(worker: worker, limit: limit, files: files)).jobs
    }

    private func claimRound(_ wish: ClaimWish) async throws -> ClaimedBatch {
        let tenants = Array(Set(wish.running.keys).union(wish.tenantSince.keys))
        let statement = Statement(
            "select * from jobrunner.claim_jobs($1, $2, $3, $4, $5, $6, $7)",
            .int4(Int32(clamping: wish.worker)), .int4(Int32(clamping: wish.limit)),
            .textArray(wish.files.keys.sorted()), .timestamptz(wish.since), .int8Array(tenants),
            .int4Array(tenants.map { Int32(clamping: wish.running[$0] ?? 0) }),
            .timestamptzArray(tenants.map { wish.tenantSince[$0] }))
        let rows = try await call(statement) { $0 }
        var shares = TenantShares()
        var jobs: [ClaimedJob] = []
        jobs.reserveCapacity(rows.count)
        for row in rows {
            let job = try ClaimedJob(row)
            try shares.note(row, of: job)
            jobs.append(job)
        }
        // The claim gives them in the order they lie in.
        jobs.sort { ($0.isAsked ? 0 : 1, $0.scheduledAt) < ($1.isAsked ? 0 : 1, $1.scheduledAt) }
        try await readInputs(of: &jobs, wish.files)
        return ClaimedBatch(
            jobs: jobs, waiting: shares.waiting(after: wish), mayBeMore: shares.mayBeMore)
    }

    /// Reads what the runs must know of the past into the claimed jobs, in one statement.
    ///
    /// What the server can't give of one job is asked for job by job, so that the others run.
    func readInputs(of jobs: inout [ClaimedJob], _ files: [String: RunNeeds]) async throws {
        guard !jobs.isEmpty else { return }
        do {
            jobs = try await withInputs(jobs, files)
        } catch let error as DatabaseError where error.isOfWhatIsStored {
            var read: [ClaimedJob] = []
            for job in jobs { read += try await alone(job, files) }
            jobs = read
        }
    }

    private func alone(
        _ job: ClaimedJob, _ files: [String: RunNeeds]
    ) async throws -> [ClaimedJob] {
        do {
            return try await withInputs([job], files)
        } catch let error as DatabaseError where error.isOfWhatIsStored {
            var job = job
            job.unreadable = "the server can't give what is stored for the run: \(error)"
            return [job]
        }
    }

    private func withInputs(
        _ jobs: [ClaimedJob], _ files: [String: RunNeeds]
    ) async throws -> [ClaimedJob] {
        let statement = Statement(
            "select * from jobrunner.run_inputs($1, $2, $3)", .int8Array(jobs.map(\.claim.userID)),
            .textArray(jobs.map(\.claim.name)),
            .int4Array(jobs.map { files[$0.claim.name, default: .all].rawValue }))
        let rows = try await call(statement) { $0 }
        // A user that was removed meanwhile has no row, and its job is nobody's any more.
        return try rows.map { row in
            var job = jobs[try row.int(0) - 1]
            try job.readInputs(row)
            return job
        }
    }

    /// When the oldest job that waits was due, microseconds since 1970, if before `time`; nil: none.
    public func oldestDue(names: [String], before time: Int64) async throws -> Int64? {
        let statement = Statement(
            "select jobrunner.oldest_due($1, $2)", .textArray(names), .timestamptz(time))
        return try await call(statement) { try $0.only().optionalTimestamp(0) }
    }
}

/// How far each tenant's share went, which tells how much may be left.
private struct TenantShares {
    private struct Tenant {
        var jobs = 0
        var share = 0
        var latest = Int64.min
    }

    private var tenants: [Int64: Tenant] = [:]
    private var claimedAt: Int64?
    private var left: [Int64] = []

    mutating func note(_ row: Row, of job: ClaimedJob) throws {
        claimedAt = job.claimedAt
        if !(try row.isNull(16)) { left = try row.intArray(16).map(Int64.init) }
        var tenant = tenants[job.tenantID] ?? Tenant()
        tenant.jobs += 1
        tenant.share = try row.int(15)
        // What was asked for is not in the order of the others.
        if !job.isAsked { tenant.latest = max(tenant.latest, job.scheduledAt) }
        tenants[job.tenantID] = tenant
    }

    var mayBeMore: Bool { !left.isEmpty || tenants.values.contains { $0.jobs >= $0.share } }

    /// Behind a tenant that took its whole share more may wait, due when its last one was or later.
    func waiting(after wish: ClaimWish) -> WaitingJobs? {
        guard let claimedAt else { return nil }
        var since: [Int64: Int64] = [:]
        for (id, tenant) in tenants where tenant.jobs >= tenant.share {
            since[id] = max(tenant.latest, wish.tenantSince[id] ?? wish.since)
        }
        for id in left { since[id] = wish.tenantSince[id] ?? wish.since }
        return WaitingJobs(since: claimedAt, tenants: since)
    }
}

extension DatabaseError {
    /// A stored value is out of range, or longer than the server can write out.
    fileprivate var isOfWhatIsStored: Bool {
        guard let sqlstate, case .server = code else { return false }
        return isDataError || sqlstate.hasPrefix("54") || ["53200", "XX000"].contains(sqlstate)
    }
}
