/// 11: what a person and a deployment wait for.
let startUpBenchmark = Benchmark(
    number: 11, name: "startup",
    sentence:
        "From the start of the process to its end for `--help`, and to the first claim for a worker.",
    goals: [
        .figure("jobrunner --help, p50", "help p50", .atMost, 20, "ms"),
        .figure("worker to its first claim, p50", "first claim p50", .atMost, 150, "ms"),
    ],
    measure: measureStartUp)

private func measureStartUp(_ context: BenchmarkContext) async throws {
    let count = context.choose(short: 20, full: 100)
    let installation = try await Installation.make(context, files: ["idle": idleJob])
    try await installation.command(["tenant", "add", "solo", "--job", "bench.idle"])
    try await installation.command(["user", "add", "one", "--tenant", "solo"])
    for round in 1...context.rounds {
        context.say("round \(round) of \(context.rounds)")
        var help: [Double] = []
        var claims: [Double] = []
        for _ in 0..<count {
            help.append(try await helpMilliseconds(context))
            claims.append(try await firstClaimMilliseconds(installation))
        }
        context.measurements.record("help p50", percentile(help, 0.5) ?? 0, "ms")
        context.measurements.record("help p99", percentile(help, 0.99) ?? 0, "ms")
        context.measurements.record("first claim p50", percentile(claims, 0.5) ?? 0, "ms")
        context.measurements.record("first claim p99", percentile(claims, 0.99) ?? 0, "ms")
    }
    context.measurements.remark(
        "The first claim's time is the server's clock at the claim less its clock just before the"
            + " worker was started.")
}

private func helpMilliseconds(_ context: BenchmarkContext) async throws -> Double {
    let child = try ChildProcess(context.program, ["--help"])
    let ended = await child.wait()
    guard ended.code == 0 else { throw BenchError("--help ended with \(ended.code)") }
    return (ended.at - child.started).milliseconds
}

/// A run that was asked for leaves a row, which holds the time of its claim.
private func firstClaimMilliseconds(_ installation: Installation) async throws -> Double {
    let cluster = installation.cluster
    try await cluster.script(
        """
        truncate jobrunner.runs;
        select jobrunner.enqueue('solo', 'one', 'bench.idle');
        """)
    let began = try await cluster.now()
    let worker = try installation.startWorker(as: "worker")
    try await installation.cluster.wait(
        until: "select exists (select from jobrunner.runs)", atMost: .seconds(10), "a run")
    let claimed = try await cluster.number(
        "select extract(epoch from min(started_at))::float8 from jobrunner.runs")
    await worker.stop()
    return (claimed - began) * 1000
}
