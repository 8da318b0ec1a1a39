import Glibc
import Postgres

/// 18: what is edited here and sent to the source, beside the pace of the requests themselves.
let pushBenchmark = Benchmark(
    number: 18, name: "push",
    sentence:
        "100,000 edits of 100 users' rows (short form: 20,000 of 20) are sent to CloudKit's stand-in, 200 a request, by"
        + " one worker process; the rate is of the whole process, from its start to its end.",
    goals: [
        .ratio("to the requests' own pace", "push", to: "requests alone", .atLeast, 0.6),
        .figure("resident memory, VmHWM", "resident memory", .atMost, 100, "MB"),
    ],
    measure: measurePush)

private let rows = 1000

private func measurePush(_ context: BenchmarkContext) async throws {
    let setup = try await PushSetup.make(context, users: context.choose(short: 20, full: 100))
    context.say("first syncs, and a first push that is not counted")
    _ = try await setup.drain()
    try await setup.edit()
    _ = try await setup.drain()
    for round in 1...context.rounds {
        context.say("round \(round) of \(context.rounds)")
        // What was pushed comes back with the next pull, which is no push.
        _ = try await setup.drain()
        try await setup.edit()
        try await setup.push()
        context.measurements.record(
            "requests alone",
            try await setup.source.paceOfEdits(
                first: setup.users + 1, count: setup.users,
                seconds: context.choose(short: 3, full: 10)), "edits/s")
    }
    context.measurements.remark(
        "Requests alone: wrk with eight connections, requests of the same form and size that edit as many records of"
            + " other users at the same source, nothing read of their answers. The source takes one request at a time."
    )
    context.measurements.remark(
        "A run asks for changes once before it sends; an edit is a row that one statement of SQL has changed."
    )
}

/// Users of one tenant with rows that are there on both sides, and as many that only the source knows.
private struct PushSetup {
    let context: BenchmarkContext
    let installation: Installation
    let source: CloudSource
    let users: Int

    private var cluster: Cluster { installation.cluster }

    static func make(_ context: BenchmarkContext, users: Int) async throws -> PushSetup {
        let source = try await CloudSource.start(
            context, users: 2 * users, recordsPerUser: rows)
        let installation = try await Installation.make(
            context, files: ["push": try readFile("Sources/Bench/JobFiles/push.yaml")])
        try installation.makeSealingKey()
        let token = "\(context.folder)/token"
        func write(_ text: String) throws {
            try writeFile(token, text)
            chmod(token, 0o600)
        }
        try write("api-token")
        try await installation.command([
            "tenant", "add", "push", "--job", "bench.push", "--source", "push=\(source.url)",
            "--secret", "ck_api_token=@\(token)",
        ])
        for number in 1...users {
            let digits = String(number)
            let user = "user-" + String(repeating: "0", count: 6 - digits.count) + digits
            try write("token-\(user)")
            try await installation.command([
                "user", "add", user, "--tenant", "push", "--secret",
                "ck_web_auth_token=@\(token)",
            ])
        }
        return PushSetup(
            context: context, installation: installation, source: source, users: users)
    }

    /// Changes every row.
    func edit() async throws {
        try await cluster.script(
            """
            update synced.pushed_status
            set status = case status when 'watched' then 'skipped' else 'watched' end,
              playback_position = playback_position + 1
            """)
        try await cluster.settle("synced.pushed_status", "jobrunner.jobs", "jobrunner.checkpoints")
        guard try await unsent() == users * rows else { throw BenchError("not all edits wait") }
    }

    private func unsent() async throws -> Int {
        Int(
            try await cluster.number(
                "select count(*)::float8 from synced.pushed_status where not synced"))
    }

    /// Sends what was edited and records how fast.
    func push() async throws {
        let edits = Double(users * rows)
        let server = cluster.cpuSeconds
        try await cluster.forgetStatements()
        let (worker, ended) = try await drain()
        let used = cluster.cpuSeconds - server
        guard try await unsent() == 0 else { throw BenchError("edits were not sent") }
        try await cluster.keepStatements(as: "statements of a push", in: context.measurements)
        let measurements = context.measurements
        measurements.record("push", edits / (ended.at - worker.started).seconds, "edits/s")
        measurements.record("worker", ended.cpuSeconds / edits * 1e6, "µs CPU/edit")
        measurements.record("PostgreSQL", used / edits * 1e6, "µs CPU/edit")
        measurements.record("resident memory", Double(ended.residentPeakBytes) / 1e6, "MB")
    }

    /// Runs every job once, to the end; throws `BenchError` unless all were complete.
    func drain() async throws -> (worker: ChildProcess, ended: ChildProcess.Ended) {
        try await cluster.script("update jobrunner.jobs set due_at = now()")
        let worker = try installation.startWorker(["--drain", "--concurrency", "50"])
        let ended = await worker.wait()
        try Task.checkCancellation()
        guard ended.code == 0 else { throw BenchError("the worker ended with \(ended.code)") }
        let other = try await cluster.query(
            """
            select count(*), min(last_error) from jobrunner.jobs where last_outcome <> 'complete'
            """
        ).only()
        guard try other.int(0) == 0 else {
            throw BenchError("\(try other.int(0)) jobs are not complete: \(try other.text(1))")
        }
        return (worker, ended)
    }
}
