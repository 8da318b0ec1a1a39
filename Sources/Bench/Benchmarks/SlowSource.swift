import Postgres

/// 6: a run that waits must cost next to nothing, and end when its time is over.
let slowSourceBenchmark = Benchmark(
    number: 6, name: "slow-source",
    sentence:
        "2,000 runs in flight in one process, on a source that takes two seconds for a page of 20; each needs"
        + " more pages than its deadline of seven seconds allows.",
    goals: [
        .figure("resident memory, VmHWM", "resident memory", .atMost, 200, "MB"),
        .figure("latest end after a deadline", "overshoot, greatest", .atMost, 250, "ms"),
        .figure(
            "longest time between two heartbeats", "heartbeat, longest gap", .atMost, 6, "s"),
        .figure("requests in flight at once", "in flight", .atLeast, 2000, "requests"),
    ],
    measure: measureSlowSource)

private func measureSlowSource(_ stage: Stage) async throws {
    let source = try await StillSource.start(
        stage, users: 2000, recordsPerUser: 100, delayMilliseconds: 2000)
    let still = try await StillInstallation.make(stage, files: ["slow"], source: source)
    for round in 1...stage.choose(short: 1, full: stage.rounds) {
        stage.say("round \(round)")
        try await still.forgetAll()
        try await still.makeDue("slow")
        let worker = try still.installation.startWorker(
            ["--drain", "--concurrency", "2000"], as: "worker")
        let gap = try await longestGap(still, worker)
        let ended = await worker.wait()
        guard ended.code == 0 else { throw BenchError("the worker ended with \(ended.code)") }
        stage.ledger.record("resident memory", Double(ended.residentPeakBytes) / 1e6, "MB")
        stage.ledger.record("heartbeat, longest gap", gap, "s")
        stage.ledger.record("in flight", try await source.counter("waiting_max"), "requests")
        try await recordEnds(stage, still)
    }
    stage.ledger.note(
        "A deadline counts from the claim; its end is when the outcome was committed. A third of the"
            + " lease is 5 s, so a gap of 6 s is a heartbeat that was a second late.")
}

/// The longest time between two signs of life, in seconds, until the worker has ended.
private func longestGap(_ still: StillInstallation, _ worker: ChildProcess) async throws -> Double {
    try await still.cluster.withDatabase { database in
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

private func recordEnds(_ stage: Stage, _ still: StillInstallation) async throws {
    let rows = try await still.cluster.query(
        """
        select extract(epoch from ended_at - started_at - interval '7 s')::float8 * 1000
        from jobrunner.runs where error_kind = 'deadline'
        """)
    let overshoots = try rows.map { try $0.double(0) }
    guard overshoots.count >= still.source.users else {
        throw BenchError("only \(overshoots.count) runs met their deadline")
    }
    let failed = try await still.cluster.number(
        "select count(*)::float8 from jobrunner.runs where outcome not in ('partial', 'complete')")
    guard failed == 0 else { throw BenchError("\(Int(failed)) runs failed") }
    let stored = try await still.cluster.number("select count(*)::float8 from synced.still_record")
    guard Int(stored) == still.source.records else {
        throw BenchError("\(Int(stored)) records are stored, not \(still.source.records)")
    }
    stage.ledger.record("overshoot, p50", percentile(overshoots, 0.5) ?? 0, "ms")
    stage.ledger.record("overshoot, greatest", overshoots.max() ?? 0, "ms")
}
