import Postgres
import Claiming
import JobQueue

/// 19: whether a few slots serve many tenants alike, and by their weights.
let equalBenchmark = Benchmark(
    number: 19, name: "equal",
    sentence:
        "1,000 tenants with 100 due jobs each before 8 slots, of which one becomes free after the other: whose"
        + " 10,000 runs end first, with equal weights and with 1, 2 and 4.",
    goals: [
        .figure(
            "runs of the tenant with fewest", "fewest runs", .atLeast, 5, "", inEachRound: true),
        .figure("runs of the tenant with most", "most runs", .atMost, 15, "", inEachRound: true),
        .figure(
            "shares by weights 1, 2 and 4, off the ideal", "off the weights", .atMost, 10, "%",
            inEachRound: true),
    ],
    measure: measureEqual)

private let tenants = 1000
private let slots = 8
private let ends = 10_000

private func measureEqual(_ context: BenchmarkContext) async throws {
    let installation = try await Installation.make(
        context, files: ["idle": idleJob.replacing("every: 1h", with: "every: 1d")])
    try await installation.addUsers(tenants: tenants, each: 100)
    try await installation.giveJob()
    for round in 1...context.rounds {
        context.say("round \(round) of \(context.rounds)")
        let alike = try await serve(installation, weights: [1])
        context.measurements.record("fewest runs", alike.map(\.runs).min() ?? 0, "")
        context.measurements.record("most runs", alike.map(\.runs).max() ?? 0, "")
        let weighed = try await serve(installation, weights: [1, 2, 4])
        context.measurements.record("off the weights", worstDeviation(weighed) * 100, "%")
    }
    context.measurements.remark(
        "The worker is a claimer in this process: it ends the run that has lasted longest and claims for the slot."
    )
}

private struct Served {
    var weight: Int
    var runs: Double
}

/// Claims and ends runs until enough have ended; each tenant's, with its weight.
private func serve(_ installation: Installation, weights: [Int]) async throws -> [Served] {
    let cluster = installation.cluster
    let list = weights.map(String.init).joined(separator: ", ")
    try await cluster.script(
        """
        select jobrunner.set_tenant(t.name, in_weight => (array[\(list)])[1 + t.id % \(weights.count)])
        from jobrunner.tenants as t where t.name ~ '^t[0-9]+$' order by t.id
        """)
    try await cluster.script(try benchmarkSQL("make_due"))
    try await cluster.settle("jobrunner.jobs")
    let runs = try await endRuns(cluster.url)
    return try await cluster.query(
        "select t.id, t.weight from jobrunner.tenants as t where t.name ~ '^t[0-9]+$'"
    ).map { Served(weight: try $0.int(1), runs: runs[Int64(try $0.int(0)), default: 0]) }
}

/// One run after the other: the one that has lasted longest ends, and its slot is filled; how many ended of each tenant.
private func endRuns(_ url: String) async throws -> [Int64: Double] {
    let configuration = try DatabaseConfiguration(
        conninfo: url, applicationName: "jobrunner-bench", lanes: 1)
    return try await Database.withSessions(configuration) { database in
        let queue = Queue(database)
        let worker = try await queue.registerWorker(
            host: "bench", pid: 1, version: "bench", capacity: slots)
        let claimer = Claimer(queue, files: ["bench.idle": .nothing], capacity: slots)
        var running: [ClaimedJob] = []
        var runs: [Int64: Double] = [:]
        for _ in 0..<ends {
            let limit = ContinuousClock.now + .seconds(10)
            // Slots that are kept free while not all was looked at hold up no run that has begun.
            repeat {
                running += try await claimer.claim(worker: worker, slots: slots - running.count)
                guard ContinuousClock.now < limit else {
                    throw BenchError("a slot was free for 10 s with jobs due")
                }
            } while running.isEmpty
            let job = running.removeFirst()
            try await finishAsUnchanged([job], queue)
            claimer.ended(job)
            runs[job.tenantID, default: 0] += 1
        }
        try await finishAsUnchanged(running, queue)
        _ = try await queue.leave(worker: worker, deadline: .now + .seconds(10))
        return runs
    }
}

/// How far a weight's tenants are from what is theirs, at most.
private func worstDeviation(_ served: [Served]) -> Double {
    let weight = Double(served.reduce(0) { $0 + $1.weight })
    let runs = served.reduce(0) { $0 + $1.runs }
    return Dictionary(grouping: served, by: \.weight).values.map { group in
        let ideal = runs * Double(group.reduce(0) { $0 + $1.weight }) / weight
        return abs(group.reduce(0) { $0 + $1.runs } / ideal - 1)
    }.max() ?? 1
}
