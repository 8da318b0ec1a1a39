import Postgres

/// 10: whether a tenant with a mountain of work stands in the way of others, and still gets on.
let neighboursBenchmark = Benchmark(
    number: 10, name: "neighbours",
    sentence:
        "One tenant with 500,000 due jobs (short: 300,000) beside 200 quiet tenants, whose jobs become due"
        + " minute by minute.",
    goals: [
        .figure(
            "quiet jobs' start delay, p99", "quiet jobs late, p99", .atMost, 200, "ms",
            inEachRound: true),
        .ratio(
            "the busy tenant's rate beside what is left", "busy rate beside quiet",
            to: "what is left for it", .atLeast, 0.95),
    ],
    measure: measureNeighbours)

private let quietTenants = 200
/// Of each quiet tenant: one becomes due each second.
private let quietJobs = 60

private func measureNeighbours(_ context: BenchmarkContext) async throws {
    let busy = context.choose(short: 300_000, full: 500_000)
    let seconds = context.choose(short: 15, full: 50)
    let quiet = idleJob.replacing("every: 1h", with: "every: 1m")
        .replacing("deadline: 60s", with: "deadline: 30s")
        .replacing("bench.idle", with: "bench.quiet").replacing("nothing", with: "quiet")
    let installation = try await Installation.make(
        context, files: ["idle": idleJob, "quiet": quiet])
    try await installation.addUsers(tenants: 1, each: busy, prefix: "busy")
    try await installation.giveJob(prefix: "busy")
    try await installation.addUsers(tenants: quietTenants, each: quietJobs, prefix: "quiet")
    try await installation.giveJob("bench.quiet", prefix: "quiet")
    // Once for nothing: the first round must find the table as the later ones do.
    try await makeDue(installation, quietOnTicks: false)
    for round in 1...context.rounds {
        context.say("round \(round) of \(context.rounds)")
        let alone = try await busyRate(installation, seconds: seconds, besideQuiet: false)
        let beside = try await busyRate(installation, seconds: seconds, besideQuiet: true)
        let measurements = context.measurements
        measurements.record(
            "quiet jobs late, p50", (percentile(beside.late, 0.5) ?? 0) * 1000, "ms")
        measurements.record(
            "quiet jobs late, p99", (percentile(beside.late, 0.99) ?? 0) * 1000, "ms")
        measurements.keep("late in the order of ticks, round \(round), s", .doubles(beside.late))
        measurements.record("busy rate alone", alone.rate, "jobs/s")
        measurements.record("quiet rate", beside.quietRate, "jobs/s")
        measurements.record("busy rate beside quiet", beside.rate, "jobs/s")
        measurements.record("what is left for it", alone.rate - beside.quietRate, "jobs/s")
    }
    context.measurements.remark(
        "One worker with --concurrency 500. Late is a quiet job's outcome less its tick, so that its run"
            + " counts too; what is left is the busy tenant's rate alone less the quiet ones' rate."
    )
}

/// Lets a worker run for some seconds, or until the busy tenant has nothing due.
private func busyRate(
    _ installation: Installation, seconds: Int, besideQuiet: Bool
) async throws -> (rate: Double, quietRate: Double, late: [Double]) {
    let cluster = installation.cluster
    try await makeDue(installation, quietOnTicks: besideQuiet)
    let worker = try installation.startWorker(["--concurrency", "500"], as: "worker")
    // The first claims of a worker are not the rule.
    try await Task.sleep(for: .seconds(1))
    let start = try await cluster.now()
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end, try await isBusy(cluster) {
        try await Task.sleep(for: .milliseconds(200))
    }
    let stop = try await cluster.now()
    let row = try await cluster.query(
        """
        select count(*) filter (where name = 'bench.idle')::float8 as busy,
          count(*) filter (where name = 'bench.quiet')::float8 as quiet,
          extract(epoch from max(last_run_at) filter (where name = 'bench.idle'))::float8 as last
        from jobrunner.jobs
        where last_run_at >= to_timestamp($1) and last_run_at < to_timestamp($2)
        """, .double(start), .double(stop)
    ).only()
    let (done, quiet) = (try row.double("busy"), try row.double("quiet"))
    guard done > 0, let last = try row.optionalDouble("last") else {
        throw BenchError("the busy tenant got nothing, or was drained within the first second")
    }
    // The youngest ticks have had no time to be late.
    let late =
        besideQuiet
        ? try await installation.lateness(
            from: start, to: max(min(last, stop - 1), start + 0.5), prefix: "quiet") : []
    await worker.stop()
    return (done / (last - start), quiet / (stop - start), late)
}

/// Whether the busy tenant has something due; the index answers, however many rows there are.
private func isBusy(_ cluster: Cluster) async throws -> Bool {
    try await cluster.query(
        """
        select exists (
          select from jobrunner.jobs as j
          where j.tenant_id = (select t.id from jobrunner.tenants as t where t.name = 'busy1')
            and j.state = 'waiting' and j.priority = 0 and j.due_at <= now()
        )
        """
    ).only().bool(0)
}

private func makeDue(_ installation: Installation, quietOnTicks: Bool) async throws {
    try await installation.cluster.script(
        """
        update jobrunner.jobs
        set due_at = case when name = 'bench.idle' then now() - random() * interval '10 minutes'
          else now() + interval '1 day' end;
        """)
    if quietOnTicks {
        try await installation.startAtTicks(prefix: "quiet")
    } else {
        try await installation.cluster.settle("jobrunner.jobs")
    }
}
