import JobQueue

/// What a worker remembers between its claims, and what it asks next; README.md has the diagram.
struct ClaimState: Sendable {
    /// One statement of a claim.
    enum Step: Sendable {
        /// Looks at what became due from a place on, and takes it if it is no more than the limit.
        case claimNew(limit: Int, DueFront.Look)
        /// Asks for the greatest number of a tenant, by which it is known where the first round begins.
        case placeRound
        /// Asks some tenants what of theirs is due.
        case ask(TenantRound.Question)
        case claim(ClaimRequest)
        /// Counts what runs of tenants whose limit is new.
        case activateLimits

        /// It may come to many dead entries; `failed` says what is asked instead when it takes too long.
        var mayTakeTooLong: Bool {
            switch self {
            case .claimNew, .ask, .claim: true
            case .placeRound, .activateLimits: false
            }
        }
    }

    /// Where a worker stands; README.md has the diagram.
    enum Phase {
        /// Nothing is known to wait: what became due is taken by the statement that looks for it.
        case nothingRemembered
        /// It is known of whom something is due, and they are served by turns.
        case tenantsRemembered
        /// Some of what is due was not looked at, too.
        case behind
    }

    /// What one call for jobs has done so far.
    struct Call: Sendable {
        var hasLookedAtFront = false
        var looks = 0
        /// Its time is over: it looks no more, and claims of what is known.
        var isLate = false
        /// Claims that gave less than they asked for.
        var vainClaims = 0
    }

    /// Between two looks at the front while there is a backlog, in seconds; and between two at what was not seen yet, while more
    /// is known than can be claimed.
    private static let lookPace = 0.02
    /// Looks at what was not seen yet in one call, while less is known than could be claimed.
    private static let looksMax = 8
    /// After a look at all that was seen already none follows for so many times as long as it took.
    private static let rescanPauses = 50.0
    /// Claims in one call that gave less than they asked for, as when other workers take from the same tenants.
    private static let vainClaimsMax = 4

    private(set) var front = DueFront()
    private(set) var round = TenantRound()
    private(set) var backlog = TenantBacklog()
    var share: FairShare
    private var restricted = RestrictedTenants()
    /// This worker's place among the living, from 0.
    var rank = 0
    private var lookedAtFrontAt = -Double.infinity
    private var lookedAt = -Double.infinity
    /// The last look was one at the front, and not a question of a round.
    private var wasFrontLast = false
    /// Since when more has become due than was seen; nil when it was seen since.
    private var behindAt: Double?
    /// Seconds of looks since a rescan began; nil when none is under way.
    private var rescanTook: Double?
    private var rescansAt = -Double.infinity
    /// Tenants whose limit is new, and who are not claimed from until what runs of them is counted.
    private var unsettled: Set<Int64> = []
    /// Runs of users who were added with many.
    private var newRunning = 0
    /// Since when runs have had their slots, by fence.
    private var slotSince: [Int64: Double] = [:]
    private var use = SlotUse()
    private var yieldsAt = -Double.infinity
    /// What was heard while a statement is under way; nil when none is.
    private var heardMeanwhile: [News]?

    /// What a worker hears of jobs that wait where it has looked already.
    enum News: Sendable {
        /// Jobs that became due in the past, of a tenant or of any, or a tenant's change.
        case announced(Announcement)
        /// A notification says that jobs are due from a time on, in microseconds since 1970.
        ///
        /// Any login may send one, so that it has a worker look at what is near, and else at no more than a rescan may.
        case notified(dueFrom: Int64)
        /// Something may have been passed over. Looking at all that is due takes a fiftieth of the time at most.
        case rescan
        /// As a rescan, however lately there was one.
        case all
    }

    init(share: FairShare) { self.share = share }
}

// What is asked next.
extension ClaimState {
    /// The next statement of a call, which is sent.
    ///
    /// Its answer may not know what is heard from now on, so that this waits for the answer and is taken in behind it.
    mutating func send(_ slots: Int, _ call: Call, at now: Double) -> Step? {
        let step = next(slots, call, at: now)
        heardMeanwhile = step.map { _ in [] }
        return step
    }

    /// The next statement of a call that may take so many jobs more; nil when the call is over.
    mutating func next(_ slots: Int, _ call: Call, at now: Double) -> Step? {
        let request = request(forFree: slots, at: now)
        if !call.hasLookedAtFront {
            front.rewindForLateCommits(rank: rank, of: share.workers, at: now)
            let isIdle = slots > 0 && request.parts.isEmpty
            if phase == .nothingRemembered || isIdle || now - lookedAtFrontAt >= Self.lookPace {
                return lookAtFront(slots, at: now)
            }
        }
        if !unsettled.isEmpty, slots > 0 { return .activateLimits }
        let hasSpareSlots = request.expected < slots && call.looks < Self.looksMax
        if isBehind, !call.isLate, hasSpareSlots || now - lookedAt >= Self.lookPace {
            lookedAt = now
            // In turns, so that neither keeps the other from its end.
            if front.isBehind, !wasFrontLast || !round.isUnderWay {
                return lookAtFront(slots, at: now)
            }
            wasFrontLast = false
            if round.isToBePlaced { return .placeRound }
            if let question = round.next { return .ask(question) }
        }
        return request.parts.isEmpty || call.vainClaims >= Self.vainClaimsMax
            ? nil : .claim(request)
    }

