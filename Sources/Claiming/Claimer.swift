public import JobQueue
import Postgres
import Synchronization

/// Claims due jobs for a worker, fair between tenants, and remembers between two claims of whom something is due
/// (docs/decisions/0049).
public final class Claimer: Sendable {
    /// How long a call looks at what was not seen yet before it gives what it has.
    private static let callTime = Duration.milliseconds(100)
    /// Statements of one call.
    private static let stepsMax = 40

    /// What a call for jobs gave.
    public struct Taken: Sendable {
        /// The jobs, whose slots are taken.
        public var jobs: [ClaimedJob] = []
        /// What a later statement failed with when there were jobs already; it may have taken others.
        public var failure: (any Error)?
    }

    /// The last job that may have killed two workers.
    private enum Suspect: Equatable {
        /// None was found.
        case none
        /// This worker runs it, by its fence.
        case held(Int64)
        /// Its outcome is written.
        case ended
    }

    private let queue: Queue
    private let files: [String: RunNeeds]
    private let names: [String]
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let start: ContinuousClock.Instant
    private let state: Mutex<ClaimState>
    private let suspect = Mutex(Suspect.none)

    /// Claims jobs of the named files, with what their runs need, for a worker of so many slots.
    ///
    /// `reserved`: slots that tenants whose runs are long leave to others. `clock`: by which slot time is measured.
    public init(
        _ queue: Queue, files: [String: RunNeeds], capacity: Int, reserved: Int = 0,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.queue = queue
        self.files = files
        self.clock = clock
        names = files.keys.sorted()
        start = clock()
        state = Mutex(ClaimState(share: FairShare(capacity: capacity, reserved: reserved)))
    }

    /// Claims up to `slots` due jobs, fair between tenants; what their runs must know is read by `read`.
    ///
    /// One statement while all that is due fits, and usually two while there is a backlog. With no slots it looks
    /// only. Throws
    /// `QueueError.workerEnded` when the worker was given up or drains and got nothing.
    public func take(worker: Int, slots: Int) async throws -> Taken {
        var taken = Taken()
        do {
            try await fill(&taken.jobs, worker: worker, slots: slots)
        } catch QueueError.workerEnded where !taken.jobs.isEmpty {
            // It began to drain between two statements.
        } catch  where !taken.jobs.isEmpty {
            taken.failure = error
        }
        return taken
    }

    private func fill(_ jobs: inout [ClaimedJob], worker: Int, slots: Int) async throws {
        let end = ContinuousClock.now + Self.callTime
        var call = ClaimState.Call()
        for _ in 0..<Self.stepsMax {
            let free = max(0, slots - jobs.count)
            call.isLate = call.looks > 0 && ContinuousClock.now >= end
            guard let step = state.withLock({ $0.send(free, call, at: seconds) }) else { return }
            defer { state.withLock { $0.answered(at: seconds) } }
            let began = seconds
            do {
                jobs += try await perform(step, worker: worker, &call)
            } catch let error as DatabaseError where error.isStatementTimeout && step.mayTakeTooLong
            {
                call.looks += 1
                if case .claim = step { call.vainClaims += 1 }
                state.withLock { $0.failed(step, took: seconds - began, at: seconds) }
            }
        }
    }

    private func perform(
        _ step: ClaimState.Step, worker: Int, _ call: inout ClaimState.Call
    ) async throws -> [ClaimedJob] {
        let began = seconds
        switch step {
        case .claimNew(let limit, let look):
            let (due, jobs) = try await queue.claimNew(
                worker: worker, limit: limit, names: names, look)
            if call.hasLookedAtFront { call.looks += 1 }
            call.hasLookedAtFront = true
            state.withLock {
                $0.lookedAtFront(due, took: jobs, in: seconds - began, at: seconds)
            }
            return jobs
        case .placeRound:
            let last = try await queue.lastTenant()
            state.withLock { $0.placeRound(lastTenant: last) }
        case .ask(let question):
            let due = try await queue.lookAtTenants(names: names, question)
            call.looks += 1
            state.withLock { $0.asked(due, took: seconds - began, at: seconds) }
        case .claim(let request):
            let reply = try await queue.claimOfTenants(worker: worker, names: names, request)
            if reply.jobs.count < request.expected { call.vainClaims += 1 }
            state.withLock { $0.claimed(reply, of: request, at: seconds) }
            return reply.jobs
        case .activateLimits:
            let isDone = try await queue.activateLimits()
            state.withLock { $0.activatedLimits(isDone: isDone) }
        }
        return []
    }

    /// Gives the worker a job that may have killed two workers, where it holds no other such job; nil means none.
    public func takeSuspect(worker: Int) async throws -> ClaimedJob? {
        let job = try await queue.claimSuspect(worker: worker, names: names)
        suspect.withLock { suspect in
            if let job {
                suspect = .held(job.claim.fence)
            } else if suspect == .ended {
                suspect = .none
            }
        }
        guard let job else { return nil }
        state.withLock { $0.begin([job], at: seconds) }
        return job
    }

