import Glibc
import Postgres

/// 20: a day of many users, shorter than a day, with what goes wrong in one.
let dayBenchmark = Benchmark(
    number: 20, name: "day",
    sentence:
        "A day of 100,000 users with an hourly refresh and a status job each five minutes, all periods shortened alike"
        + " (short form: four hours of 2,000 users); workers are killed all along, and a snapshot is held for an hour.",
    goals: [
        .figure("ticks whose run ended within 1.2 periods", "fresh", .atLeast, 99.9, "%"),
        .ratio(
            "the jobs' table after it beside before", "table after", to: "table before", .atMost,
            1.3),
        .ratio(
            "the jobs' indexes after it beside before", "indexes after", to: "indexes before",
            .atMost, 1.3),
    ],
    measure: measureDay)

private let concurrency = 200

/// How a day is shortened.
private struct Compression {
    let users: Int
    /// Runs a second that two cores carry with room to spare, PostgreSQL and source beside them.
    static let runsPerSecond = 2500.0

    /// The most by which all periods divide into whole seconds and the machine keeps up.
    var factor: Int {
        let atOne = Double(users) * 13 / 3600
        return [60, 30, 20, 15, 12, 10, 6, 5, 4, 3, 2].first {
            atOne * Double($0) <= Self.runsPerSecond
        } ?? 1
    }

    var hour: Int { 3600 / factor }
    /// A dead worker's jobs are taken over after two to four seconds, however short the day is.
    var secondsBetweenKills: Int { max(60 / factor, 20) }
}

private func measureDay(_ context: BenchmarkContext) async throws {
    let day = Compression(users: context.choose(short: 2000, full: 100_000))
    let hours = context.choose(short: 4, full: 24)
    let source = try await StaticSource.start(context, users: day.users, recordsPerUser: 10)
    let setup = try await StaticInstallation.make(
        context, files: ["status", "refresh"], source: source
    ) {
        $0.replacing("every: 5m", with: "every: \(300 / day.factor)s")
            .replacing("every: 1h", with: "every: \(day.hour)s")
    }
    try await setup.firstSyncs(of: ["status", "refresh"], concurrency: concurrency)
    let book = try await FreshnessBook.open(in: setup.cluster)
    var workers = Workers(setup.installation)
    try await setup.startAtTicks()
    try workers.start()
    context.say("warming up for \(day.hour) s")
    try await Task.sleep(for: .seconds(day.hour))

    try await setup.cluster.sizeOfJobs().record(" before", context.measurements)
    try await book.begin()
    for hour in 1...hours {
        context.say("hour \(hour) of \(hours)")
        // The one in the middle has the snapshot.
        let snapshot =
            hour == hours / 2 + 1 ? try await HeldTransaction(setup.cluster) : nil
        defer { snapshot?.letGo() }
        try await workers.kill(each: day.secondsBetweenKills, for: day.hour)
        let account = try await book.account()
        context.measurements.record("fresh up to each hour", account.share, "%")
        try await snapshot?.release()
    }
    let account = try await book.account()
    await workers.stop()
    record(context, account, seconds: hours * day.hour, kills: workers.kills)
    try await setup.cluster.sizeOfJobs().record(" after", context.measurements)
    context.measurements.remark(
        "One round. Periods, the hour and the day are \(day.factor) times shorter. A worker is killed with SIGKILL each"
            + " \(day.secondsBetweenKills) s and another is started at once; a “minute” would be"
            + " \(readable(60 / Double(day.factor))) s, and a dead worker's jobs are taken over after two to four."
    )
    context.measurements.remark(
        "A trigger on the table of jobs notes each end (its cost is in the figures): a tick is answered by the first"
            + " complete run that began at or after it, and a tick that nobody has answered is not fresh."
    )
}

private func record(
    _ context: BenchmarkContext, _ account: FreshnessBook.Account, seconds: Int, kills: Int
) {
    let measurements = context.measurements
    measurements.record("fresh", account.share, "%")
    measurements.record("ticks", account.ticks, "")
    measurements.record("ticks that were not fresh", account.ticks - account.fresh, "")
    measurements.record("longest from a tick to its end", account.worst, "periods")
    measurements.record("runs", account.runs / Double(seconds), "runs/s")
    measurements.record("workers killed", Double(kills), "")
}

/// One worker at a time.
private struct Workers {
    private let installation: Installation
    private var present: ChildProcess?
    private(set) var kills = 0

    init(_ installation: Installation) { self.installation = installation }

    mutating func start() throws {
        present = try installation.startWorker(
            ["--concurrency", "\(concurrency)"], as: "worker")
    }

    /// Kills the worker and starts another again and again for a time.
    mutating func kill(each pause: Int, for seconds: Int) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            let next = ContinuousClock.now + .seconds(pause)
            try await Task.sleep(until: min(next, end))
            guard next <= end else { return }
            guard present?.ended == nil else { throw BenchError("a worker ended by itself") }
            present?.signal(SIGKILL)
            _ = await present?.wait()
            try Task.checkCancellation()
            kills += 1
            try start()
        }
    }

    func stop() async { await present?.stop() }
}

extension StaticInstallation {
    /// Lets each job be due at its own tick for the first time.
    fileprivate func startAtTicks() async throws {
        try await cluster.script(
            """
            update jobrunner.jobs
            set due_at = jobrunner.next_tick(now() + interval '2 seconds', every, phase)
            """)
        try await cluster.settle("jobrunner.jobs")
    }
}