    /// A look that takes what it finds where nobody else waits.
    ///
    /// Of whom its jobs are is not known yet, so that it leaves the reserved slots free.
    private mutating func lookAtFront(_ slots: Int, at now: Double) -> Step {
        wasFrontLast = true
        let takes = phase == .nothingRemembered
        return .claimNew(limit: takes ? share.open(slots, at: now) : 0, front.next)
    }

    var phase: Phase {
        isBehind ? .behind : backlog.isEmpty ? .nothingRemembered : .tenantsRemembered
    }

    /// Whether some of what is due was not looked at.
    var isBehind: Bool { front.isBehind || round.isUnderWay }

    /// Shares out the slots among the tenants that are known to have something due.
    private mutating func request(forFree slots: Int, at now: Double) -> ClaimRequest {
        let slots = behindAt.map { share.reserving(slots, since: $0, at: now) } ?? slots
        var request = ClaimRequest(limit: slots, parts: [])
        guard slots > 0, !backlog.isEmpty else { return request }
        var newRoom = max(0, max(1, share.capacity / 2) - newRunning)
        let candidates = share.candidates(for: slots, at: now) { [backlog] in
            backlog.count(of: $0)
        }
        for candidate in candidates {
            guard let floors = backlog.tenants[candidate.tenant] else { continue }
            let newShare = floors.new == nil ? 0 : min(candidate.share, newRoom)
            if floors.isNewOnly, newShare == 0 {
                restricted.holdNew(candidate.tenant)
                share.foundFull(candidate.tenant, at: now)
                continue
            }
            newRoom -= newShare
            request.parts.append(
                ClaimRequest.Part(
                    tenant: candidate.tenant,
                    share: floors.isNewOnly ? newShare : candidate.share, newShare: newShare,
                    floors: floors))
        }
        return request
    }

    /// Whether jobs wait for a slot that is not kept for others.
    var isHeldBack: Bool { !backlog.isEmpty && (share.isHeldBack || restricted.holdsNew) }

    /// Whether a tenant goes on when the outcome of one of its runs is written.
    var awaitsOutcomes: Bool { restricted.awaitOutcomes }

    /// Of which tenants a run is to yield, and how many.
    mutating func yields(at now: Double) -> [Int64: Int] {
        // Between two looks for tenants that starve, in seconds.
        guard now - yieldsAt >= 0.1 else { return [:] }
        yieldsAt = now
        return share.yields(at: now)
    }

    /// How long tenants held slots in the last five minutes; nil when there is nothing new to tell.
    mutating func report(at now: Double) -> SlotUse.Report? {
        use.report(share.running(at: now), at: now)
    }
}

// What looks tell.
extension ClaimState {
    /// A look at the front, which took these jobs.
    mutating func lookedAtFront(
        _ due: DueTenants, took jobs: [ClaimedJob], in seconds: Double, at now: Double
    ) {
        lookedAtFrontAt = now
        rescanTook = rescanTook.map { $0 + seconds }
        let isForRound = front.looked(due)
        if front.leavesNew { behindAt = behindAt ?? now }
        begin(jobs, at: now)
        add(due, at: now)
        if isForRound { round.begin() }
        endWhenAllIsSeen(at: now)
    }

    /// Some tenants were asked.
    mutating func asked(_ due: DueTenants, took seconds: Double, at now: Double) {
        rescanTook = rescanTook.map { $0 + seconds }
        round.asked(
            upTo: due.reached.user == .min ? nil : due.reached.user, isCut: due.isCut,
            took: seconds)
        add(due, at: now)
        endWhenAllIsSeen(at: now)
    }

    /// The first round begins at this worker's part of the tenants, and each later one where the last has ended.
    mutating func placeRound(lastTenant: Int64) {
        let part = Double(rank) / Double(max(1, share.workers))
        round.place(after: Int64(part * Double(lastTenant)))
    }

    /// A statement took too long: so many seconds.
    mutating func failed(_ step: Step, took seconds: Double, at now: Double) {
        lookedAt = now
        switch step {
        case .claimNew:
            rescanTook = rescanTook.map { $0 + seconds }
            front.lookFailed()
        case .ask:
            rescanTook = rescanTook.map { $0 + seconds }
            round.failed(at: front.seenAt)
        case .claim(let request):
            // One of their floors lies before very many dead entries; the round finds where something waits.
            for part in request.parts { forget(part.tenant) }
            round.begin()
        case .placeRound, .activateLimits: break
        }
    }

    /// Nothing of a tenant may be claimed until somebody says so.
    private mutating func forget(_ tenant: Int64) {
        backlog.remove(tenant)
        restricted.forget(tenant)
        share.foundEmpty(tenant)
    }

