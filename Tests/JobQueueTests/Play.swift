import Basics

@testable import JobQueue

/// A worker's slots and its memory, before a server that is none, with a clock of their own.
struct Play {
    var server = FakeClaims()
    var memory: ClaimMemory
    let slots: Int
    private(set) var running: [(user: Int64, tenant: Int64, began: Double, ends: Double)] = []
    private(set) var claimed: [ClaimedJob] = []
    var seconds = 0.0
    /// Statements of its claims.
    private(set) var statements = 0
    /// How long a look at a gap takes.
    var lookSpan = 0.0
    var noise: SplitMix

    init(slots: Int, remembered: Int = 200_000, seed: UInt64 = 1) {
        self.slots = slots
        memory = ClaimMemory(
            due: DueJobs(most: remembered), share: FairShare(capacity: slots))
        noise = SplitMix(seed: seed)
    }

    var free: Int { slots - running.count }

    /// All that it has claimed or remembers of tenants 0 to 69.
    var seen: [Int64] {
        (0..<70).flatMap { memory.due.next(10_000, of: $0) }.map(\.position.user)
            + claimed.map(\.claim.userID)
    }

    /// A worker of 8 slots before 7,000 jobs of 70 tenants, half a second apart, of which it has begun to look at the oldest.
    static func begun(rank: Int, of workers: Int, lookSpan: Double) -> Play {
        var play = Play(slots: 8)
        play.server.haste = 100
        play.lookSpan = lookSpan
        play.memory.walk.note(rank: rank, of: workers)
        for number in 0..<7000 {
            play.server.add(
                tenant: Int64(number % 70), at: play.server.now - Int64(number + 20) * 500_000)
        }
        for _ in 0..<3 {
            let ticket = play.memory.ticket(0, at: play.seconds)
            _ = play.memory.note(play.server.answer(ticket), by: ticket, at: play.seconds)
        }
        return play
    }

    /// Time passes and runs end; then a claim.
    mutating func step(_ span: Double = 0.01, lasting: ClosedRange<Double> = 0.01...0.05) {
        seconds += span
        server.now += Int64(span * 1e6)
        for run in running where run.ends <= seconds {
            memory.noteEnd(run.tenant, .due, began: run.began, at: seconds)
            server.end(user: run.user)
        }
        running.removeAll { $0.ends <= seconds }
        _ = memory.noteWritten()
        claim(lasting)
    }

    /// As `Claimer.claim`.
    private mutating func claim(_ lasting: ClosedRange<Double>) {
        for _ in 0..<40 {
            let ticket = memory.ticket(free, at: seconds)
            if [.gap, .probe].contains(ticket.look) {
                seconds += lookSpan
                server.now += Int64(lookSpan * 1e6)
            }
            let helping = server.answer(ticket)
            statements += 1
            for job in helping.jobs {
                let span = Double.random(in: lasting, using: &noise)
                running.append((job.claim.userID, job.tenantID, seconds, seconds + span))
                claimed.append(job)
            }
            let hadSlots = ticket.limit > 0
            guard memory.note(helping, by: ticket, at: seconds), !hadSlots || free > 0 else {
                return
            }
        }
    }
}
