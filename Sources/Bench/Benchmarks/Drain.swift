import JSON
import Postgres

/// 1: how fast one process takes what is due, runs it and writes what became of it.
let drainBenchmark = Benchmark(
    number: 1, name: "drain",
    sentence:
        "Due standing jobs of 100 tenants that ask no source (500,000; short: 100,000), drained by one"
        + " worker process, beside pgbench with the bare claim and finish of 500 on the same tables.",
    goals: [
        .ratio("rate beside bare SQL", "one worker", to: "bare SQL", .atLeast, 0.85),
        .ratio(
            "rate beside one-row UPDATE", "one worker", to: "one-row UPDATE", .atLeast, 4.5),
        .figure("resident memory", "peak memory of one worker", .atMost, 60, "MB"),
    ],
    measure: { context in
        let setup = try await DrainSetup.make(context, tenants: 100)
        for round in 1...context.rounds {
            context.say("round \(round) of \(context.rounds)")
            try await setup.drain(workers: 1, as: "one worker")
            try await setup.drainBare()
            try await setup.measureOneRowUpdates()
        }
    })

/// 9: whether processes get in each other's way.
let processesBenchmark = Benchmark(
    number: 9, name: "processes",
    sentence: "The same drain by 1, 2, 4 and 8 worker processes at once.",
    goals: [
        .ratio("2 processes beside 1", "2 workers", to: "one worker", .atLeast, 0.95),
        .ratio("4 processes beside 1", "4 workers", to: "one worker", .atLeast, 0.95),
        .ratio("8 processes beside 1", "8 workers", to: "one worker", .atLeast, 0.95),
    ],
    measure: { context in
        let setup = try await DrainSetup.make(context, tenants: 100)
        for round in 1...context.rounds {
            context.say("round \(round) of \(context.rounds)")
            for workers in [1, 2, 4, 8] {
                let name = workers == 1 ? "one worker" : "\(workers) workers"
                try await setup.drain(workers: workers, as: name)
            }
        }
    })

/// Jobs that are made due, drained, counted and made due again.
struct DrainSetup {
    /// Runs at once of one worker: two claims' worth.
    static let concurrency = 1000
    static let batch = 500

    let context: BenchmarkContext
    let installation: Installation
    let jobs: Int

    private var cluster: Cluster { installation.cluster }

    /// Makes the jobs, as many of each tenant; nil means as many as a drain of this form has.
    static func make(
        _ context: BenchmarkContext, tenants: Int, jobs: Int? = nil
    ) async throws -> DrainSetup {
        let installation = try await Installation.make(context, files: ["idle": rareIdleJob])
        let jobs = jobs ?? context.choose(short: 100_000, full: 500_000)
        context.say("making \(readable(Double(jobs))) jobs of \(readable(Double(tenants))) tenants")
        try await installation.addUsers(tenants: tenants, each: jobs / tenants)
        try await installation.giveJob()
        // Else some would become due again meanwhile, and a worker that waits for the others would run them, as the last
        // outcomes of the drain.
        try await installation.cluster.script(
            """
            update jobrunner.jobs
            set phase = make_interval(secs => mod(
              extract(epoch from now()) + 86400 * (1 + 28 * random()::numeric), 2592000))
            """)
        let setup = DrainSetup(context: context, installation: installation, jobs: jobs)
        // Once for nothing: the first round must find the table as the later ones do.
        try await setup.makeDue()
        context.measurements.remark(
            "Both are timed by the server's clock, from just before the process is started to the last"
                + " outcome; a worker runs with --concurrency \(concurrency).")
        return setup
    }

    private func makeDue() async throws {
        try await cluster.script(try benchmarkSQL("make_due"))
        try await cluster.settle("jobrunner.jobs")
    }

