import JSON
import Postgres

/// 8: what a forgotten transaction, a report or a backup does to the queue.
let snapshotBenchmark = Benchmark(
    number: 8, name: "snapshot",
    sentence:
        "120,000 five-minute jobs, 400 runs a second, for 20 minutes without and for 20 minutes while another session"
        + " holds a snapshot (short: 40 s and 30 s), and after it has let go.",
    goals: [
        .figure("on time within 1 s", "on time while held", .atLeast, 99, "%"),
        .ratio("claim p99 beside clean", "claim p99, held", to: "claim p99, clean", .atMost, 2),
        .figure(
            "buffers per claimed job at the end", "buffers per claimed job, held", .atMost, 10,
            "buffers"),
        .ratio(
            "indexes after it beside as long without", "indexes, held", to: "indexes, clean",
            .atMost, 1.2),
        .figure("recovered after release", "recovered after", .atMost, 30, "s"),
    ],
    measure: measureSnapshot)

private let heldJobs = 120_000
private let heldTenants = 20

private func measureSnapshot(_ context: BenchmarkContext) async throws {
    let clean = context.choose(short: 40, full: 1200)
    let held = context.choose(short: 30, full: 1200)
    let installation = try await Installation.make(
        context, files: ["idle": idleJob.replacing("every: 1h", with: "every: 5m")])
    try await installation.addUsers(tenants: heldTenants, each: heldJobs / heldTenants)
    try await installation.giveJob()
    try await installation.startAtTicks()
    // A part of the statements is enough for percentiles, and all of them would be a load.
    let sample = context.choose(short: 1.0, full: 0.2)
    try await installation.cluster.administer(
        """
        alter database jobrunner set log_min_duration_sample = 0;
        alter database jobrunner set log_statement_sample_rate = \(sample);
        alter database jobrunner set log_parameter_max_length = 0;
        """)
    let worker = try installation.startWorker(["--concurrency", "500"])
    var loop = OpenLoop(installation)
    try await Task.sleep(for: .seconds(5))

    context.say("\(clean) s without a snapshot")
    loop.begin()
    try await loop.run(seconds: clean)
    let before = try await loop.phase("clean", of: context)
    try await installation.cluster.sizeOfJobs().record(", clean", context.measurements)

    context.say("\(held) s with a snapshot")
    let snapshot = try await HeldTransaction(installation.cluster)
    defer { snapshot.letGo() }
    loop.begin()
    try await loop.run(seconds: held)
    let during = try await loop.phase("held", of: context)
    try await installation.cluster.sizeOfJobs().record(", held", context.measurements)
    context.measurements.record("on time while held", during.onTime, "%")
    context.measurements.record("on time, clean", before.onTime, "%")
    let dead = try await installation.cluster.number(
        "select n_dead_tup::float8 from pg_stat_user_tables where relid = 'jobrunner.jobs'::regclass"
    )
    context.measurements.record("dead rows at the end", dead, "rows")

    try await snapshot.release()
    let recovered = try await loop.secondsUntilRecovered(cleanP99: before.claimP99, context)
    context.measurements.record("recovered after", recovered, "s")
    await worker.stop()
    context.measurements.remark(
        "One round. A claim's time is the server's own, from its log; late is who had no outcome 1 s after"
            + " the tick. Recovered: in two seconds together claims' p99 is at most twice the clean one and"
            + " no claimed job cost more than 60 buffers on average.")
}

/// What the worker and the server do while jobs become due at their ticks.
private struct OpenLoop {
    /// Ends of ticks are judged this much later, so that what is just late has its time.
    static let patience = 2.0
    /// The last seconds of a phase, which tell how it ends.
    static let tail = 10

    let installation: Installation
    private var log: ServerLog
    private var claims: [Double] = []
    private var late: [Double] = []
    private var tailUse = StatementUse()

    private var cluster: Cluster { installation.cluster }

    init(_ installation: Installation) {
        self.installation = installation
        log = ServerLog(installation.cluster)
    }

    mutating func begin() {
        (claims, late) = ([], [])
        log.skip()
    }

    /// Watches for a time, in steps shorter than the period.
    mutating func run(seconds: Int) async throws {
        var left = seconds
        while left > 0 {
            let step = min(left <= Self.tail ? left : left - Self.tail, 120)
            let before = try await cluster.use(of: claiming)
            let start = try await cluster.now()
            try await Task.sleep(for: .seconds(step))
            let end = try await cluster.now()
            tailUse = try await cluster.use(of: claiming) - before
            claims += try log.milliseconds(of: "jobrunner.claim_")
            try await Task.sleep(for: .seconds(Self.patience))
            late += try await installation.lateness(from: start, to: end)
            left -= step
        }
    }

    /// The figures of the time since `begin`.
    func phase(
        _ name: String, of context: BenchmarkContext
    ) async throws -> (onTime: Double, claimP99: Double) {
        guard let p50 = percentile(claims, 0.5), let p99 = percentile(claims, 0.99),
            let lateP99 = percentile(late, 0.99)
        else { throw BenchError("nothing was claimed while \(name)") }
        let onTime = Double(late.count { $0 <= 1 }) / Double(late.count) * 100
        let measurements = context.measurements
        measurements.record("claim p50, \(name)", p50, "ms")
        measurements.record("claim p99, \(name)", p99, "ms")
        measurements.record("late p99, \(name)", lateP99 * 1000, "ms")
        measurements.record(
            "buffers per claimed job, \(name)", tailUse.buffers / max(tailUse.rows, 1), "buffers")
        measurements.record(
            "claimed a second, \(name)", tailUse.rows / Double(Self.tail), "jobs/s")
        return (onTime, p99)
    }

    /// Looks every two seconds, for two minutes at most.
    mutating func secondsUntilRecovered(cleanP99: Double, _ context: BenchmarkContext) async throws
        -> Double
    {
        let released = ContinuousClock.now
        log.skip()
        while ContinuousClock.now - released < .seconds(120) {
            let before = try await cluster.use(of: claiming)
            try await Task.sleep(for: .seconds(2))
            let use = try await cluster.use(of: claiming) - before
            let p99 = percentile(try log.milliseconds(of: "jobrunner.claim_"), 0.99) ?? .infinity
            if p99 <= 2 * cleanP99, use.rows > 0, use.buffers / use.rows <= 60 {
                return (ContinuousClock.now - released).seconds
            }
        }
        context.measurements.remark("Two minutes after the release it had not recovered.")
        return (ContinuousClock.now - released).seconds
    }
}
