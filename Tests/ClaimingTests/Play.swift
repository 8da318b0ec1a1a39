import Basics
import JobQueue

@testable import Claiming

/// A worker's slots and what it remembers, before a server that is none, with a clock of their own.
struct Play {
    struct Run {
        var job: ClaimedJob
        var ends: Double
    }

    var server = FakeClaims()
    var state: ClaimState
    let slots: Int
    private(set) var running: [Run] = []
    private(set) var claimed: [ClaimedJob] = []
    var seconds = 0.0
    /// Statements of its claims.
    private(set) var statements = 0
    /// How long a long look takes, and one at tenants.
    var lookSpan = 0.0
    var noise: SplitMix
    /// What happens between a statement's snapshot and its answer.
    var meanwhile: (inout Play) -> Void = { _ in }

    init(slots: Int, reserved: Int = 0, seed: UInt64 = 1) {
        self.slots = slots
        state = ClaimState(share: FairShare(capacity: slots, reserved: reserved, seed: seed))
        noise = SplitMix(seed: seed)
    }

    var free: Int { slots - running.count }

    /// Time passes and runs end; then a call for jobs.
    mutating func step(_ span: Double = 0.01, lasting: ClosedRange<Double> = 0.01...0.05) {
        pass(span)
        let ended = running.filter { $0.ends <= seconds }
        running.removeAll { $0.ends <= seconds }
        for run in ended {
            state.ended(run.job, at: seconds)
            server.end(user: run.job.claim.userID)
        }
        for run in ended { state.open(run.job.tenantID) }
        call(lasting)
    }

    private mutating func pass(_ span: Double) {
        seconds += span
        server.now += Int64(span * 1e6)
    }

    /// As `Claimer.take`.
    mutating func call(_ lasting: ClosedRange<Double>) {
        var call = ClaimState.Call()
        let end = seconds + 0.1
        for _ in 0..<40 {
            call.isLate = call.looks > 0 && seconds >= end
            guard let step = state.send(free, call, at: seconds) else { return }
            statements += 1
            perform(step, &call, lasting)
            state.answered(at: seconds)
        }
    }

    mutating func perform(
        _ step: ClaimState.Step, _ call: inout ClaimState.Call, _ lasting: ClosedRange<Double>
    ) {
        switch step {
        case .claimNew(let limit, let look):
            let span = look.isLong || call.hasLookedAtFront ? lookSpan : 0
            pass(span)
            let (due, jobs) = server.claimNew(limit: limit, since: look.start)
            if call.hasLookedAtFront { call.looks += 1 }
            call.hasLookedAtFront = true
            disturb()
            state.lookedAtFront(due, took: jobs, in: span, at: seconds)
            begin(jobs, lasting)
        case .placeRound: state.placeRound(lastTenant: server.lastTenant)
        case .ask(let question):
            pass(lookSpan)
            call.looks += 1
            let due = server.ask(question)
            disturb()
            state.asked(due, took: lookSpan, at: seconds)
        case .claim(let request):
            let reply = server.claim(request)
            disturb()
            if reply.jobs.count < request.expected { call.vainClaims += 1 }
            state.claimed(reply, of: request, at: seconds)
            begin(reply.jobs, lasting)
        case .activateLimits:
            server.activateLimits()
            state.activatedLimits(isDone: true)
        }
    }

    private mutating func disturb() {
        let meanwhile = meanwhile
        meanwhile(&self)
    }

    private mutating func begin(_ jobs: [ClaimedJob], _ lasting: ClosedRange<Double>) {
        for job in jobs {
            running.append(
                Run(job: job, ends: seconds + Double.random(in: lasting, using: &noise)))
            claimed.append(job)
        }
    }
}
