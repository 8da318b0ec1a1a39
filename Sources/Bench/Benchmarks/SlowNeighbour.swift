import Postgres

/// 14: whether a tenant whose source is slow keeps others from their slots.
let slowNeighbourBenchmark = Benchmark(
    number: 14, name: "slow-neighbour",
    sentence:
        "One tenant with 10 users whose source takes 5 s a page, with a deadline of 60 s, and 100 quiet tenants"
        + " with short jobs, in the 8 slots of one worker.",
    goals: [
        .figure("quiet jobs' start delay, p99", "quiet start, p99", .atMost, 1000, "ms"),
        .figure("pages of the slow tenant a second", "slow pages", .atLeast, 1.0, "pages/s"),
    ],
    measure: measureSlowNeighbour)

private func measureSlowNeighbour(_ context: BenchmarkContext) async throws {
    let seconds = context.choose(short: 40, full: 120)
    let source = try await StaticSource.start(
        context, users: 10, recordsPerUser: 2000, delayMilliseconds: 5000)
    let quiet = idleJob.replacing("every: 1h", with: "every: 3m")
        .replacing("deadline: 60s", with: "deadline: 30s")
        .replacing("bench.idle", with: "bench.quiet").replacing("nothing", with: "quiet")
    let setup = try await StaticInstallation.make(context, files: ["slow"], source: source) {
        $0.replacing("deadline: 7s", with: "deadline: 60s")
    }
    let installation = setup.installation
    try writeFile("\(installation.jobs)/bench/quiet.yaml", quiet)
    try await installation.command(["migrate"])
    try await installation.addUsers(tenants: 100, each: 18, prefix: "quiet")
    try await installation.giveJob("bench.quiet", prefix: "quiet")
    for round in 1...context.choose(short: 1, full: context.rounds) {
        context.say("round \(round)")
        try await installation.cluster.script(
            """
            truncate jobrunner.checkpoints, jobrunner.runs;
            update jobrunner.jobs set due_at = now() where name = 'bench.slow';
            """)
        try await installation.startAtTicks(prefix: "quiet")
        let pages = try await source.counter("requests")
        let worker = try installation.startWorker(["--concurrency", "8"], as: "worker")
        // The first claims of a worker, which knows nobody yet, are not the rule.
        try await Task.sleep(for: .seconds(15))
        let start = try await installation.cluster.now()
        try await Task.sleep(for: .seconds(seconds))
        let end = try await installation.cluster.now()
        let late = try await installation.lateness(from: start, to: end - 1.5, prefix: "quiet")
        let asked = try await source.counter("requests") - pages
        await worker.stop()
        context.measurements.record("quiet start, p50", (percentile(late, 0.5) ?? 0) * 1000, "ms")
        context.measurements.record("quiet start, p99", (percentile(late, 0.99) ?? 0) * 1000, "ms")
        context.measurements.record("slow pages", asked / Double(seconds + 15), "pages/s")
        let yields = try await installation.cluster.number(
            "select count(*)::float8 from jobrunner.runs where error_kind = 'yielded'")
        context.measurements.record("runs that made room", yields, "")
    }
    context.measurements.remark(
        "A start's delay is a quiet job's outcome less its tick, so that its run counts too. Eight slots"
            + " could read 1.6 pages a second; one of them is left to short runs.")
}
