import JobQueue

/// What a worker remembers between its claims, and what it asks next; README.md has the diagram.
struct ClaimState: Sendable {
    /// One statement of a claim.
    enum Step: Sendable {
        /// Takes what became due since the last look, if it fits; with a limit of 0 it only looks.
        case claimNew(limit: Int, since: DuePosition)
        /// Looks at a part of what is due that was not seen yet.
        case look(DueCursor.Range)
        /// Asks for the number of the last tenant, and so begins to ask tenant by tenant.
        case beginScan
        /// Asks some tenants.
        case scan(after: Int64, count: Int)
        /// Asks for the number of the next tenant, which the scan then leaves out.
        case skipTenant(after: Int64)
        case claim(ClaimRequest)
        /// Counts what runs of tenants whose limit is new.
        case activateLimits

        /// It may come to many dead entries; `failed` says what is asked instead when it takes too long.
        var mayTakeTooLong: Bool {
            switch self {
            case .claimNew, .look, .scan, .claim: true
            case .beginScan, .skipTenant, .activateLimits: false
            }
        }
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
    /// With more than so many looks at what was not seen the backlog is long: tenants are asked one by one as well.
    private static let longBacklog = 8
    /// After a look at all that was seen already none follows for so many times as long as it took.
    private static let rescanPauses = 50.0
    /// Claims in one call that gave less than they asked for, as when other workers take from the same tenants.
    private static let vainClaimsMax = 4

    var cursor = DueCursor()
    private var scan: TenantScan?
    private(set) var backlog = TenantBacklog()
    var share: FairShare
    private var restricted = RestrictedTenants()
    /// This worker's place among the living, from 0, and how many these are.
    var rank = 0
    private var lookedAtFrontAt = -Double.infinity
    private var lookedAt = -Double.infinity
    /// Looks at ranges since all was seen.
    private var looks = 0
    /// Since when more has become due than a look at the front has seen; nil when it was seen since.
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
    /// What was heard while a statement is under way, whose answer knows nothing of it; nil when none is.
    private var heardMeanwhile: [News]?

    /// What a worker hears of jobs that wait where it has looked already.
    private enum News {
        case announced(Announcement)
        case notified(dueFrom: Int64)
        case all
    }

    init(share: FairShare) { self.share = share }
}

// What is asked next.
extension ClaimState {
    /// The next statement of a call, which is sent: what is heard from now on its answer may not know.
    mutating func send(_ slots: Int, _ call: Call, at now: Double) -> Step? {
        let step = next(slots, call, at: now)
        heardMeanwhile = step.map { _ in [] }
        return step
    }

    /// The next statement of a call that may take so many jobs more; nil when the call is over.
    mutating func next(_ slots: Int, _ call: Call, at now: Double) -> Step? {
        let request = request(forFree: slots, at: now)
        if !call.hasLookedAtFront {
            cursor.rewindForLateCommits(rank: rank, of: share.workers, at: now)
            let isEveryday = backlog.isEmpty && cursor.isCaughtUp
            let isIdle = slots > 0 && request.parts.isEmpty
            if isEveryday || isIdle || now - lookedAtFrontAt >= Self.lookPace {
                // This claim takes jobs whose tenants are not known yet, so that it leaves the reserved slots free.
                return .claimNew(
                    limit: isEveryday ? share.open(slots, at: now) : 0, since: cursor.frontStart)
            }
        }
        if !unsettled.isEmpty, slots > 0 { return .activateLimits }
        let hasSpareSlots = request.expected < request.limit && call.looks < Self.looksMax
        if isBehind, !call.isLate, hasSpareSlots || now - lookedAt >= Self.lookPace,
            let step = nextLook()
        {
            return step
        }
        return request.parts.isEmpty || call.vainClaims >= Self.vainClaimsMax
            ? nil : .claim(request)
    }

    /// Alternately a range and some tenants, once it is known that the backlog is long.
    private func nextLook() -> Step? {
        if looks >= Self.longBacklog && looks % 2 == 0 || cursor.isCaughtUp {
            guard let scan else { return .beginScan }
            if scan.isStuck { return .skipTenant(after: scan.last) }
            if !scan.isOver { return .scan(after: scan.last, count: scan.count) }
        }
        return cursor.next.map { .look($0) }
    }

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

    /// Whether some of what is due was not looked at.
    var isBehind: Bool {
        !cursor.isCaughtUp || cursor.hasDropped && scan?.isOver != true
    }

    /// Whether jobs wait for a slot that is not kept for others.
    var isHeldBack: Bool { !backlog.isEmpty && (share.isHeldBack || restricted.holdsNew) }

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
        from start: DuePosition, _ due: DueTenants, took jobs: [ClaimedJob], at now: Double
    ) {
        lookedAtFrontAt = now
        if due.isCut, !cursor.isRewound { behindAt = behindAt ?? now }
        cursor.lookedAtFront(from: start, due)
        begin(jobs, at: now)
        add(due, at: now)
        endRescanWhenCaughtUp(at: now)
    }

    /// A look at a range.
    mutating func looked(
        at range: DueCursor.Range, _ due: DueTenants, took seconds: Double, at now: Double
    ) {
        recordLook(seconds, at: now)
        cursor.looked(at: range, due, took: seconds)
        add(due, at: now)
        endRescanWhenCaughtUp(at: now)
    }

