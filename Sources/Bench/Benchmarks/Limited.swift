import Postgres
import Queue

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
        .figure("claims that failed", "failed claims", .atMost, 0, ""),
    ],
    measure: measureLimited)

private let sessions = 80
private let slots = 10
private let tenants = 100

private func measureLimited(_ stage: Stage) async throws {
    let jobs = stage.choose(short: 300_000, full: 500_000)
    let installation = try await Installation.make(
        stage, files: ["idle": idleJob.replacing("every: 1h", with: "every: 1d")])
    try await installation.addUsers(tenants: tenants, each: jobs / tenants)
    try await installation.giveJob()
    try await makeDue(installation)
    for round in 1...stage.rounds {
        stage.say("round \(round) of \(stage.rounds)")
        for isLimited in [false, true] {
            let rate = try await claims(installation, isLimited: isLimited)
            stage.ledger.record(
                isLimited ? "claims, one limited" : "claims, none limited", rate.claims, "1/s")
            stage.ledger.record("failed claims", rate.failed, "")
        }
    }
    stage.ledger.note(
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
    // As a limit that was set long ago: for its first two minutes other workers' claims may have missed it.
    try await cluster.script(
        """
        select jobrunner.set_tenant('t1', \(isLimited ? "in_max_running => 5" : "in_unlimited => true"));
        update jobrunner.limited_tenants set since = now() - interval '1 hour';
        """)
    let began = ContinuousClock.now
    // Workers that have just started do not know yet what is due.
    let from = began + .seconds(3)
    let end = from + .seconds(installation.stage.choose(short: 5, full: 10))
    let finish = try benchmarkSQL("finish_held")
    let counts = try await withThrowingTaskGroup(of: (given: Int, failed: Int).self) { group in
        for _ in 1...sessions {
            group.addTask {
                try await claim(cluster.url, finish, from: from, until: end)
            }
        }
        return try await group.reduce((given: 0, failed: 0)) {
            ($0.given + $1.given, $0.failed + $1.failed)
        }
    }
    let left = try await cluster.number(
        "select count(*)::float8 from jobrunner.jobs where due_at <= now()")
    guard left > 0 else { throw BenchError("nothing was left to claim before the time was over") }
    return (Double(counts.given) / (end - from).seconds, Double(counts.failed))
}

/// One session's claims from one time until another that gave something, and those that failed.
private func claim(
    _ url: String, _ finish: String, from: ContinuousClock.Instant,
    until end: ContinuousClock.Instant
) async throws -> (given: Int, failed: Int) {
    let database = Database(
        try DatabaseConfiguration(conninfo: url, applicationName: "jobrunner-bench", lanes: 1))
    let queue = Queue(database)
    let worker = try await queue.registerWorker(
        host: "bench", pid: 1, version: "bench", capacity: slots)
    let claimer = Claimer(queue, files: ["bench.idle": []], capacity: slots)
    var (given, failed) = (0, 0)
    while ContinuousClock.now < end {
        let began = ContinuousClock.now
        do {
            let jobs = try await claimer.claim(worker: worker, slots: slots)
            if began >= from, !jobs.isEmpty { given += 1 }
            try await database.run {
                _ = try $0.query(Statement(finish, binds: [.int(worker)]))
            }
            for job in jobs { claimer.noteEnd(of: job, claimedAt: began) }
            if claimer.noteWritten() { claimer.note(dueFrom: nil) }
        } catch is DatabaseError {
            failed += 1
        }
    }
    _ = try await queue.leave(worker: worker, deadline: .now + .seconds(10))
    await database.close()
    return (given, failed)
}
