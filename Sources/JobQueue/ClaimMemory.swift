/// What a worker remembers between its claims: how far it has looked for due jobs, which it found and
/// did not take, and how much each tenant had of its slots.
struct ClaimMemory: Sendable {
    var walk = DueWalk()
    var due = DueJobs()
    var share: FairShare
    /// Remembered jobs that were come to for each that was taken.
    var staleness = 1.0
    /// A claim passed by what somebody may have locked, or has.
    private var isDoubtful = false
    /// Tenants that may have more jobs run than when they were found at their limits.
    var lifted: Set<Int64> = []
    /// Tenants that had a limit, or were paused, when they were last taken from.
    private var limited: Set<Int64> = []
    /// Those of them of which no more could be taken then: they rest.
    private var full: Set<Int64> = []
    /// Those of them of whom a run has ended since outcomes were last written, and since the time before.
    private var ending: Set<Int64> = []
    /// Since when it has not seen all that is due.
    private var behindAt: Double?
    private var ended: Set<Int64> = []
    /// Runs of users who were added with many.
    private var newRunning = 0
    /// Tenants that have nothing else due, while such runs have their half of the slots.
    private var heldNew: Set<Int64> = []
    private var use = SlotUse()
    /// When it was last asked who is to yield.
    private var yieldsAt = 0.0

    init(due: DueJobs = DueJobs(), share: FairShare) {
        self.due = due
        self.share = share
    }
}

extension ClaimMemory {
    /// A run of a tenant's job has left its slot.
    mutating func noteEnd(_ tenant: Int64, _ lane: Lane, began: Double, at now: Double) {
        share.ended(tenant, began: began, at: now, isUsual: lane != .new)
        use.note(tenant, now - began, at: now)
        if lane == .new {
            newRunning -= 1
            for tenant in heldNew { share.lift(tenant) }
            heldNew = []
        }
        if limited.contains(tenant) { ending.insert(tenant) }
    }

    /// The outcomes of runs that have ended are written; returns whether a tenant may have more run now.
    mutating func noteWritten() -> Bool {
        guard !ending.isEmpty || !ended.isEmpty else { return false }
        // What ended while outcomes were written is written with the next. A claim under way may find a tenant full that
        // is lifted here already.
        lifted.formUnion(ending)
        lifted.formUnion(ended)
        ended = ending
        ending = []
        return !lifted.isDisjoint(with: full)
    }

    private mutating func behindSince(_ now: Double) -> Double {
        behindAt = behindAt ?? now
        return behindAt ?? now
    }

    /// How long tenants held slots in the last five minutes; nil: nothing new to tell.
    mutating func report(at now: Double) -> SlotUse.Report? {
        use.report(share.running(at: now), at: now)
    }

    /// Whether jobs wait for a slot that is not kept for others.
    var isHeldBack: Bool { !due.isEmpty && (share.isHeldBack || !heldNew.isEmpty) }

    /// Between two looks for tenants that starve, in seconds.
    private static let yieldPace = 0.1

    /// Of which tenants a run is to yield, and how many.
    mutating func yields(at now: Double) -> [Int64: Int] {
        guard now - yieldsAt >= Self.yieldPace else { return [:] }
        yieldsAt = now
        return share.yields(at: now)
    }

    /// Remembered jobs that one statement is given.
    private static let offeredMax = 2_000
    /// Where more of what is remembered is stale, jobs are locked at once, for that tells which of more than fit.
    private static let stalenessMax = 2.0

    mutating func ticket(_ slots: Int, at now: Double) -> ClaimTicket {
        for tenant in lifted { share.lift(tenant) }
        lifted = []
        walk.lookBack(at: now)
        let slots =
            walk.isCatchingUp ? share.reserving(slots, since: behindSince(now), at: now) : slots
        if !walk.isCatchingUp { behindAt = nil }
        // Whose jobs are taken unseen is not known before.
        let open = share.open(slots, at: now)
        let isAllTaken = due.isEmpty && !walk.isBehind && !walk.looksOn(at: now) && open > 0
        let candidates = candidates(for: slots, at: now)
        let locks =
            isDoubtful || staleness > Self.stalenessMax || isLimited(candidates, within: slots)
        let offers = offers(slots, to: candidates, withMore: locks, at: now)
        walk.isHungry = slots > 0 && offers.reduce(0) { $0 + $1.jobs.count } < slots
        let refillStart = isAllTaken ? nil : due.refillStart
        let look = isAllTaken ? .take : walk.next(mayRefill: refillStart != nil, at: now)
        let (start, end) = walk.span(of: look, refillStart)
        return ClaimTicket(
            look: look, start: start, end: end, offers: offers, limit: isAllTaken ? open : slots,
            locks: locks)
    }

    /// From where on a worker looks that remembers nothing and is behind nothing; nil: it is not so.
    mutating func idleStart(at now: Double) -> DueJobs.Position? {
        guard due.isEmpty else { return nil }
        walk.lookBack(at: now)
        return walk.isBehind || walk.looksOn(at: now) ? nil : walk.span(of: .take, nil).0
    }

    private mutating func candidates(for slots: Int, at now: Double) -> [FairShare.Candidate] {
        guard slots > 0, !due.isEmpty else { return [] }
        return share.candidates(for: slots, at: now) { [due] in due.count(of: $0) }
    }

