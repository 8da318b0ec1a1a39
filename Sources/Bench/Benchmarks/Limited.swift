import Postgres
import Claiming
import JobQueue
import Synchronization

/// 17: whether the limit of one tenant slows the claims of all.
let limitedBenchmark = Benchmark(
    number: 17, name: "limited",
    sentence:
        "80 sessions that claim 10 jobs at a time from a backlog of 100 tenants, none of them limited and then"
        + " one of them to 5 running jobs.",
    goals: [
        .ratio(
            "claims with one tenant limited", "claims, one limited", to: "claims, none limited",
            .atLeast, 0.95),
        .figure("claims that failed", "failed claims", .atMost, 0, "", inEachRound: true),
    ],
    measure: measureLimited)

private let sessions = 80
private let slots = 10
private let tenants = 100

private func measureLimited(_ context: BenchmarkContext) async throws {
    let jobs = context.choose(short: 300_000, full: 500_000)
    let installation = try await Installation.make(
        context, files: ["idle": idleJob.replacing("every: 1h", with: "every: 1d")])
    try await installation.addUsers(tenants: tenants, each: jobs / tenants)
    try await installation.giveJob()
    try await makeDue(installation)
    for round in 1...context.rounds {
        context.say("round \(round) of \(context.rounds)")
        // Forth and back, for a machine that is slower at the end than at the beginning.
        var claimed = [false: 0.0, true: 0.0]
        for isLimited in [false, true, true, false] {
            let rate = try await claims(installation, isLimited: isLimited)
            claimed[isLimited, default: 0] += rate.claims / 2
            context.measurements.record("failed claims", rate.failed, "")
        }
        context.measurements.record("claims, none limited", claimed[false] ?? 0, "1/s")
        context.measurements.record("claims, one limited", claimed[true] ?? 0, "1/s")
    }
    context.measurements.remark(
        "The sessions are workers' claimers in this process, with the waits for locks that workers have. Each ends"
            + " its runs, by finish_runs, before it claims again. A claim that gave nothing is not counted."
    )
}

private func makeDue(_ installation: Installation) async throws {
    try await installation.cluster.script(try benchmarkSQL("make_due"))
    try await installation.cluster.settle("jobrunner.jobs")
}

/// Claims a second of all sessions, and how many failed.
private func claims(
    _ installation: Installation, isLimited: Bool
) async throws -> (claims: Double, failed: Double) {
    let cluster = installation.cluster
    try await makeDue(installation)
    try await cluster.script(
        "select jobrunner.set_tenant('t1', \(isLimited ? "in_max_running => 5" : "in_unlimited => true"))"
    )
    let tally = Tally()
    let seconds = installation.context.choose(short: 5.0, full: 10)
    try await withThrowingTaskGroup(of: Void.self) { group in
        for rank in 0..<sessions {
            group.addTask { try await claim(cluster.url, rank: rank, tally) }
        }
        defer { tally.end() }
        let limit = ContinuousClock.now + .seconds(120)
        while !tally.isWarm {
            guard ContinuousClock.now < limit else {
                throw BenchError("waited 120 s for \(sessions) sessions to claim")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        try await cluster.forgetStatements()
        tally.begin()
        try await Task.sleep(for: .seconds(seconds))
        tally.end()
        try await cluster.keepStatements(
            as: isLimited ? "statements, one limited" : "statements, none limited",
            in: installation.context.measurements)
        try await group.waitForAll()
    }
    let left = try await cluster.number(
        "select count(*)::float8 from jobrunner.jobs where due_at <= now()")
    guard left > 0 else { throw BenchError("nothing was left to claim before the time was over") }
    return (Double(tally.counts.given) / seconds, Double(tally.counts.failed))
}

/// What the sessions have claimed since the time began.
private final class Tally: Sendable {
    struct Counts: Sendable {
        /// Claims that gave something, and claims that failed.
        var given = 0
        var failed = 0
    }

    private struct State {
        var counts = Counts()
        var warm = 0
        var isCounting = false
        var isOver = false
    }

    private let state = Mutex(State())

    /// Every session has its plans: its first claims cost more than the later ones.
    var isWarm: Bool { state.withLock { $0.warm == sessions } }
    var isOver: Bool { state.withLock { $0.isOver } }
    var counts: Counts { state.withLock { $0.counts } }

    func recordWarm() { state.withLock { $0.warm += 1 } }
    func begin() { state.withLock { $0.isCounting = true } }

    func end() {
        state.withLock { state in
            state.isCounting = false
            state.isOver = true
        }
    }

    func count(_ claim: WritableKeyPath<Counts, Int>) {
        state.withLock { state in
            if state.isCounting { state.counts[keyPath: claim] += 1 }
        }
    }
}

/// One session's claims until it is told that the time is over.
private func claim(_ url: String, rank: Int, _ tally: Tally) async throws {
    let configuration = try DatabaseConfiguration(
        conninfo: url, applicationName: "jobrunner-bench", lanes: 1)
    try await Database.withSessions(configuration) { database in
        let queue = Queue(database)
        let worker = try await queue.registerWorker(
            host: "bench", pid: 1, version: "bench", capacity: slots)
        let claimer = Claimer(queue, files: ["bench.idle": .nothing], capacity: slots)
        claimer.setRank(rank, of: sessions)
        var count = 0
        while !tally.isOver {
            do {
                let jobs = try await claimer.claim(worker: worker, slots: slots)
                if !jobs.isEmpty { tally.count(\.given) }
                try await finishAsUnchanged(jobs, queue)
                for job in jobs { claimer.ended(job) }
                _ = claimer.written(
                    jobs.map {
                        FinishedRun(claim: $0.claim, tenantID: $0.tenantID, outcome: .complete)
                    })
            } catch is DatabaseError {
                tally.count(\.failed)
            }
            count += 1
            if count == 5 { tally.recordWarm() }
        }
        _ = try await queue.leave(worker: worker, deadline: .now + .seconds(10))
    }
}
