import Basics

// Who is next.
extension FairShare {
    /// Tenants in the order in which they are served, with their shares of `slots`.
    ///
    /// Tenants below their fair number of slots come first. Their shares add up to the slots or more:
    /// some may turn out to have less. `known`: how many jobs of a tenant are known, and the most that it gets.
    mutating func candidates(
        for slots: Int, at now: Double, known: (Int64) -> Int
    ) -> [Candidate] {
        endRests(at: now)
        let contenders = contenders(
            min(max(Self.contendersLeast, 2 * slots), Self.contendersMost), at: now)
        guard let first = contenders.first else { return [] }
        level = max(level, first.use)
        var result: [Candidate] = []
        var given = 0
        var open = open(slots, at: now)
        isHeldBack = false
        let modest = contenders.filter { $0.room > 0 }
        let weights = modest.prefix(Self.tenantsPerClaim).reduce(0) { $0 + $1.weight }
        // More than are needed, for some may have nothing any more, or be at their limits.
        let most = slots + slots / 2 + 3
        for contender in modest where given < most {
            let fair = (Double(slots * contender.weight) / Double(weights)).rounded()
            give(contender.id, max(1, min(Int(fair), contender.room)))
        }
        // What they leave, those get who have their share already.
        for contender in contenders where contender.room <= 0 && given < most {
            give(contender.id, slots)
        }
        return result

        func give(_ id: Int64, _ most: Int) {
            let wanted = min(most, known(id))
            var share = wanted
            if !isShort(id, at: now) {
                // Of whom nothing is known, one run may have a reserved slot.
                let least = holders.contains(id) || lengths[id] != nil ? 0 : 1
                share = min(wanted, max(open, least))
                open -= min(share, open)
                isHeldBack = isHeldBack || share < wanted
            }
            guard share > 0 else { return }
            result.append(Candidate(tenant: id, share: share))
            given += share
        }
    }

    /// Of the free slots those that long runs may have: so many that all reserved ones are free or hold short runs.
    func open(_ slots: Int, at now: Double) -> Int {
        guard reserved > 0 else { return slots }
        let short = holders.reduce(0) {
            $0 + (isShort($1, at: now) ? tenants[$1]?.running ?? 0 : 0)
        }
        return max(0, min(slots, free - reserved + short))
    }

    /// Slots without a run: a claim may be for fewer.
    private var free: Int {
        max(0, capacity - holders.reduce(0) { $0 + (tenants[$1]?.running ?? 0) })
    }

    /// Whether a tenant's runs are known to be short, and those that it has now are too, on the average.
    private func isShort(_ id: Int64, at now: Double) -> Bool {
        guard reserved > 0 else { return true }
        guard let length = lengths[id], length <= Self.shortRun else { return false }
        guard let tenant = tenants[id], tenant.running > 0 else { return true }
        return now - tenant.began / Double(tenant.running) <= Self.shortRun
    }

    /// Of which tenants a run is to yield, and how many: for each tenant that has waited for a second, and of which
    /// nothing runs here, a run of the one that had most.
    mutating func yields(at now: Double) -> [Int64: Int] {
        endRests(at: now)
        let starving = contenders(Self.contendersLeast, at: now).filter { contender in
            contender.since <= now - Self.patience && !holders.contains(contender.id)
        }
        guard !starving.isEmpty else { return [:] }
        let victims = holders.compactMap { id in
            tenants[id].map { (id: id, use: $0.use(at: now), running: $0.running) }
        }.sorted { ($0.use, $0.id) > ($1.use, $1.id) }
        let runs = victims.flatMap { Array(repeating: $0, count: $0.running) }
        var counts: [Int64: Int] = [:]
        for (starved, victim) in zip(starving, runs) where victim.use > starved.use {
            counts[victim.id, default: 0] += 1
        }
        return counts
    }

    /// Of free slots those that may be filled before all that is due was seen: a worker leaves half of its slots for tenants that
    /// it will yet come to, for two seconds at most.
    func reserving(_ slots: Int, since start: Double, at now: Double) -> Int {
        guard now - start < 2 else { return slots }
        return max(0, min(slots, free - capacity / 2))
    }

    private struct Contender {
        var id: Int64
        var use: Double
        var since: Double
        var weight: Int
        /// Slots until it has its fair number.
        var room: Int
    }

    /// The tenants that are next, at most so many of those of whom nothing runs.
    private mutating func contenders(_ most: Int, at now: Double) -> [Contender] {
        var ids = Array(active)
        var taken: [QueueEntry] = []
        while taken.count < most, let entry = queue.pop() {
            guard isCurrent(entry) else { continue }
            taken.append(entry)
            ids.append(entry.tenant)
        }
        for entry in taken { queue.push(entry) }
        let leastShare = max(1, capacity / Self.tenantsPerClaim)
        return ids.compactMap { id -> Contender? in
            guard let tenant = tenants[id], tenant.isWaiting else { return nil }
            let fair = Double(capacity * tenant.weight) / Double(max(1, waitingWeight))
            return Contender(
                id: id, use: tenant.use(at: now), since: tenant.since, weight: tenant.weight,
                room: max(leastShare, Int(fair.rounded(.up))) - tenant.running)
        }.sorted {
            ($0.use, $0.since, order(of: $0.id)) < ($1.use, $1.since, order(of: $1.id))
        }
    }

    mutating func endRests(at now: Double) {
        while let entry = resting.least, entry.key <= now {
            _ = resting.pop()
            guard isCurrent(entry), var tenant = tenants[entry.tenant] else { continue }
            tenant.restsUntil = nil
            self.requeue(&tenant, entry.tenant)
        }
    }
}
