import Glibc
import Postgres

/// 3: nearly all runs find nothing new, so what such a run costs is what the product costs.
let idleRunsBenchmark = Benchmark(
    number: 3, name: "idle-runs",
    sentence:
        "100,000 users (short form: 10,000) with a status job and a refresh whose source has nothing"
        + " new: all at once, and then in an open loop of 361 runs a second.",
    goals: idleFiles.flatMap { file, answer in
        [
            Goal.figure(
                "CPU per run, worker and PostgreSQL, \(answer)", "CPU, \(answer)", .atMost, 120,
                "µs"),
            .figure("WAL per run, \(answer)", "WAL, \(answer)", .atMost, 600, "bytes"),
        ]
    } + [
        .figure("open loop: status lateness, p99", "lateness p99", .atMost, 1, "s"),
        .ratio("open loop: runs done to runs due", "open loop", to: "due", .atLeast, 0.99),
    ],
    measure: measureIdleRuns)

private let idleFiles = [("status", "304"), ("refresh", "empty page")]

private func measureIdleRuns(_ stage: Stage) async throws {
    let users = stage.choose(short: 10_000, full: 100_000)
    // The periods at which so many users make 361 runs a second.
    let (status, refresh) = stage.choose(short: ("30s", "6m"), full: ("5m", "1h"))
    let source = try await StillSource.start(stage, users: users, recordsPerUser: 10)
    let still = try await StillInstallation.make(
        stage, files: idleFiles.map(\.0), source: source
    ) {
        $0.replacing("every: 5m", with: "every: \(status)").replacing(
            "every: 1h", with: "every: \(refresh)")
    }
    try await syncEveryone(stage, still)
    for round in 1...stage.rounds {
        for (file, answer) in idleFiles {
            stage.say("round \(round) of \(stage.rounds): \(answer)")
            try await still.postponeAll()
            try await still.makeDue(file)
            let drain = try await still.drain(concurrency: idleConcurrency)
            guard drain.requests >= Double(users) else {
                throw BenchError("\(Int(drain.requests)) requests for \(users) runs")
            }
            record(stage, drain, answer)
        }
    }
    stage.ledger.note(
        "A drain's CPU and WAL are divided by the requests that the source answered, one a run. WAL is"
            + " without full-page images, counted by pg_waldump over the whole server.")
    try await openLoop(stage, still, period: stage.choose(short: 30, full: 300))
}

private func record(_ stage: Stage, _ drain: StillInstallation.Drain, _ answer: String) {
    let runs = drain.requests
    let ledger = stage.ledger
    ledger.record(
        "CPU, \(answer)", (drain.workerSeconds + drain.serverSeconds) / runs * 1e6, "µs")
    ledger.record("worker CPU, \(answer)", drain.workerSeconds / runs * 1e6, "µs")
    ledger.record("PostgreSQL CPU, \(answer)", drain.serverSeconds / runs * 1e6, "µs")
    ledger.record("WAL, \(answer)", drain.wal.bytesWithoutImages / runs, "bytes")
    ledger.record("WAL with images, \(answer)", drain.wal.bytes / runs, "bytes")
    ledger.record("rate, \(answer)", runs / drain.seconds, "runs/s")
    ledger.record(
        "resident memory, \(answer)", Double(drain.residentPeakBytes) / 1e6, "MB")
}

/// Runs at once; a source that answers within a millisecond needs no more.
private let idleConcurrency = 200

/// First syncs of both jobs, so that all later runs find nothing new.
private func syncEveryone(_ stage: Stage, _ still: StillInstallation) async throws {
    for (file, _) in idleFiles {
        stage.say("first syncs of \(still.source.users) users: \(file)")
        // Some first, and statistics: PostgreSQL keeps plans that it made for empty tables.
        for users in [100, still.source.users] {
            try await still.postponeAll()
            try await still.makeDue(file, users: users)
            _ = try await still.drain(concurrency: idleConcurrency)
            try await still.cluster.script("analyze")
        }
    }
}

/// One worker, jobs due when their own ticks come, for two spans of the status job's period.
private func openLoop(_ stage: Stage, _ still: StillInstallation, period: Int) async throws {
    let users = still.source.users
    let span = Double(period) * 2
    stage.say("open loop of \(Int(span)) s")
    // Everyone's next tick, by the phase that the schedule gives; none before the start.
    try await still.cluster.script(
        """
        update jobrunner.jobs
        set due_at = now() + interval '5 s' + every * (('x' || substr(md5(user_id || name), 1, 8))::bit(32)::bigint
          / 4294967296.0)
        """)
    try await still.cluster.settle("jobrunner.jobs", "jobrunner.checkpoints")
    let requests = try await still.source.counter("requests")
    let server = still.cluster.cpuSeconds
    let worker = try still.installation.startWorker(
        ["--concurrency", "\(idleConcurrency)"], as: "worker")
    // The first span brings each job from where it was put to its own phase.
    try await Task.sleep(for: .seconds(5 + period))
    var lateness: [Double] = []
    let from = try await still.cluster.now()
    var ran = 0.0
    for part in 1...2 {
        let before = try await still.source.counter("requests")
        try await Task.sleep(for: .seconds(period))
        ran += try await still.source.counter("requests") - before
        lateness += try await still.lateness(of: "status", since: from, part: part, period: period)
    }
    let usage = worker.cpuSeconds
    await worker.stop()
    let runs = try await still.source.counter("requests") - requests
    stage.ledger.record("lateness p50", percentile(lateness, 0.5) ?? .infinity, "s")
    stage.ledger.record("lateness p99", percentile(lateness, 0.99) ?? .infinity, "s")
    stage.ledger.record("lateness, greatest", lateness.max() ?? .infinity, "s")
    stage.ledger.record("open loop", ran / span, "runs/s")
    stage.ledger.record("due", Double(users) * (1 + 1.0 / 12) / Double(period), "runs/s")
    stage.ledger.record("open loop worker CPU", usage / runs * 1e6, "µs")
    stage.ledger.record(
        "open loop PostgreSQL CPU", (still.cluster.cpuSeconds - server) / runs * 1e6, "µs")
    stage.ledger.note(
        "Lateness is from a status job's tick to the commit of its run's outcome, of \(lateness.count)"
            + " runs: each job's last run is read twice, one period apart.")
}

extension StillInstallation {
    /// Nothing is due for a month.
    fileprivate func postponeAll() async throws {
        try await cluster.script(
            "update jobrunner.jobs set due_at = now() + interval '30 days'")
    }

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
