import Basics

/// Which tenants have something due, and who of them is next: max-min fair in slot time, by weight.
///
/// As a fair scheduler of processors does, it keeps for each tenant how long its runs held slots, divided
/// by its weight: its use. The tenant with the least use is next; of equals the one that has waited
/// longest. A tenant that comes late begins with the use of the one that is next, so that it can't hold
/// all slots until it has caught up; and when nobody waits, all use is forgotten.
///
/// Runs can't be parted, so the next one is given to whom it brings nearest to its share (Webster's method):
/// who comes has its first run at once, and pays half as much more for it. Without that half those with small
/// weights would always be ahead by a part of a run.
///
/// A worker shares out its own slots; workers that are each fair to all tenants are fair together.
/// Times are seconds of a clock that never goes back.
struct FairShare: Sendable {
    /// A tenant that may be claimed from, and the most jobs that it gets.
    struct Candidate: Sendable, Equatable {
        var tenant: Int64
        var share: Int
    }

    struct Tenant {
        var weight = 1
        /// Slot-seconds of runs that have ended, by weight.
        var use = 0.0
        var running = 0
        /// Sum of the times at which the running runs began.
        var began = 0.0
        var isWaiting = false
        /// When it was served last, or began to wait.
        var since = 0.0
        /// Came with the use of who was next, and has ended no run since.
        var isNew = true
        /// It may not be claimed from now, and is not asked before then.
        var restsUntil: Double?
        /// Tells its place in the queue from those it had before.
        var stamp = 0

        func use(at now: Double) -> Double {
            use + max(0, Double(running) * now - began) / Double(weight)
        }
    }

    /// A tenant's place in the queue; void when the tenant's stamp is another.
    struct QueueEntry: Comparable, Sendable {
        var key: Double
        var since: Double
        /// Of equals each worker has another one first, so that workers which share a backlog take from different
        /// tenants.
        var order: UInt64
        var tenant: Int64
        var stamp: Int

        static func < (one: QueueEntry, other: QueueEntry) -> Bool {
            (one.key, one.since, one.order) < (other.key, other.since, other.order)
        }
    }

    /// Tenants that are looked at for one statement of few jobs, and of many.
    static let contendersLeast = 64
    static let contendersMost = 256
    /// Tenants that one claim takes from where each has enough: each costs a function scan.
    static let tenantsPerClaim = 25

    /// What a run costs at least: below it runs are counted, and not timed, for their time is mostly ours.
    static let leastCost = 0.1
    /// The longest run of which half is charged to who comes: a first sync of an hour would keep its tenant away for
    /// long.
    static let mostHalved = 1.0
    /// How long one worker leaves a tenant alone that is at its limit, in seconds.
    static let leastRest = 0.05
    /// The same while another claim takes from the tenant.
    static let busyRest = 0.01
    /// A rest is multiplied by the number of workers, and is no longer than this, in seconds.
    static let longestRest = 1.0

    /// A run that is longer than so many seconds is a long one.
    static let shortRun = 1.0
    /// Tenants whose lengths of runs are remembered; above, only those with long runs are.
    static let lengthsMax = 10_000
    /// Seconds for which a tenant waits with nothing running before others' runs are to yield.
    static let patience = 1.0

    /// Slots of the worker.
    let capacity: Int
    /// Of them, those that tenants with long runs leave free.
    let reserved: Int
    /// Workers that live, this one too.
    var workers = 1
    var tenants: [Int64: Tenant] = [:]
    /// Tenants that wait and of whom nothing runs here, by use; the others change theirs by the second.
    var queue = MinHeap<QueueEntry>()
    /// Tenants that wait and of whom something runs here.
    var active: Set<Int64> = []
    /// Tenants that may not be claimed from now, by the time at which they are asked again.
    var resting = MinHeap<QueueEntry>()
    var waitingCount = 0
    var waitingWeight = 0
    var stamps = 0
    /// The use of the tenant that was next at the last claim.
    var level = 0.0
    /// When all use was forgotten last: what runs held before then counts no more.
    var forgottenAt = -Double.infinity
    /// How long a tenant's runs are, as far as is known: each new one counts a quarter.
    var lengths: [Int64: Double] = [:]
    /// Tenants of whom something runs here.
    var holders: Set<Int64> = []
    /// Something waits for a slot that a long run may have.
    var isHeldBack = false

    /// This worker's own.
    let seed: UInt64

    init(capacity: Int, reserved: Int = 0, seed: UInt64 = .random(in: 0 ... .max)) {
        self.seed = seed
        self.capacity = capacity
        self.reserved = min(reserved, max(0, capacity - 1))
    }
}

// What is learned.
extension FairShare {
    /// A tenant has something due.
    ///
    /// `weight` nil means as known, else 1.
    mutating func name(_ id: Int64, weight: Int? = nil, at now: Double) {
        if waitingCount == 0 { forgetUse(at: now) }
        var tenant = tenants[id] ?? Tenant(use: level)
        if tenant.isWaiting {
            guard let weight, weight != tenant.weight else { return }
            waitingWeight -= tenant.weight
        } else {
            tenant.isWaiting = true
            tenant.isNew = tenant.isNew || tenant.use <= level
            tenant.use = max(tenant.use, level)
            tenant.since = now
            waitingCount += 1
        }
        tenant.weight = weight ?? tenant.weight
        waitingWeight += tenant.weight
        requeue(&tenant, id)
    }

