import Postgres
import JobQueue

/// 12: what many workers cost the server while nothing is due, what one enqueue does to them all, and what a dead one
/// leaves them to do.
let fleetBenchmark = Benchmark(
    number: 12, name: "fleet",
    sentence:
        "200 idle workers (short: 50) and 20,000 tenants with nothing due; then one enqueue at a time; then a dead"
        + " worker's job that an application's transaction holds locked.",
    goals: [
        .figure("PostgreSQL under idle workers", "idle cores", .atMost, 0.2, "cores"),
        .figure("PostgreSQL for one enqueue", "per enqueue", .atMost, 5, "ms"),
        .figure("pick-up by one of them, p99", "pick-up p99", .atMost, 10, "ms"),
        .figure(
            "PostgreSQL for a dead worker's locked job", "locked job cores", .atMost, 0.05, "cores"),
    ],
    measure: measureFleet)

private let fleetTenants = 20_000
private let enqueues = 300

private func measureFleet(_ context: BenchmarkContext) async throws {
    let workers = context.choose(short: 50, full: 200)
    let seconds = context.choose(short: 15.0, full: 30)
    let installation = try await Installation.make(context, files: ["idle": rareIdleJob])
    let cluster = installation.cluster
    try await installation.addUsers(tenants: fleetTenants, each: 1)
    try await installation.giveJob()
    try await cluster.script("update jobrunner.jobs set due_at = now() + interval '1 day'")
    try await cluster.settle("jobrunner.jobs")
    context.say("starting \(workers) workers")
    for number in 1...workers {
        _ = try installation.startWorker(["--concurrency", "10"], as: "worker\(number)")
    }
    try await installation.cluster.wait(
        until: "select count(*) = \(workers) from jobrunner.workers where ended_at is null",
        atMost: .seconds(120), "the workers")
    // Their ranks come with the second heartbeat.
    try await Task.sleep(for: .seconds(15))
    // The plans of a session cost more than its first hundred claims.
    _ = try await pickUps(100, cluster)
    for round in 1...context.rounds {
        context.say("round \(round) of \(context.rounds)")
        var idle = try await idleCores(cluster, seconds)
        try await cluster.forgetStatements()
        let (cpu, began) = (cluster.cpuSeconds, ContinuousClock.now)
        let picks = try await pickUps(enqueues, cluster)
        let (used, span) = (cluster.cpuSeconds - cpu, (ContinuousClock.now - began).seconds)
        try await cluster.keepStatements(as: "statements of enqueues", in: context.measurements)
        idle = (idle + (try await idleCores(cluster, seconds))) / 2
        context.measurements.record("idle cores", idle, "cores")
        let each = max(0, used - idle * span) / Double(enqueues)
        context.measurements.record("per enqueue", each * 1000, "ms")
        context.measurements.record("pick-up p50", percentile(picks, 0.5) ?? 0, "ms")
        context.measurements.record("pick-up p99", percentile(picks, 0.99) ?? 0, "ms")
        let beside = try await coresBesideLockedJob(cluster, seconds)
        context.measurements.record("locked job cores", max(0, beside - idle), "cores")
    }
    context.measurements.remark(
        "Processor time of all of the server's processes. An enqueue's is what \(enqueues) of them took above the"
            + " idle rate before and after them, their runs and outcomes included; pick-up is from its commit to its claim's beginning,"
            + " both by the server's clock. A locked job's cores are what is above the idle rate, too."
    )
}

private func idleCores(_ cluster: Cluster, _ seconds: Double) async throws -> Double {
    let cpu = cluster.cpuSeconds
    try await Task.sleep(for: .seconds(seconds))
    return (cluster.cpuSeconds - cpu) / seconds
}

/// Milliseconds from the commits of enqueues, 80 to 120 ms apart, to the claims.
private func pickUps(_ count: Int, _ cluster: Cluster) async throws -> [Double] {
    try await cluster.withDatabase { database in
        var commits: [Double] = []
        try await database.run { try $0.script("truncate jobrunner.runs") }
        for number in 0..<count {
            let statement = Statement(
                "select jobrunner.enqueue($1, 'u1', 'bench.idle')", .text("t\(number * 61 + 1)"))
            commits.append(
                try await database.run { session in
                    _ = try session.query(statement)
                    return try session.query(
                        Statement("select extract(epoch from clock_timestamp())::float8")
                    ).only().double(0)
                })
            try await Task.sleep(for: .milliseconds(.random(in: 80...120)))
        }
        let claims = try await database.run { session in
            try session.query(
                Statement(
                    "select extract(epoch from started_at)::float8 from jobrunner.runs order by started_at"
                )
            ).map { try $0.double(0) }
        }
        guard claims.count == count else {
            throw BenchError("\(claims.count) of \(count) enqueued jobs have run")
        }
        return zip(claims, commits).map { ($0 - $1) * 1000 }
    }
}

/// The server's cores while a worker is dead whose job a transaction holds locked.
private func coresBesideLockedJob(_ cluster: Cluster, _ seconds: Double) async throws -> Double {
    let dead = try await claimAndDie(cluster)
    let holder = try await HeldTransaction(
        cluster,
        running: "select from jobrunner.jobs where worker_id = \(dead) for update")
    defer { holder.letGo() }
    try await cluster.script(
        "update jobrunner.workers set heartbeat_at = now() - interval '1 hour' where id = \(dead)")
    try await cluster.wait(
        until: "select ended_at is not null from jobrunner.workers where id = \(dead)",
        atMost: .seconds(30), "the dead worker to be seen")
    let cores = try await idleCores(cluster, seconds)
    try await holder.release()
    try await cluster.wait(
        until: "select cleared_at is not null from jobrunner.workers where id = \(dead)",
        atMost: .seconds(30), "the dead worker's job to be taken from it")
    return cores
}

/// The number of a worker that has claimed a job and whose session is gone.
private func claimAndDie(_ cluster: Cluster) async throws -> Int {
    try await cluster.withDatabase { database in
        let worker = try await Queue(database).registerWorker(
            host: "bench", pid: 1, version: "bench", capacity: 1)
        return try await database.run { session in
            // In one transaction, so that no other worker sees the job due.
            try session.transaction { session in
                let due = Statement(
                    """
                    update jobrunner.jobs set due_at = now()
                    where user_id = (select max(id) from jobrunner.users)
                    returning tenant_id
                    """)
                let job = try session.query(due).only()
                let claim = Statement(
                    """
                    select cardinality(c.jobs)
                    from jobrunner.claim_of_tenants($1, 1, '{bench.idle}', array[$2], '{1}', '{0}',
                      array['-infinity', now(), 'infinity'], '{0, 0, 0}') as c
                    """, .int4(Int32(worker)), .int(try job.int(0)))
                guard try session.query(claim).only().int(0) == 1 else {
                    throw BenchError("the worker that is to die has claimed nothing")
                }
            }
            return worker
        }
    }
}
