import Postgres

/// 6: a run that waits must cost next to nothing, and end when its time is over.
let slowSourceBenchmark = Benchmark(
    number: 6, name: "slow-source",
    sentence:
        "2,000 runs in flight in one process, on a source that takes two seconds for a page of 20; each needs"
        + " more pages than its deadline of seven seconds allows.",
    goals: [
        .figure("resident memory, VmHWM", "resident memory", .atMost, 120, "MB"),
        .figure("latest end after a deadline", "overshoot, greatest", .atMost, 250, "ms"),
        .figure(
            "longest time between two heartbeats", "heartbeat, longest gap", .atMost, 6, "s"),
        .figure("requests in flight at once", "in flight", .atLeast, 2000, "requests"),
    ],
    measure: measureSlowSource)

private func measureSlowSource(_ context: BenchmarkContext) async throws {
    let source = try await StaticSource.start(
        context, users: 2000, recordsPerUser: 100, delayMilliseconds: 2000)
    let setup = try await StaticInstallation.make(context, files: ["slow"], source: source)
    for round in 1...context.choose(short: 1, full: context.rounds) {
        context.say("round \(round)")
        try await setup.forgetAll()
        try await setup.makeDue("slow")
        let worker = try setup.installation.startWorker(
            ["--drain", "--concurrency", "2000"], as: "worker")
        let gap = try await longestGap(setup, worker)
        let ended = await worker.wait()
        guard ended.code == 0 else { throw BenchError("the worker ended with \(ended.code)") }
        context.measurements.record("resident memory", Double(ended.residentPeakBytes) / 1e6, "MB")
        context.measurements.record("heartbeat, longest gap", gap, "s")
        context.measurements.record(
            "in flight", try await source.counter("waiting_max"), "requests")
        try await recordEnds(context, setup)
    }
    context.measurements.remark(
        "A deadline counts from the claim; its end is when the outcome was committed. A third of the"
            + " lease is 5 s, so a gap of 6 s is a heartbeat that was a second late.")
}

/// The longest time between two signs of life, in seconds, until the worker has ended.
private func longestGap(_ setup: StaticInstallation, _ worker: ChildProcess) async throws -> Double
{
    try await setup.cluster.withDatabase { database in
        var longest = 0.0
        var last: Double?
        while worker.ended == nil {
            let rows = try await database.run {
                try $0.query(
                    Statement(
                        """
                        select extract(epoch from heartbeat_at)::float8 from jobrunner.workers
                        where ended_at is null
                        """))
            }
            if let beat = try rows.first.map({ try $0.double(0) }) {
                longest = max(longest, beat - (last ?? beat))
                last = beat
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        return longest
    }
}

private func recordEnds(_ context: BenchmarkContext, _ setup: StaticInstallation) async throws {
    let rows = try await setup.cluster.query(
        """
        select extract(epoch from ended_at - started_at - interval '7 s')::float8 * 1000
        from jobrunner.runs where error_kind = 'deadline'
        """)
    let overshoots = try rows.map { try $0.double(0) }
    guard overshoots.count >= setup.source.users else {
        throw BenchError("only \(overshoots.count) runs met their deadline")
    }
    let failed = try await setup.cluster.number(
        "select count(*)::float8 from jobrunner.runs where outcome not in ('partial', 'complete')")
    guard failed == 0 else { throw BenchError("\(Int(failed)) runs failed") }
    let stored = try await setup.cluster.number("select count(*)::float8 from synced.static_record")
    guard Int(stored) == setup.source.records else {
        throw BenchError("\(Int(stored)) records are stored, not \(setup.source.records)")
    }
    context.measurements.record("overshoot, p50", percentile(overshoots, 0.5) ?? 0, "ms")
    context.measurements.record("overshoot, greatest", overshoots.max() ?? 0, "ms")
}