    /// A tenant's weight has changed.
    mutating func reweigh(_ id: Int64, _ weight: Int) {
        guard var tenant = tenants[id], tenant.weight != weight else { return }
        if tenant.isWaiting { waitingWeight += weight - tenant.weight }
        // What its runs have held so far counts by the new weight.
        tenant.use = tenant.use * Double(tenant.weight) / Double(weight)
        tenant.weight = weight
        requeue(&tenant, id)
    }

    /// A run of a tenant has a slot.
    mutating func began(_ id: Int64, at now: Double) {
        var tenant = tenants[id] ?? Tenant(use: level)
        tenant.running += 1
        tenant.began += now
        tenant.since = now
        requeue(&tenant, id)
    }

    /// A run that began at `start` has left its slot.
    ///
    /// `isUsual`: it tells how long the tenant's runs are; a user's first does not.
    mutating func ended(_ id: Int64, began start: Double, at now: Double, isUsual: Bool = true) {
        guard var tenant = tenants[id], tenant.running > 0 else { return }
        tenant.running -= 1
        if tenant.running == 0 { tenant.since = now }
        let counted = max(start, forgottenAt)
        tenant.began -= counted
        tenant.use += cost(now - counted, &tenant.isNew) / Double(tenant.weight)
        if isUsual { recordLength(now - start, of: id) }
        requeue(&tenant, id)
    }

    /// What a run costs that has held its slot for so long.
    func cost(_ seconds: Double, _ isNew: inout Bool) -> Double {
        defer { isNew = false }
        let cost = max(Self.leastCost, seconds)
        return isNew ? cost + min(cost, Self.mostHalved) / 2 : cost
    }

    /// How long the runs that are under way have held their slots, by tenant.
    func running(at now: Double) -> [(tenant: Int64, seconds: Double)] {
        holders.compactMap { id in
            tenants[id].map { (id, max(0, Double($0.running) * now - $0.began)) }
        }
    }

    mutating func recordLength(_ length: Double, of id: Int64) {
        guard reserved > 0 else { return }
        lengths[id] = 0.75 * (lengths[id] ?? length) + 0.25 * length
        guard lengths.count > Self.lengthsMax else { return }
        lengths = lengths.filter { $0.value > Self.shortRun }
    }

    /// Nothing of a tenant waits any more.
    mutating func foundEmpty(_ id: Int64) {
        guard var tenant = tenants[id], tenant.isWaiting else { return }
        tenant.isWaiting = false
        tenant.restsUntil = nil
        waitingCount -= 1
        waitingWeight -= tenant.weight
        requeue(&tenant, id)
    }

    /// A claim found a tenant at its limit: it is asked again when it is lifted, or after a rest; up to twenty
    /// workers together ask as often as one.
    mutating func foundFull(_ id: Int64, at now: Double) {
        rest(id, Self.leastRest, at: now)
    }

    /// A claim found another one taking from a tenant with a limit.
    mutating func foundBusy(_ id: Int64, at now: Double) { rest(id, Self.busyRest, at: now) }

    mutating func rest(_ id: Int64, _ seconds: Double, at now: Double) {
        guard var tenant = tenants[id], tenant.isWaiting else { return }
        tenant.restsUntil = now + min(seconds * Double(workers), Self.longestRest)
        requeue(&tenant, id)
    }

    /// A tenant may have more jobs run than before.
    mutating func lift(_ id: Int64) {
        guard var tenant = tenants[id], tenant.restsUntil != nil else { return }
        tenant.restsUntil = nil
        requeue(&tenant, id)
    }

    /// Nobody waits, so there is nothing to be paid back.
    mutating func forgetUse(at now: Double) {
        level = 0
        forgottenAt = now
        tenants = tenants.filter { $0.value.running > 0 }
        for (id, tenant) in tenants {
            tenants[id]?.use = 0
            tenants[id]?.began = Double(tenant.running) * now
        }
    }

    /// Puts a changed tenant where it belongs.
    mutating func requeue(_ tenant: inout Tenant, _ id: Int64) {
        stamps += 1
        tenant.stamp = stamps
        active.remove(id)
        if tenant.isWaiting {
            if let time = tenant.restsUntil {
                resting.push(
                    QueueEntry(
                        key: time, since: 0, order: order(of: id), tenant: id, stamp: tenant.stamp))
            } else if tenant.running > 0 {
                active.insert(id)
            } else {
                queue.push(
                    QueueEntry(
                        key: tenant.use, since: tenant.since, order: order(of: id), tenant: id,
                        stamp: tenant.stamp))
            }
        }
        if tenant.running > 0 { holders.insert(id) } else { holders.remove(id) }
        let isKnown = tenant.isWaiting || tenant.running > 0 || tenant.use > level
        tenants[id] = isKnown ? tenant : nil
        tidy()
    }

    /// Void places are let go before they are most.
    mutating func tidy() {
        let most = 2 * waitingCount + 1000
        guard queue.count > most || resting.count > most else { return }
        let current = tenants.mapValues(\.stamp)
        queue.keep { current[$0.tenant] == $0.stamp }
        resting.keep { current[$0.tenant] == $0.stamp }
    }

    func order(of tenant: Int64) -> UInt64 {
        var noise = SplitMix(seed: seed ^ UInt64(bitPattern: tenant))
        return noise.next()
    }

    func isCurrent(_ entry: QueueEntry) -> Bool {
        tenants[entry.tenant]?.stamp == entry.stamp
    }
}
