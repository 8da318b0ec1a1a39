import Postgres

/// 20: what those who watch cost, and what is counted for them.
let watchedBenchmark = Benchmark(
    number: 20, name: "watched",
    sentence:
        "2,000,000 standing jobs of 100,000 tenants (short: 200,000 of 20,000), half of them due: what a worker counts"
        + " each minute, and scrapes of `serve` and of a worker, while two workers drain.",
    goals: [
        .figure("slowest scrape of serve", "slowest scrape", .atMost, 50, "ms"),
        .figure("buffers of a scrape of serve", "buffers of a scrape", .atMost, 500, "buffers"),
        .figure("processor time of a worker's scrape", "scrape of a worker", .atMost, 1, "ms"),
        .figure(
            "buffers of counting what waits", "buffers of count_waiting", .atMost, 120_000,
            "buffers"),
        .figure(
            "buffers of counting whose data is fresh", "buffers of count_freshness", .atMost,
            120_000, "buffers"),
    ],
    measure: measureWatched)

/// Of serve, a tenth of a second apart.
private let scrapes = 50
/// Of a worker that has nothing to do, one after the other.
private let scrapesOfWorker = 1000

private func measureWatched(_ context: BenchmarkContext) async throws {
    let tenants = context.choose(short: 20_000, full: 100_000)
    let each = context.choose(short: 10, full: 20)
    // Nothing becomes due by itself meanwhile.
    let monthly = idleJob.replacing("every: 1h", with: "every: 30d")
    let installation = try await Installation.make(context, files: ["idle": monthly])
    let cluster = installation.cluster
    context.say(
        "making \(readable(Double(tenants * each))) jobs of \(readable(Double(tenants))) tenants")
    try await installation.addUsers(tenants: tenants, each: each)
    try await installation.giveJob()
    let serve = try await installation.startServe()
    for round in 1...context.rounds {
        context.say("round \(round) of \(context.rounds)")
        try await cluster.script(
            """
            update jobrunner.jobs
            set due_at = now() + case user_id % 2 when 0 then interval '1 day' else random() * interval '-1 hour' end
            """)
        try await cluster.settle("jobrunner.jobs", "jobrunner.users")
        try await count("waiting", cluster, context.measurements)
        try await count("freshness", cluster, context.measurements)
        try await scrape(serve, besideDrainOf: installation, context)
        try await scrapeWorker(of: installation, as: "scraped\(round)", context)
    }
    context.measurements.remark(
        "A count is made once a minute by one worker of all; explain tells what the whole function took. Of \(scrapes)"
            + " scrapes beside the drain the slowest counts; buffers are those of the statement that reads view gauges. A"
            + " worker's scrape is timed in the processor time of its whole process, with nothing due."
    )
}

/// What one of the counts takes.
private func count(
    _ name: String, _ cluster: Cluster, _ measurements: Measurements
) async throws {
    try await cluster.withDatabase { database in
        let plan = try await database.run { session in
            _ = try session.query(
                Statement(
                    "update jobrunner.chores set done_at = null where name = $1", .text(name)))
            return try session.explain("select jobrunner.count_\(name)()")
        }
        measurements.record("buffers of count_\(name)", plan.buffers, "buffers")
        measurements.record("time of count_\(name)", plan.milliseconds, "ms")
    }
}

/// Scrapes serve while two workers drain what is due.
private func scrape(
    _ address: String, besideDrainOf installation: Installation, _ context: BenchmarkContext
) async throws {
    let cluster = installation.cluster
    let workers = try (1...2).map { try installation.startWorker(as: "drainer\($0)") }
    try await cluster.wait(
        until:
            "select exists (select from jobrunner.workers where running_count > 0 and ended_at is null)",
        atMost: .seconds(60), "the workers to drain")
    try await cluster.forgetStatements()
    var times: [Double] = []
    for _ in 1...scrapes {
        times += try await context.scrape(address)
        try await Task.sleep(for: .milliseconds(100))
    }
    let due = try await cluster.number(
        "select count(*) from (select from jobrunner.jobs where claimable_at <= now() limit 1000) as j"
    )
    guard due == 1000 else {
        throw BenchError("the workers had drained all before the last scrape")
    }
    for worker in workers { await worker.stop() }
    let use = try await cluster.use(of: "from jobrunner\\.gauges as g")
    context.measurements.record("slowest scrape", times.max() ?? 0, "ms")
    context.measurements.record("median scrape", percentile(times, 0.5) ?? 0, "ms")
    context.measurements.record("buffers of a scrape", use.buffers / use.calls, "buffers")
}

/// Scrapes a worker that has nothing to do.
private func scrapeWorker(
    of installation: Installation, as name: String, _ context: BenchmarkContext
) async throws {
    try await installation.cluster.script(
        "update jobrunner.jobs set due_at = now() + interval '1 day' where due_at < now()")
    let worker = try installation.startWorker(
        ["--metrics", "127.0.0.1:0"], logLevel: "info", as: name)
    let address = try await context.address(toldBy: name)
    // Its chores and its first claims are over.
    try await Task.sleep(for: .seconds(15))
    _ = try await context.scrape(address, times: 100)
    let cpu = worker.cpuSeconds
    let times = try await context.scrape(address, times: scrapesOfWorker)
    let used = (worker.cpuSeconds - cpu) / Double(times.count) * 1000
    context.measurements.record("scrape of a worker", used, "ms")
    await worker.stop()
}

extension Installation {
    /// Starts `serve` on a free port and returns its address.
    fileprivate func startServe() async throws -> String {
        _ = try context.start(
            context.program, ["serve", "--listen", "127.0.0.1:0"],
            environment: ["DATABASE_URL": cluster.readerURL, "JOBRUNNER_LOG": "json"], as: "serve")
        return try await context.address(toldBy: "serve")
    }
}

extension BenchmarkContext {
    /// The address in the last line of a program's log that names one.
    fileprivate func address(toldBy name: String) async throws -> String {
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            let log = try readFile("\(folder)/\(name).err")
            if let found = log.matches(of: /"address":"([0-9.:]+)"/).last { return String(found.1) }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw BenchError("\(name) did not tell its address")
    }

    /// Milliseconds of scrapes, as curl tells them.
    fileprivate func scrape(_ address: String, times: Int = 1) async throws -> [Double] {
        let said = try await run(
            "curl",
            [
                "-fsS", "-o", "/dev/null", "-w", "%{time_total}\\n",
                "http://\(address)/metrics?[1-\(times)]",
            ])
        let found = said.split(separator: "\n").compactMap { Double($0) }
        guard found.count == times else { throw BenchError("curl told \(found.count) times") }
        return found.map { $0 * 1000 }
    }
}