    /// Whether one of those that the slots are enough for has a limit: what is taken unlocked passes it by, and a
    /// second statement would come to it.
    private func isLimited(_ candidates: [FairShare.Candidate], within slots: Int) -> Bool {
        guard !limited.isEmpty else { return false }
        var given = 0
        for candidate in candidates where given < slots {
            if limited.contains(candidate.tenant) { return true }
            given += candidate.share
        }
        return false
    }

    /// What is offered for the slots; `withMore`: more than fits, for some may not be what they were.
    private mutating func offers(
        _ slots: Int, to candidates: [FairShare.Candidate], withMore: Bool, at now: Double
    ) -> [ClaimTicket.Offer] {
        var offers: [ClaimTicket.Offer] = []
        var room = withMore ? Self.offeredMax : slots
        var newRoom = max(0, max(1, share.capacity / 2) - newRunning)
        for candidate in candidates where room > 0 {
            let count =
                withMore
                ? Int((Double(candidate.share) * staleness).rounded(.up)) + 1 : candidate.share
            let jobs = due.next(min(count, room), of: candidate.tenant, newMax: newRoom)
            guard !jobs.isEmpty else {
                guard due.count(of: candidate.tenant) > 0 else { continue }
                heldNew.insert(candidate.tenant)
                share.foundFull(candidate.tenant, at: now)
                continue
            }
            room -= jobs.count
            newRoom -= jobs.count { $0.lane == .new }
            offers.append(
                ClaimTicket.Offer(tenant: candidate.tenant, share: candidate.share, jobs: jobs))
        }
        return offers
    }

    /// Learns from a helping; returns whether another is worth its turn.
    mutating func note(
        _ helping: Helping, by ticket: ClaimTicket, at now: Double
    ) -> Bool {
        if ticket.locks, ticket.limit > 0 { isDoubtful = false }
        guard !helping.isContended else {
            isDoubtful = true
            return true
        }
        for job in helping.jobs { share.began(job.tenantID, at: now) }
        newRunning += helping.jobs.count { $0.lane == .new }
        let visited =
            ticket.locks ? noteVisited(helping, ticket, at: now) : noteTaken(helping, ticket)
        walk.note(helping, by: ticket, at: now)
        if ticket.look == .refill {
            let end = helping.isCut ? helping.looked : nil
            for tenant in due.refill(helping.found, from: ticket.start, upTo: end) {
                share.foundEmpty(tenant)
            }
        } else {
            // What the same statement has found and taken.
            let taken = ticket.look == .take ? helping.taken : []
            for (tenant, job) in helping.found where !taken.contains(job.place) {
                due.add(job, of: tenant)
                if job.lane != .new, heldNew.remove(tenant) != nil { share.lift(tenant) }
                share.name(tenant, weight: helping.weights[tenant] ?? 1, at: now)
            }
        }
        if ticket.look == .take, !ticket.locks, !helping.isCut,
            helping.found.count <= ticket.limit, !due.isEmpty
        {
            isDoubtful = true
        }
        // With no slot nothing could be claimed: then nothing is missed.
        if due.isEmpty, ticket.limit > 0 { walk.isHungry = true }
        return isDoubtful && ticket.limit > 0 || visited > 0 || !helping.found.isEmpty
            || !helping.full.isEmpty
            || !helping.busy.isEmpty || walk.isBehind || walk.looksOn(at: now) || due.isDry
    }

    /// Forgets what a statement that locks nothing took of its offers; returns how many.
    ///
    /// What it passed by is asked for once more, with locks.
    private mutating func noteTaken(_ helping: Helping, _ ticket: ClaimTicket) -> Int {
        var count = 0
        for offer in ticket.offers {
            let taken = offer.jobs.filter { helping.taken.contains($0.place) }
            count += taken.count
            let isAll = taken.count == offer.jobs.count
            isDoubtful = isDoubtful || !isAll
            let isNothingLeft =
                isAll
                ? due.drop(taken, of: offer.tenant)
                : due.remove(Set(taken.map(\.place)), of: offer.tenant)
            if isNothingLeft { share.foundEmpty(offer.tenant) }
        }
        if !isDoubtful, count > 0 { noteStaleness(1) }
        return count
    }

    /// Forgets the jobs that a statement came to which locks them; returns how many.
    private mutating func noteVisited(
        _ helping: Helping, _ ticket: ClaimTicket, at now: Double
    ) -> Int {
        var visited = 0
        let last = ticket.offers.lastIndex { offer in
            offer.jobs.contains { helping.taken.contains($0.place) }
        }
        for (place, offer) in ticket.offers.enumerated() {
            let cameTo = helping.cameTo(offer, isLast: place >= last ?? 0, ticket)
            visited += cameTo
            if due.drop(offer.jobs.prefix(cameTo), of: offer.tenant) {
                share.foundEmpty(offer.tenant)
            }
        }
        let asked = ticket.offers.map(\.tenant)
        limited.subtract(asked)
        limited.formUnion(helping.limited)
        limited.formUnion(helping.full)
        full.subtract(asked)
        full.formUnion(helping.full)
        full.formUnion(helping.busy)
        for tenant in helping.full { share.foundFull(tenant, at: now) }
        for tenant in helping.busy { share.foundBusy(tenant, at: now) }
        if visited > 0 { noteStaleness(Double(visited) / Double(max(1, helping.taken.count))) }
        return visited
    }

    private mutating func noteStaleness(_ seen: Double) {
        staleness = min(16, max(1, 0.8 * staleness + 0.2 * seen))
    }
}
