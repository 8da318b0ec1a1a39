import Postgres

/// 21: how others' queues on PostgreSQL do the same.
let peersBenchmark = Benchmark(
    number: 21, name: "peers",
    sentence:
        "100,000 jobs that do nothing (short form: 20,000), drained by one worker of ours, by pgqueuer and by"
        + " Procrastinate, each on a server with the same settings.",
    goals: [
        .ratio("our rate beside the best of them", "one worker", to: "best peer", .atLeast, 1)
    ],
    measure: measurePeers)

private func measurePeers(_ context: BenchmarkContext) async throws {
    let jobs = context.choose(short: 20_000, full: 100_000)
    let setup = try await DrainSetup.make(context, tenants: 100, jobs: jobs)
    let cluster = try await context.startCluster()
    try await cluster.administer("create extension if not exists pg_stat_statements")
    let pgqueuer = try await Peer.pgqueuer.installed(context, in: cluster)
    let procrastinate = try await Peer.procrastinate.installed(context, in: cluster)
    for round in 1...context.rounds {
        context.say("round \(round) of \(context.rounds)")
        try await setup.drain(workers: 1, as: "one worker")
        var best = try await pgqueuer?.drain(jobs) ?? 0
        // It takes longer than all the rest.
        if let procrastinate, round <= context.choose(short: 1, full: 2) {
            best = max(best, try await procrastinate.drain(jobs))
        }
        if best > 0 { context.measurements.record("best peer", best, "jobs/s") }
    }
    tellWhatEachDoes(context.measurements)
}

private func tellWhatEachDoes(_ measurements: Measurements) {
    let versions = [Peer.pgqueuer, Peer.procrastinate].map {
        $0.requirements.joined(separator: ", ").replacing("==", with: " ")
    }.joined(separator: "; ")
    measurements.remark("\(versions), on uvloop.")
    measurements.remark(
        "Theirs are timed from when each process has connected, ours from before its process is started, all to the"
            + " last outcome; a rate is the best of the settings that are listed.")
    measurements.remark(
        "A job of ours stands, and is claimed and ended again and again: claimed by a share for each tenant, fenced,"
            + " its inputs read, its outcome written with its next time, nothing of it kept; it is run as a task that"
            + " finds that it asks nobody.")
    measurements.remark(
        "A job of pgqueuer is a row that is deleted when it ends. It is claimed in batches and ended in batches, each"
            + " with a row of its log, and calls a function; there is no tenant, fence or next time. Its recommended"
            + " settings for vacuum are made, its tables are durable, its heartbeats and its log's sums run."
    )
    measurements.remark(
        "A job of Procrastinate is a row that stays when it has ended. Each is fetched by a statement of its own, under"
            + " locks and by priority, and ended by another, each with a row of its events; there is no batch."
    )
}