    private mutating func add(_ due: DueTenants, at now: Double) {
        backlog.add(due.found)
        for lane in due.found {
            share.name(lane.tenant, weight: due.weights[lane.tenant] ?? 1, at: now)
            if lane.lane != .new, restricted.holdsNew { open(lane.tenant) }
        }
    }

    private mutating func endWhenAllIsSeen(at now: Double) {
        guard !isBehind else { return }
        front.cutsMax = max(DueFront.cutsLeast, round.questionsOfLast)
        if let took = rescanTook { rescansAt = now + Self.rescanPauses * took }
        (behindAt, rescanTook) = (nil, nil)
    }

    private mutating func lookBack(to start: DuePosition, at now: Double) {
        guard !isBehind, now >= rescansAt else { return }
        rescanTook = 0
        front.moveBack(to: start)
    }
}

// What claims give, and what ends.
extension ClaimState {
    /// A claim of tenants.
    mutating func claimed(_ reply: ClaimReply, of request: ClaimRequest, at now: Double) {
        begin(reply.jobs, at: now)
        let rooms = Dictionary(reply.restricted.map { ($0.tenant, $0) }) { $1 }
        let taken = Dictionary(grouping: reply.jobs, by: \.tenantID)
        var left = request.limit
        for part in request.parts where left > 0 {
            let jobs = taken[part.tenant] ?? []
            let capacity = rooms[part.tenant]
            let share = min(part.share, left, capacity?.room ?? .max)
            left -= jobs.count
            if let capacity { restrict(capacity, jobs.count, at: now) }
            let positions = jobs.map { job in
                (
                    lane: job.lane,
                    position: DuePosition(time: job.scheduledAt, user: job.claim.userID)
                )
            }
            if share > 0, backlog.take(positions, of: part, share: share) { forget(part.tenant) }
        }
    }

    private mutating func restrict(
        _ capacity: RemainingCapacity, _ taken: Int, at now: Double
    ) {
        let tenant = capacity.tenant
        switch capacity.state {
        case .limited where taken < capacity.room: restricted.forget(tenant)
        case .limited, .full:
            restricted.reachedLimit(tenant)
            share.foundFull(tenant, at: now)
        case .busy: share.foundBusy(tenant, at: now)
        case .unsettled:
            unsettled.insert(tenant)
            share.foundBusy(tenant, at: now)
        case .paused:
            // It is announced when it goes on.
            forget(tenant)
        }
    }

    /// What runs of tenants whose limit is new is counted; or not, and they are asked again after their rest.
    mutating func activatedLimits(isDone: Bool) {
        for tenant in unsettled where isDone { share.lift(tenant) }
        unsettled = []
    }

    mutating func begin(_ jobs: [ClaimedJob], at now: Double) {
        for job in jobs {
            share.began(job.tenantID, at: now)
            slotSince[job.claim.fence] = now
            if job.lane == .new { newRunning += 1 }
        }
    }

    /// A run has left its slot.
    mutating func ended(_ job: ClaimedJob, at now: Double) {
        guard let since = slotSince.removeValue(forKey: job.claim.fence) else { return }
        share.ended(job.tenantID, began: since, at: now, isUsual: job.lane != .new)
        use.add(job.tenantID, now - since, at: now)
        guard job.lane == .new else { return }
        newRunning -= 1
        for tenant in restricted.openNew() { share.lift(tenant) }
    }

    /// What a tenant waits for may have happened: a run of it has ended and is written, or its limit was changed.
    ///
    /// Returns whether it waited.
    @discardableResult
    mutating func open(_ tenant: Int64) -> Bool {
        guard restricted.open(tenant) else { return false }
        share.lift(tenant)
        return true
    }

    /// The statement's answer is taken in, and then what was heard meanwhile.
    mutating func answered(at now: Double) {
        let heard = heardMeanwhile ?? []
        heardMeanwhile = nil
        for news in heard { hear(news, at: now) }
    }

    /// Takes news in, or keeps them until the statement under way is answered.
    mutating func hear(_ news: News, at now: Double) {
        guard heardMeanwhile == nil else {
            heardMeanwhile?.append(news)
            return
        }
        switch news {
        case .announced(let announcement): take(announcement, at: now)
        case .notified(let time) where front.isNear(time): front.moveBack(to: .from(time))
        case .notified(let time): lookBack(to: .from(time), at: now)
        case .rescan: lookBack(to: .beginning, at: now)
        case .all: front.moveBack(to: .beginning)
        }
    }

    private mutating func take(_ news: Announcement, at now: Double) {
        guard let tenant = news.tenant else {
            if let since = news.since { front.moveBack(to: .from(since)) }
            return
        }
        open(tenant)
        if let weight = news.weight { share.reweigh(tenant, weight) }
        guard let since = news.since else { return }
        backlog.add(tenant, from: since)
        share.name(tenant, weight: news.weight, at: now)
    }
}
