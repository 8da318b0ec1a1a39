import Glibc
import JSON
import Postgres
import Synchronization

/// 2: how long somebody waits who asks for a run of an idle system.
let pickUpBenchmark = Benchmark(
    number: 2, name: "pickup",
    sentence:
        "From the commit of an enqueue to the start of its run, one at a time on an idle system.",
    goals: [
        .figure("pick-up, p50", "pick-up p50", .atMost, 1, "ms"),
        .figure("pick-up, p99", "pick-up p99", .atMost, 3, "ms"),
    ],
    measure: measurePickUp)

private func measurePickUp(_ context: BenchmarkContext) async throws {
    let count = context.choose(short: 500, full: 2000)
    let installation = try await Installation.make(context, files: ["idle": rareIdleJob])
    try await installation.addUsers(tenants: 5, each: 40)
    try await installation.giveJob()
    // Nothing becomes due by itself.
    try await installation.cluster.script(
        "update jobrunner.jobs set due_at = now() + interval '1 day'")
    let lines = try LinePipe("\(context.folder)/worker.err")
    defer { lines.close() }
    let worker = try installation.startWorker(logLevel: "debug", as: "worker")
    _ = try lines.next(containing: "worker_started", within: 10)
    for round in 1...context.rounds {
        context.say("round \(round) of \(context.rounds)")
        let picks = try await pickUps(count, installation, lines)
        for (name, times) in [("pick-up", picks.starts), ("to the claim", picks.claims)] {
            for (word, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("greatest", 1)] {
                context.measurements.record(
                    "\(name) \(word)", percentile(times, share) ?? 0, "ms")
            }
        }
        context.measurements.keep("pick-ups of round \(round), ms", .doubles(picks.starts))
    }
    await worker.stop()
    context.measurements.remark(
        "\(count) samples a round, 5 to 35 ms apart. The commit's time is the server's clock read in the"
            + " same message behind the commit; a start's is the system's clock when the worker's log"
            + " line “run_started” has been read, so that writing and reading it count too.")
    context.measurements.remark(
        "“To the claim” ends at the beginning of the claim's transaction, which can be before the"
            + " clock was read.")
}

/// Milliseconds from each commit to the start of the run, and to its claim.
private func pickUps(
    _ count: Int, _ installation: Installation, _ lines: LinePipe
) async throws -> (starts: [Double], claims: [Double]) {
    try await installation.cluster.withDatabase { database in
        var starts: [Double] = []
        var commits: [Double] = []
        try await database.run { try $0.script("truncate jobrunner.runs") }
        for number in 0..<count {
            let (tenant, user) = ("t\(number % 5 + 1)", "u\(number / 5 % 40 + 1)")
            let commit = try await database.run { try committed($0, tenant, user) }
            let started = try lines.next(containing: "run_started", within: 10)
            commits.append(commit)
            starts.append((started - commit) * 1000)
            try await Task.sleep(for: .microseconds(.random(in: 5_000...35_000)))
        }
        let claims = try await database.run { session in
            try session.query(
                Statement(
                    "select extract(epoch from started_at)::float8 from jobrunner.runs order by id")
            ).map { try $0.double(0) }
        }
        return (starts, zip(claims, commits).map { ($0 - $1) * 1000 })
    }
}

/// Enqueues and commits; the server's clock behind the commit, in seconds since 1970.
private func committed(_ session: Session, _ tenant: String, _ user: String) throws -> Double {
    let rows = try session.pipeline([
        Statement("begin"),
        Statement(
            "select jobrunner.enqueue($1, $2, 'bench.idle')", .text(tenant), .text(user)),
        Statement("commit"),
        Statement("select extract(epoch from clock_timestamp())::float8"),
    ])
    return try rows[3].only().double(0)
}