    /// The suspect that was taken last has ended: there may be another, which nobody else need find.
    public var wantsSuspect: Bool { suspect.withLock { $0 == .ended } }

    /// The jobs with all that their runs must know, those that were asked for and the oldest first.
    ///
    /// Leaves out jobs of users who were removed meanwhile. One turn.
    public func read(_ jobs: [ClaimedJob]) async throws -> [ClaimedJob] {
        var jobs = jobs
        try await queue.readInputs(of: &jobs, files)
        return jobs.sorted {
            (-$0.lane.rawValue, $0.scheduledAt) < (-$1.lane.rawValue, $1.scheduledAt)
        }
    }

    /// `take` and then `read`; the slots of what is left out are free again.
    public func claim(worker: Int, slots: Int) async throws -> [ClaimedJob] {
        let taken = try await take(worker: worker, slots: slots)
        var jobs: [ClaimedJob] = []
        defer {
            let kept = Set(jobs.map(\.claim.fence))
            for job in taken.jobs where !kept.contains(job.claim.fence) { ended(job) }
        }
        if let failure = taken.failure { throw failure }
        jobs = try await read(taken.jobs)
        return jobs
    }

    private var seconds: Double { (clock() - start) / .seconds(1) }
}

// What a worker tells its claimer.
extension Claimer {
    /// Whether some of what is due was not looked at.
    public var isBehind: Bool { state.withLock { $0.isBehind } }

    /// Whether jobs wait for a slot that is not kept for others.
    public var isHeldBack: Bool { state.withLock { $0.isHeldBack } }

    /// Whether a claim waits for outcomes to be written: of a tenant at its limit, or of a suspect.
    public var awaitsOutcomes: Bool {
        let isSuspectHeld = suspect.withLock { if case .held = $0 { true } else { false } }
        return isSuspectHeld || state.withLock { $0.awaitsOutcomes }
    }

    /// This worker's place among the living, from 0, and how many these are: workers begin at different tenants, and
    /// those at their limits are asked the more seldom.
    public func setRank(_ rank: Int, of workers: Int) {
        state.withLock { state in
            state.rank = rank
            state.share.workers = workers
        }
    }

    /// A notification says that jobs are due from `time` on, in microseconds since 1970; any login may send one.
    public func notified(dueFrom time: Int64) {
        hear([.notified(dueFrom: time)])
    }

    /// What was announced.
    public func heard(_ news: [Announcement]) { hear(news.map { .announced($0) }) }

    /// Looks at all that is due once more, in case something was passed over.
    public func rescan() { hear([.rescan]) }

    /// Looks at all that is due once more, however lately that was done.
    public func lookAtAll() { hear([.all]) }

    private func hear(_ news: [ClaimState.News]) {
        state.withLock { state in
            for news in news { state.hear(news, at: seconds) }
        }
    }

    /// A run of a claimed job has left its slot.
    public func ended(_ job: ClaimedJob) { state.withLock { $0.ended(job, at: seconds) } }

    /// Claims were given back: their jobs wait again, due as before.
    public func gaveBack(_ jobs: [ClaimedJob]) {
        heard(
            jobs.map { Announcement(since: $0.scheduledAt, tenant: $0.tenantID, weight: nil) })
    }

    /// Outcomes of these runs are written.
    ///
    /// Returns whether another may be claimed at once: of a tenant that waited at its limit, or of the suspects,
    /// which a worker runs one at a time.
    public func written(_ runs: some Sequence<FinishedRun>) -> Bool {
        let isNextSuspect = suspect.withLock { suspect in
            guard case .held(let fence) = suspect, runs.contains(where: { $0.claim.fence == fence })
            else { return false }
            suspect = .ended
            return true
        }
        return state.withLock { state in
            runs.reduce(isNextSuspect) { state.open($1.tenantID) || $0 }
        }
    }

    /// Of which tenants a run is to yield at its next page's end, and how many: others have waited for a second.
    public func yields() -> [Int64: Int] { state.withLock { $0.yields(at: seconds) } }

    /// Tells the database how long tenants held this worker's slots in the last five minutes, if there is
    /// something new to tell.
    public func tellUse(worker: Int) async throws {
        guard let report = state.withLock({ $0.report(at: seconds) }) else { return }
        try await queue.storeSlotUse(worker: worker, report)
    }
}

extension Queue {
    /// Claims up to `limit` due jobs of the named job files, with all that their runs must know, and first one that may
    /// have killed two workers.
    ///
    /// Looks at all that is due; a worker has a `Claimer`, which goes on where it was. Throws
    /// `QueueError.workerEnded` when the worker was given up or drains.
    public func claimJobs(
        worker: Int, limit: Int, names: [String]
    ) async throws -> [ClaimedJob] {
        let files = Dictionary(names.map { ($0, RunNeeds.all) }, uniquingKeysWith: { $1 })
        let claimer = Claimer(self, files: files, capacity: limit)
        let suspect = try await claimer.takeSuspect(worker: worker).map { [$0] } ?? []
        let jobs = try await claimer.claim(worker: worker, slots: limit - suspect.count)
        return try await claimer.read(suspect) + jobs
    }
}
