import Glibc
import Postgres

/// 17: how long the screens of `jobrunner serve` take where there is much, while workers drain.
let screensBenchmark = Benchmark(
    number: 17, name: "screens",
    sentence:
        "Each screen of `jobrunner serve`, of 2,000,000 jobs of 100,000 tenants (short form: 50,000 of 2,500), while a"
        + " worker drains.",
    goals: [.figure("slowest screen, p95", "slowest screen, p95", .atMost, 50, "ms")],
    measure: measureScreens)

private let token = "bench-0123456789abcdef"

/// What is asked of each, by its path; `t7` and `u1` are a tenant and a user as all are.
private let screens: [(name: String, path: String)] = [
    ("overview", "/"), ("tenants", "/tenants"), ("tenants from a name", "/tenants?from=t5"),
    ("a tenant", "/tenant?tenant=t7"), ("a user", "/story?tenant=t7&user=u1"),
    ("late jobs", "/late"),
    ("jobs of a tenant", "/jobs?tenant=t7"),
    ("jobs of a cause", "/jobs?tenant=t7&kind=unavailable"), ("runs", "/runs"),
    ("failed runs", "/runs?outcome=failed"), ("runs of a tenant", "/runs?tenant=t7"),
    ("sources", "/sources"), ("workers", "/workers"), ("job files", "/files"), ("audit", "/audit"),
]

private func measureScreens(_ context: BenchmarkContext) async throws {
    let tenants = context.choose(short: 2500, full: 100_000)
    let installation = try await Installation.make(context, files: ["idle": idleJob])
    context.say("adding \(tenants) tenants of twenty users")
    try await installation.addUsers(tenants: tenants, each: 20)
    try await installation.giveJob()
    // A day of which there is no partition yet gets one by the row that it has.
    try await installation.cluster.script(
        """
        insert into jobrunner.runs (user_id, id, outcome, tenant_id, job_name, scheduled_at, started_at, ended_at)
        select j.user_id, 1, 'complete', j.tenant_id, j.name, now(), now(), now() - interval '1 day'
        from jobrunner.jobs as j limit 1;
        do $$ begin while (select m.postponed from jobrunner.maintain_runs() as m) loop end loop; end $$;
        """)
    // A tenth fails, a tenth is late, and the last day's runs are there.
    try await installation.cluster.script(
        """
        update jobrunner.jobs set due_at = now() + interval '1 hour' * random() where user_id % 10 <> 0;
        update jobrunner.jobs set consecutive_failures = 2, last_error_kind = 'unavailable', last_error = 'away',
          last_error_at = now(), last_outcome = 'failed'
        where user_id % 10 = 1;
        insert into jobrunner.runs (user_id, id, outcome, tenant_id, job_name, scheduled_at, started_at, ended_at, error_kind)
        select j.user_id, 1000000000 + j.user_id, case when j.user_id % 10 = 1 then 'failed' else 'partial' end,
          j.tenant_id, j.name, now(), now(), now() - interval '1 day' * random(), 'unavailable'
        from jobrunner.jobs as j;
        """)
    try await installation.cluster.script("vacuum analyze")
    try await installation.cluster.script(
        "select jobrunner.add_person('bench', 'jobrunner_operator', 'Bench')")
    let worker = try installation.startWorker(["--concurrency", "50"])
    let server = try await startServer(context, installation)
    for round in 1...context.rounds {
        context.say("round \(round) of \(context.rounds)")
        try await measureRound(context, server.url)
    }
    await server.process.stop()
    await worker.stop()
    context.measurements.remark(
        "Times are curl's, from before its connection to the answer's last byte, one question after the other, twenty of each"
            + " screen a round, behind two that are not counted.")
}

private func measureRound(_ context: BenchmarkContext, _ url: String) async throws {
    var slowest = 0.0
    for (name, path) in screens {
        var times: [Double] = []
        for number in 1...22 {
            let told = try await context.run(
                "curl",
                [
                    "-sS", "-o", "/dev/null", "-w", "%{http_code} %{time_total}", "-H",
                    "Authorization: Bearer \(token)", url + path,
                ])
            let words = told.split(separator: " ")
            guard words.first == "200", let time = words.last.flatMap({ Double($0) }) else {
                throw BenchError("\(path) was answered with \(told)")
            }
            if number > 2 { times.append(time * 1000) }
        }
        let most = percentile(times, 0.95) ?? 0
        context.measurements.record("\(name), p50", percentile(times, 0.5) ?? 0, "ms")
        context.measurements.record("\(name), p95", most, "ms")
        slowest = max(slowest, most)
    }
    context.measurements.record("slowest screen, p95", slowest, "ms")
}

private func startServer(
    _ context: BenchmarkContext, _ installation: Installation
) async throws -> (process: ChildProcess, url: String) {
    let tokens = "\(context.folder)/tokens"
    try writeFile(tokens, "bench \(token)\n")
    chmod(tokens, 0o600)
    let process = try installation.startServer(tokens: tokens)
    let end = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < end {
        if let found = try readFile("\(context.folder)/serve.err").firstMatch(
            of: /listening address=([0-9.:]+)/)
        {
            return (process, "http://\(found.1)")
        }
        try await Task.sleep(for: .milliseconds(20))
    }
    throw BenchError("serve does not say where it listens")
}