    /// Drains by the product and records rate, processor time and memory.
    func drain(workers: Int, as name: String) async throws {
        try await makeDue()
        let (began, server) = (try await cluster.now(), cluster.cpuSeconds)
        let wal = try await cluster.walPosition()
        try await cluster.forgetStatements()
        let processes = try (1...workers).map { number in
            try installation.startWorker(
                ["--drain", "--concurrency", "\(Self.concurrency)"], as: "worker\(number)")
        }
        var ended: [ChildProcess.Ended] = []
        for process in processes { ended.append(await process.wait()) }
        try Task.checkCancellation()
        guard ended.allSatisfy({ $0.code == 0 }) else {
            throw BenchError("a worker ended with \(ended.map(\.code))")
        }
        let seconds = try await secondsToDrain(since: began)
        let used = (cluster.cpuSeconds - server) / Double(jobs) * 1e6
        let written = try await cluster.wal(since: wal)
        try await cluster.keepStatements(as: "statements of \(name)", in: context.measurements)
        let measurements = context.measurements
        measurements.record(name, Double(jobs) / seconds, "jobs/s")
        let processor = ended.reduce(0) { $0 + $1.cpuSeconds } / Double(jobs) * 1e6
        measurements.record("processor time of \(name)", processor, "µs/job")
        measurements.record("PostgreSQL's beside \(name)", used, "µs/job")
        measurements.record(
            "log written by \(name), images aside", written.bytesWithoutImages / Double(jobs),
            "B/job")
        let peak = ended.map(\.residentPeakBytes).max() ?? 0
        measurements.record("peak memory of \(name)", Double(peak) / 1e6, "MB")
    }

    /// Drains by bare SQL, with one client and with two; the better one is the yardstick.
    func drainBare() async throws {
        var best = (rate: 0.0, clients: 0)
        for clients in [1, 2] {
            try await makeDue()
            let (began, server) = (try await cluster.now(), cluster.cpuSeconds)
            let wal = try await cluster.walPosition()
            let pgbench = Pgbench(
                script: "bare_batches", clients: clients,
                transactions: jobs / Self.batch / clients)
            _ = try await pgbench.run(context, cluster)
            let rate = Double(jobs) / (try await secondsToDrain(since: began))
            let used = (cluster.cpuSeconds - server) / Double(jobs) * 1e6
            let written = try await cluster.wal(since: wal).bytesWithoutImages / Double(jobs)
            let name = clients == 1 ? "1 client" : "\(clients) clients"
            context.measurements.record("bare SQL, \(name)", rate, "jobs/s")
            context.measurements.record("PostgreSQL's beside bare SQL, \(name)", used, "µs/job")
            context.measurements.record(
                "log written by bare SQL, \(name), images aside", written, "B/job")
            if rate > best.rate { best = (rate, clients) }
        }
        context.measurements.record("bare SQL", best.rate, "jobs/s")
        context.measurements.record("clients of the best bare SQL", Double(best.clients), "")
    }

    func measureOneRowUpdates() async throws {
        let clients = 8
        let first = try await cluster.number("select min(user_id) from jobrunner.jobs")
        let rate = try await Pgbench(
            script: "one_row_update", clients: clients,
            seconds: context.choose(short: 3, full: 10),
            variables: ["first_user": Int(first), "users": jobs]
        ).run(context, cluster)
        context.measurements.record("one-row UPDATE", rate, "1/s")
        context.measurements.remark(
            "One-row UPDATE: pgbench with \(clients) clients, a commit for each row.")
    }

    /// From a time of the server's clock to the last outcome; throws unless each job has run since.
    private func secondsToDrain(since began: Double) async throws -> Double {
        let row = try await cluster.query(
            """
            select count(*) filter (where last_run_at > to_timestamp($1) and last_outcome = 'complete')
                as done,
              extract(epoch from max(last_run_at))::float8 as last
            from jobrunner.jobs
            """, .double(began)
        ).only()
        let done = try row.int("done")
        guard done == jobs else { throw BenchError("\(done) of \(jobs) jobs were drained") }
        return try row.double("last") - began
    }
}