    /// Tenants are asked from this worker's part of them on.
    mutating func beginScan(lastTenant: Int64) {
        cursor.scanBegins()
        scan = TenantScan(
            begunAt: cursor.front.time, from: Double(rank) / Double(max(1, share.workers)),
            of: lastTenant)
    }

    /// A look at some tenants.
    mutating func scanned(_ due: DueTenants, took seconds: Double, at now: Double) {
        recordLook(seconds, at: now)
        add(due, at: now)
        guard var scan else { return }
        scan.asked(
            upTo: due.reached.user == .min ? nil : due.reached.user, isCut: due.isCut)
        if scan.isOver, !scan.hasSkipped { cursor.scanEnded(begunAt: scan.begunAt) }
        self.scan = scan
        endRescanWhenCaughtUp(at: now)
    }

    /// The tenant behind which the scan stood is left out.
    mutating func skipped(_ tenant: Int64?) { scan?.skip(tenant) }

    /// A statement took too long.
    mutating func failed(_ step: Step, at now: Double) {
        recordLook(0, at: now)
        switch step {
        case .claimNew: cursor.lookFailed(atFront: true)
        case .look: cursor.lookFailed(atFront: false)
        case .scan: scan?.failed()
        case .claim(let request):
            // One of their floors lies before very many dead entries; a rescan finds where something waits.
            for part in request.parts {
                backlog.remove(part.tenant)
                share.foundEmpty(part.tenant)
            }
            cursor.rescan()
        case .beginScan, .skipTenant, .activateLimits: break
        }
    }

    private mutating func recordLook(_ seconds: Double, at now: Double) {
        looks += 1
        lookedAt = now
        rescanTook = rescanTook.map { $0 + seconds }
    }

    private mutating func add(_ due: DueTenants, at now: Double) {
        backlog.add(due.found)
        for lane in due.found {
            share.name(lane.tenant, weight: due.weights[lane.tenant] ?? 1, at: now)
            if lane.lane != .new, restricted.holdsNew { open(lane.tenant) }
        }
    }

    private mutating func endRescanWhenCaughtUp(at now: Double) {
        guard !isBehind else { return }
        cursor.forgetDropped()
        if let took = rescanTook { rescansAt = now + Self.rescanPauses * took }
        (looks, scan, behindAt, rescanTook) = (0, nil, nil, nil)
    }

    /// Looks at all that is due once more, in case something was passed over; a long look takes a fiftieth of the time at most.
    mutating func rescan(from start: DuePosition = .beginning, at now: Double) {
        guard !isBehind, now >= rescansAt else { return }
        rescanTook = 0
        cursor.rescan(from: start)
    }

    /// A notification says that jobs are due from `time` on.
    ///
    /// Any login may send one, so that it has a worker look at what is near, and else at no more than a rescan may.
    mutating func notified(dueFrom time: Int64, at now: Double) {
        heardMeanwhile?.append(.notified(dueFrom: time))
        if !cursor.announce(dueFrom: time) { rescan(from: .from(time), at: now) }
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
            if let capacity { restrict(capacity, part, jobs.count, at: now) }
            guard capacity?.state ?? .limited == .limited || capacity?.state == .full else {
                continue
            }
            let positions = jobs.map { job in
                (
                    lane: job.lane,
                    position: DuePosition(time: job.scheduledAt, user: job.claim.userID)
                )
            }
            if share > 0, backlog.take(positions, of: part, share: share) {
                self.share.foundEmpty(part.tenant)
            }
        }
    }

    private mutating func restrict(
        _ capacity: RemainingCapacity, _ part: ClaimRequest.Part, _ taken: Int, at now: Double
    ) {
        let tenant = capacity.tenant
        switch capacity.state {
        case .limited where taken < capacity.room: break
        case .limited, .full:
            restricted.reachedLimit(tenant)
            share.foundFull(tenant, at: now)
        case .busy: share.foundBusy(tenant, at: now)
        case .unsettled:
            unsettled.insert(tenant)
            share.foundBusy(tenant, at: now)
        case .paused:
            // It is announced when it goes on, which may have been heard since the claim began.
            guard backlog.tenants[tenant] == part.floors else { break }
            backlog.remove(tenant)
            share.foundEmpty(tenant)
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

    /// Looks at all that is due once more, however lately that was done.
    mutating func lookAtAll() {
        heardMeanwhile?.append(.all)
        cursor.rescan()
    }

    /// The statement's answer is taken in: it undoes nothing of what was heard meanwhile.
    mutating func answered(at now: Double) {
        let heard = heardMeanwhile ?? []
        heardMeanwhile = nil
        for news in heard {
            switch news {
            case .announced(let announcement): self.heard(announcement, at: now)
            case .notified(let time): notified(dueFrom: time, at: now)
            case .all: lookAtAll()
            }
        }
    }

    /// What was announced: jobs that became due in the past, of a tenant or of any, or a tenant's change.
    mutating func heard(_ news: Announcement, at now: Double) {
        heardMeanwhile?.append(.announced(news))
        if let tenant = news.tenant {
            open(tenant)
            if let weight = news.weight { share.reweigh(tenant, weight) }
            guard let since = news.since else { return }
            backlog.add(tenant, from: since)
            share.name(tenant, weight: news.weight, at: now)
        } else if let since = news.since, !cursor.announce(dueFrom: since) {
            cursor.rescan(from: .from(since))
        }
    }
}
