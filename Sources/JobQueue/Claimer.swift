import Synchronization

/// Claims due jobs for a worker, fair between tenants, and remembers between two claims what it has seen
/// (docs/decisions/0040).
public final class Claimer: Sendable {
    /// Statements of one claim.
    private static let roundsMax = 40
    /// How long a claim looks at what was passed over before it gives what it has.
    private static let span = Duration.milliseconds(100)

    private let queue: Queue
    private let files: [String: RunNeeds]
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let start: ContinuousClock.Instant
    private let memory: Mutex<ClaimMemory>
    /// What failed while a claim already had jobs; the next one throws it.
    private let failure = Mutex<(any Error)?>(nil)

    /// Claims jobs of the named files, with what their runs need, for a worker of so many slots.
    ///
    /// `reserved`: slots that tenants whose runs are long leave to others. `clock`: by which slot time is measured.
    public init(
        _ queue: Queue, files: [String: RunNeeds], capacity: Int, reserved: Int = 0,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.queue = queue
        self.clock = clock
        start = clock()
        self.files = files
        memory = Mutex(ClaimMemory(share: FairShare(capacity: capacity, reserved: reserved)))
    }

    /// Claims up to `slots` due jobs, fair between tenants; what their runs must know is read by `read`.
    ///
    /// One turn while all that is due fits, and more while there is more. With no slots it looks only. What fails when it
    /// has jobs already the next claim throws, for these are to be run or given back. Throws `QueueError.workerEnded` when the worker
    /// was given up or drains and got nothing.
    public func take(worker: Int, slots: Int) async throws -> [ClaimedJob] {
        if let error = failure.withLock({ $0.take() }) { throw error }
        var jobs: [ClaimedJob] = []
        do {
            try await fill(&jobs, worker: worker, slots: slots)
        } catch QueueError.workerEnded where !jobs.isEmpty {
            // It began to drain between two statements.
        } catch  where !jobs.isEmpty {
            failure.withLock { $0 = error }
        }
        return jobs
    }

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
            for job in taken where !kept.contains(job.claim.fence) {
                noteEnd(of: job)
            }
        }
        jobs = try await read(taken)
        return jobs
    }

    private func fill(_ jobs: inout [ClaimedJob], worker: Int, slots: Int) async throws {
        let end = ContinuousClock.now + Self.span
        for _ in 0..<Self.roundsMax {
            let ticket = memory.withLock { $0.ticket(slots - jobs.count, at: seconds) }
            var helping = try await queue.claimHelping(worker: worker, names: names, ticket)
            let now = seconds
            for place in helping.jobs.indices { helping.jobs[place].slotSince = now }
            jobs += helping.jobs
            let (goesOn, isBehind) = memory.withLock {
                ($0.note(helping, by: ticket, at: now), $0.walk.isBehind)
            }
            guard goesOn, slots == 0 || jobs.count < slots,
                !isBehind || ContinuousClock.now < end
            else { break }
        }
    }

    /// Looks whether nothing became due since the last look, at a fraction of a claim's price.
    ///
    /// False: something did, or may have, and `take` tells. Takes two index entries. What became due in the
    /// last `grace` is left to other workers.
    public func findsNothing(grace: Duration = .zero) async throws -> Bool {
        // What failed is to be told first.
        guard failure.withLock({ $0 == nil }),
            let start = memory.withLock({ $0.idleStart(at: seconds) }),
            let time = try await queue.nothingDue(since: start, grace: grace)
        else { return false }
        memory.withLock { $0.walk.noteNothing(until: time, at: seconds) }
        return true
    }

    /// Whether there is something due that was not looked at.
    public var isBehind: Bool { memory.withLock { $0.walk.isBehind } }

    /// This worker's place among the living, from 0, and how many these are: what all are behind is walked
    /// in parts, and tenants at their limits are asked the more seldom.
    public func note(rank: Int, of workers: Int) {
        memory.withLock { memory in
            memory.walk.note(rank: rank, of: workers)
            memory.share.workers = workers
        }
    }

    /// Jobs have become due, or may be claimed again, that are due from `time` on; nil: at any time.
    public func note(dueFrom time: Int64?) {
        memory.withLock { $0.walk.lookAgain(from: time ?? .min) }
    }

    /// Looks at all that is due once more, in case something was passed over.
    public func lookBehind() { memory.withLock { $0.walk.lookBehind(at: seconds) } }

    /// A tenant may have more jobs run than before.
    public func note(lifted tenant: Int64) {
        memory.withLock { _ = $0.lifted.insert(tenant) }
    }

    /// A run of a claimed job has left its slot.
    public func noteEnd(of job: ClaimedJob) {
        memory.withLock {
            $0.noteEnd(job.tenantID, job.lane, began: job.slotSince, at: seconds)
        }
    }

    /// The outcomes of runs that have left their slots are written.
    ///
    /// Returns whether a tenant at its limit may have more run now.
    public func noteWritten() -> Bool { memory.withLock { $0.noteWritten() } }

    /// Of which tenants a run is to yield at its next page's end, and how many: others have waited for a second.
    public func yields() -> [Int64: Int] { memory.withLock { $0.yields(at: seconds) } }

    /// Whether jobs wait for a slot that is not kept for others.
    public var isHeldBack: Bool { memory.withLock { $0.isHeldBack } }

    /// Tells the database how long tenants held this worker's slots in the last five minutes, if there is
    /// something new to tell.
    public func tellUse(worker: Int) async throws {
        guard let report = memory.withLock({ $0.report(at: seconds) }) else { return }
        try await queue.noteSlotUse(worker: worker, report)
    }

    private var names: [String] { files.keys.sorted() }
    private var seconds: Double { (clock() - start) / .seconds(1) }
}

extension Queue {
    /// Claims up to `limit` due jobs of the named job files, with all that their runs must know.
    ///
    /// Looks at all that is due; a worker has a `Claimer`, which goes on where it was. Throws
    /// `QueueError.workerEnded` when the worker was given up or drains.
    public func claimJobs(
        worker: Int, limit: Int, names: [String]
    ) async throws -> [ClaimedJob] {
        let files = Dictionary(names.map { ($0, RunNeeds.all) }, uniquingKeysWith: { $1 })
        return try await Claimer(self, files: files, capacity: limit)
            .claim(worker: worker, slots: limit)
    }
}
