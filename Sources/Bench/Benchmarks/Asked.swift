import Postgres

/// 15: whether slots stand idle while jobs that people asked for wait.
let askedBenchmark = Benchmark(
    number: 15, name: "asked",
    sentence: "`enqueue --all` of 100 users, whose runs take 0.2 s, in 5 slots of one worker.",
    goals: [.figure("a slot's idle time between two runs", "idle slot", .atMost, 20, "ms")],
    measure: measureAsked)

private func measureAsked(_ context: BenchmarkContext) async throws {
    let (users, slots, delay) = (100, 5, 0.2)
    let source = try await StaticSource.start(
        context, users: users, recordsPerUser: 20, delayMilliseconds: Int(delay * 1000))
    let setup = try await StaticInstallation.make(context, files: ["slow"], source: source)
    let installation = setup.installation
    let worker = try installation.startWorker(
        ["--concurrency", "\(slots)", "--reserve", "0"], as: "worker")
    try await Task.sleep(for: .seconds(2))
    for round in 1...context.rounds {
        context.say("round \(round) of \(context.rounds)")
        try await installation.cluster.script("truncate jobrunner.runs")
        try await installation.command(["enqueue", "bench.slow", "--tenant", "slow", "--all"])
        try await installation.cluster.wait(
            until: "select count(*) = \(users) from jobrunner.runs", atMost: .seconds(60),
            "the runs")
        let row = try await installation.cluster.query(
            """
            select extract(epoch from max(ended_at) - min(started_at))::float8 as span,
              sum(extract(epoch from ended_at - started_at))::float8 as held
            from jobrunner.runs
            """
        ).only()
        let (span, held) = (try row.double("span"), try row.double("held"))
        context.measurements.record("all runs", span, "s")
        context.measurements.record(
            "a run from claim to outcome", held / Double(users) * 1000, "ms")
        context.measurements.record(
            "idle slot", (span * Double(slots) - Double(users) * delay) / Double(users) * 1000, "ms"
        )
    }
    await worker.stop()
    context.measurements.remark(
        "The slots' time from the first claim to the last outcome, less 0.2 s a run: what a run itself takes"
            + " beyond its page counts as idle, too.")
}
