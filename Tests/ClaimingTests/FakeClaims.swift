@testable import Claiming
@testable import JobQueue

/// What the verbs that look and claim do, once more and as simply as can be: jobs in an array, one server.
struct FakeClaims {
    struct Job {
        var tenant: Int64
        var user: Int64
        var time: Int64
        var lane = Lane.due
        /// Its row is not committed before then.
        var visibleAt: Int64 = .min
        var isRunning = false
        /// Somebody holds its row until then.
        var heldUntil: Int64 = .min

        var position: DuePosition { DuePosition(time: time, user: user) }
    }

    private(set) var jobs: [Job] = []
    /// Numbers of the jobs that wait, the oldest first.
    private var live: [Int] = []
    private var tenants: Set<Int64> = []
    private var limits: [Int64: Int] = [:]
    /// Limits that are new.
    private var unsettled: Set<Int64> = []
    var paused: Set<Int64> = []
    var weights: [Int64: Int] = [:]
    /// A look comes to so many entries.
    var lookMax = 1000
    /// Entries and tenants that looks have come to.
    private(set) var looked = 0
    /// Microseconds.
    var now: Int64 = 1_000_000_000_000

    var waiting: [Job] { live.map { jobs[$0] } }

    func isWaiting(_ number: Int) -> Bool { live.contains(number) }

    @discardableResult
    mutating func add(
        tenant: Int64, at time: Int64, lane: Lane = .due, visibleAt: Int64 = .min
    ) -> Int {
        jobs.append(
            Job(
                tenant: tenant, user: Int64(jobs.count), time: time, lane: lane,
                visibleAt: visibleAt))
        tenants.insert(tenant)
        wait(jobs.count - 1)
        return jobs.count - 1
    }

    private mutating func wait(_ number: Int) {
        var (low, high) = (0, live.count)
        while low < high {
            let middle = (low + high) / 2
            if jobs[live[middle]].position < jobs[number].position {
                low = middle + 1
            } else {
                high = middle
            }
        }
        live.insert(number, at: low)
    }

    mutating func limit(_ tenant: Int64, to most: Int?) {
        if limits[tenant] == nil, most != nil { unsettled.insert(tenant) }
        limits[tenant] = most
    }

    func running(of tenant: Int64) -> Int { jobs.count { $0.tenant == tenant && $0.isRunning } }

    /// Another transaction locks its row, and changes nothing.
    mutating func hold(_ number: Int, until time: Int64) { jobs[number].heldUntil = time }

    /// A claim: another worker's, or one that the product asked for.
    mutating func take(_ number: Int) {
        jobs[number].isRunning = true
        live.removeAll { $0 == number }
    }

    /// It is given back, due as before.
    mutating func release(_ number: Int) {
        jobs[number].isRunning = false
        wait(number)
    }

    /// A run has ended, and its job is not due again.
    mutating func end(user: Int64) {
        jobs[Int(user)].isRunning = false
        jobs[Int(user)].time = .max
    }

    // MARK: The verbs

    mutating func claimNew(limit: Int, since: DuePosition) -> (DueTenants, [ClaimedJob]) {
        var (due, numbers) = look(from: since)
        let isRestricted =
            !paused.isEmpty
            || numbers.contains {
                limits[jobs[$0].tenant] != nil || jobs[$0].lane == .new
            }
        guard !due.isCut, numbers.count <= limit, !isRestricted else { return (due, []) }
        let taken = numbers.filter { isFree($0) }.map { claimed($0) }
        if taken.count == numbers.count { due.found = [] }
        return (due, taken)
    }

    var lastTenant: Int64 { tenants.max() ?? 0 }

    mutating func ask(_ question: TenantRound.Question) -> DueTenants {
        let tenants = tenants.filter { $0 > question.after }.sorted().prefix(question.count)
        looked += tenants.count
        var due = DueTenants(
            reached: DuePosition(time: now, user: tenants.last ?? .min),
            isCut: tenants.count == question.count, now: now)
        let numbers = visible().filter {
            tenants.contains(jobs[$0].tenant) && jobs[$0].time >= question.since
                && jobs[$0].time <= question.until
        }
        due.weights = weights
        due.found = grouped(numbers).map { found in
            var found = found
            if found.count.map({ $0 > 3 }) ?? false { found.count = nil }
            return found
        }
        return due
    }

    mutating func claim(_ request: ClaimRequest) -> ClaimReply {
        var reply = ClaimReply()
        for part in request.parts {
            let capacity = capacity(of: part.tenant)
            if let capacity { reply.restricted.append(capacity) }
            var room = min(part.share, capacity?.room ?? .max)
            for lane in [Lane.asked, .due, .new] {
                guard let floor = part.floors[lane] else { continue }
                var most = lane == .new ? part.newShare : part.share
                let numbers = visible().filter {
                    jobs[$0].tenant == part.tenant && jobs[$0].lane == lane
                        && jobs[$0].position >= floor.position && isFree($0)
                }
                for number in numbers
                where room > 0 && most > 0 && reply.jobs.count < request.limit {
                    reply.jobs.append(claimed(number))
                    (room, most) = (room - 1, most - 1)
                }
            }
        }
        return reply
    }

    mutating func activateLimits() { unsettled = [] }

    private func capacity(of tenant: Int64) -> RemainingCapacity? {
        if paused.contains(tenant) {
            return RemainingCapacity(tenant: tenant, room: 0, state: .paused)
        }
        guard let most = limits[tenant] else { return nil }
        if unsettled.contains(tenant) {
            return RemainingCapacity(tenant: tenant, room: 0, state: .unsettled)
        }
        let room = max(0, most - running(of: tenant))
        return RemainingCapacity(tenant: tenant, room: room, state: room == 0 ? .full : .limited)
    }

    private mutating func look(from start: DuePosition) -> (DueTenants, [Int]) {
        let entries = visible().filter { jobs[$0].position >= start }
        let some = Array(entries.prefix(lookMax))
        looked += some.count
        let isCut = entries.count >= lookMax
        var due = DueTenants(
            reached: isCut
                ? jobs[some[some.count - 1]].position : DuePosition(time: now, user: .max),
            isCut: isCut, now: now)
        let numbers = some.filter { !paused.contains(jobs[$0].tenant) }
        due.found = grouped(numbers)
        due.weights = weights
        return (due, numbers)
    }

    private func grouped(_ numbers: [Int]) -> [DueTenants.Found] {
        struct Key: Hashable {
            var tenant: Int64
            var lane: Lane
        }
        return Dictionary(grouping: numbers) { Key(tenant: jobs[$0].tenant, lane: jobs[$0].lane) }
            .map { key, numbers in
                DueTenants.Found(
                    tenant: key.tenant, lane: key.lane, count: numbers.count,
                    first: numbers.map { jobs[$0].position }.min() ?? .beginning)
            }
            .sorted { ($0.tenant, $0.lane.rawValue) < ($1.tenant, $1.lane.rawValue) }
    }

    /// What is due and committed, the oldest first.
    private func visible() -> [Int] {
        live.prefix { jobs[$0].time <= now }.filter { jobs[$0].visibleAt <= now }
    }

    private func isFree(_ number: Int) -> Bool { jobs[number].heldUntil < now }

    private mutating func claimed(_ number: Int) -> ClaimedJob {
        take(number)
        let job = jobs[number]
        return ClaimedJob(
            claim: Claim(userID: job.user, name: "job", fence: job.user, nonce: []),
            tenantID: job.tenant, scheduledAt: job.time, claimedAt: now, deadline: .seconds(1),
            lane: job.lane, isForced: false, tickAt: job.time)
    }
}
