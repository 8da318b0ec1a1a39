import Glibc
import Postgres

/// 3: nearly all runs find nothing new, so what such a run costs is what the product costs.
let idleRunsBenchmark = Benchmark(
    number: 3, name: "idle-runs",
    sentence:
        "100,000 users (short form: 10,000) with a status job and a refresh whose source has nothing"
        + " new: all at once, and then in an open loop of 361 runs a second.",
    goals: idleFiles.map { _, answer in
        .figure("WAL per run, \(answer)", "WAL, \(answer)", .atMost, 420, "bytes")
    } + [
        .figure("open loop: status lateness, p99", "lateness p99", .atMost, 1, "s"),
        .ratio("open loop: runs done to runs due", "open loop", to: "due", .atLeast, 0.99),
    ],
    measure: measureIdleRuns)

private let idleFiles = [("status", "304"), ("refresh", "empty page")]

private func measureIdleRuns(_ context: BenchmarkContext) async throws {
    let users = context.choose(short: 10_000, full: 100_000)
    // The periods at which so many users make 361 runs a second.
    let (status, refresh) = context.choose(short: ("30s", "6m"), full: ("5m", "1h"))
    let source = try await StaticSource.start(context, users: users, recordsPerUser: 10)
    let setup = try await StaticInstallation.make(
        context, files: idleFiles.map(\.0), source: source
    ) {
        $0.replacing("every: 5m", with: "every: \(status)").replacing(
            "every: 1h", with: "every: \(refresh)")
    }
    try await setup.firstSyncs(of: idleFiles.map(\.0), concurrency: idleConcurrency)
    for round in 1...context.rounds {
        for (file, answer) in idleFiles {
            context.say("round \(round) of \(context.rounds): \(answer)")
            try await setup.postponeAll()
            try await setup.makeDue(file)
            let drain = try await setup.drain(concurrency: idleConcurrency)
            guard drain.requests >= Double(users) else {
                throw BenchError("\(Int(drain.requests)) requests for \(users) runs")
            }
            record(context, drain, answer)
        }
    }
    context.measurements.remark(
        "A drain's CPU and WAL are divided by the requests that the source answered, one a run. WAL is"
            + " without full-page images, counted by pg_waldump over the whole server.")
    try await openLoop(context, setup, period: context.choose(short: 30, full: 300))
}

private func record(
    _ context: BenchmarkContext, _ drain: StaticInstallation.Drain, _ answer: String
) {
    let runs = drain.requests
    let measurements = context.measurements
    measurements.record(
        "CPU, \(answer)", (drain.workerSeconds + drain.serverSeconds) / runs * 1e6, "µs")
    measurements.record("worker CPU, \(answer)", drain.workerSeconds / runs * 1e6, "µs")
    measurements.record("PostgreSQL CPU, \(answer)", drain.serverSeconds / runs * 1e6, "µs")
    measurements.record("WAL, \(answer)", drain.wal.bytesWithoutImages / runs, "bytes")
    measurements.record("WAL with images, \(answer)", drain.wal.bytes / runs, "bytes")
    measurements.record("rate, \(answer)", runs / drain.seconds, "runs/s")
    measurements.record(
        "resident memory, \(answer)", Double(drain.residentPeakBytes) / 1e6, "MB")
}

/// Runs at once; a source that answers within a millisecond needs no more.
private let idleConcurrency = 200

/// One worker, jobs due when their own ticks come, for two spans of the status job's period.
private func openLoop(_ context: BenchmarkContext, _ setup: StaticInstallation, period: Int)
    async throws
{
    let users = setup.source.users
    let span = Double(period) * 2
    context.say("open loop of \(Int(span)) s")
    // Everyone's next tick, by the phase that the schedule gives; none before the start.
    try await setup.cluster.script(
        """
        update jobrunner.jobs
        set due_at = now() + interval '5 s' + every * (('x' || substr(md5(user_id || name), 1, 8))::bit(32)::bigint
          / 4294967296.0)
        """)
    try await setup.cluster.settle("jobrunner.jobs", "jobrunner.checkpoints")
    let requests = try await setup.source.counter("requests")
    let server = setup.cluster.cpuSeconds
    let worker = try setup.installation.startWorker(
        ["--concurrency", "\(idleConcurrency)"], as: "worker")
    // The first span brings each job from where it was put to its own phase.
    try await Task.sleep(for: .seconds(5 + period))
    var lateness: [Double] = []
    let from = try await setup.cluster.now()
    let (log, size) = (try await setup.cluster.walPosition(), try await databaseSize(setup.cluster))
    var ran = 0.0
    for part in 1...2 {
        let before = try await setup.source.counter("requests")
        try await Task.sleep(for: .seconds(period))
        ran += try await setup.source.counter("requests") - before
        lateness += try await setup.lateness(of: "status", since: from, part: part, period: period)
    }
    let grown = try await databaseSize(setup.cluster) - size
    let sessions = try await setup.cluster.inspect(
        "select count(*)::float8 from pg_stat_activity where usename = 'jobrunner_work'"
    ).only().double(0)
    let usage = worker.cpuSeconds
    await worker.stop()
    let runs = try await setup.source.counter("requests") - requests
    context.measurements.record("lateness p50", percentile(lateness, 0.5) ?? .infinity, "s")
    context.measurements.record("lateness p99", percentile(lateness, 0.99) ?? .infinity, "s")
    context.measurements.record("lateness, greatest", lateness.max() ?? .infinity, "s")
    context.measurements.record("open loop", ran / span, "runs/s")
    context.measurements.record("due", Double(users) * (1 + 1.0 / 12) / Double(period), "runs/s")
    context.measurements.record("open loop worker CPU", usage / runs * 1e6, "µs")
    context.measurements.record(
        "open loop PostgreSQL CPU", (setup.cluster.cpuSeconds - server) / runs * 1e6, "µs")
    let written = try await setup.cluster.wal(since: log)
    context.measurements.record("open loop log", written.bytes / ran, "bytes")
    context.measurements.record("open loop growth", grown / ran, "bytes")
    context.measurements.record("open loop sessions", sessions, "")
    context.measurements.remark(
        "The open loop's log has its full-page images, and its growth is that of the database's files, both a run."
    )
    context.measurements.remark(
        "Lateness is from a status job's tick to the commit of its run's outcome, of \(lateness.count)"
            + " runs: each job's last run is read twice, one period apart.")
}

/// Bytes of the database's files.
private func databaseSize(_ cluster: Cluster) async throws -> Double {
    try await cluster.number("select pg_database_size(current_database())::float8")
}

extension StaticInstallation {
    /// Seconds from tick to outcome of the runs of one period, and of those that are due and have not
    /// begun, the seconds until now; throws `BenchError` when there is none.
    fileprivate func lateness(
        of file: String, since: Double, part: Int, period: Int
    ) async throws -> [Double] {
        let rows = try await cluster.query(
            """
            select extract(
              epoch from case
                when due_at <= now() then now() - due_at
                else last_run_at - (due_at - every)
              end
            )::float8
            from jobrunner.jobs
            where name = 'bench.\(file)' and state = 'waiting'
              and (due_at <= now() or due_at - every >= to_timestamp($1))
            """, .double(since + Double((part - 1) * period)))
        guard !rows.isEmpty else { throw BenchError("no \(file) job ran in the open loop") }
        return try rows.map { try $0.double(0) }
    }
}
