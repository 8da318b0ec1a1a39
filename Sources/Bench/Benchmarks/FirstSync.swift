/// 4: what arrives for the first time, beside what PostgreSQL, dlt and the source can do.
let firstSyncBenchmark = Benchmark(
    number: 4, name: "first-sync",
    sentence:
        "One worker process syncs 100 users with 1,000,000 records of 500 bytes (short form: 100,000)"
        + " from nothing; the rate is of the whole process, from its start to its end.",
    goals: pageSizes.map {
        .ratio(
            "pages of \(readable(Double($0))), to COPY + merge of the same rows", "sync by \($0)",
            to: "copy by \($0)", .atLeast, 0.85)
    } + [
        .ratio("pages of 1,000, to dlt", "sync by 1000", to: "dlt by 1000", .atLeast, 15),
        .figure("resident memory, VmHWM", "resident memory", .atMost, 100, "MB"),
    ],
    measure: measureFirstSync)

let pageSizes = [200, 1000]

private func measureFirstSync(_ context: BenchmarkContext) async throws {
    let dlt = try await Dlt.installed(context)
    let source = try await StaticSource.start(
        context, users: 100, recordsPerUser: context.choose(short: 1000, full: 10_000))
    let setup = try await StaticInstallation.make(
        context, files: pageSizes.map { "pages\($0)" }, source: source)
    for round in 1...context.rounds {
        var resident = 0.0
        for size in pageSizes {
            context.say("round \(round) of \(context.rounds): pages of \(size)")
            let drain = try await setup.firstSync("pages\(size)")
            resident = max(resident, Double(drain.residentPeakBytes) / 1e6)
            let records = Double(source.records)
            context.measurements.record("sync by \(size)", records / drain.seconds, "records/s")
            context.measurements.record(
                "worker by \(size)", drain.workerSeconds / records * 1e6, "µs CPU/record")
            context.measurements.record(
                "PostgreSQL by \(size)", drain.serverSeconds / records * 1e6, "µs CPU/record")
            let copy = try await CopyAndMerge.prepare(
                setup.cluster, users: source.users, pageSize: size)
            let rates = [
                try await copy.rate(connections: 1), try await copy.rate(connections: 2),
            ]
            context.measurements.record(
                "copy by \(size)", rates.map(\.recordsPerSecond).max() ?? 0, "records/s")
            for (rate, name) in zip(rates, ["one connection", "two connections"]) {
                context.measurements.record(
                    "copy by \(size), \(name)", rate.recordsPerSecond, "records/s")
            }
            context.measurements.record(
                "PostgreSQL by \(size), copy", rates.map(\.microsecondsPerRecord).min() ?? 0,
                "µs CPU/record")
            try await recordFetch(context, source, size)
        }
        context.measurements.record("resident memory", resident, "MB")
        // A round of it takes longer than all the rest, and it varies little.
        if let dlt, round <= context.choose(short: context.rounds, full: 2) {
            context.say("round \(round) of \(context.rounds): dlt")
            context.measurements.record(
                "dlt by 1000", try await dlt.rate(source, into: setup.cluster), "records/s")
        }
    }
    context.measurements.remark(
        "COPY + merge: binary COPY of each page into a temporary table, `insert … on conflict do"
            + " update where … is distinct from`, a commit per page; the better of one and two"
            + " connections.")
    context.measurements.remark(Dlt.sentence)
    context.measurements.remark(
        "Fetch: wrk with eight connections, the same pages, nothing read of them.")
}

/// What the source can give, for orientation: the product can't be faster.
private func recordFetch(_ context: BenchmarkContext, _ source: StaticSource, _ size: Int)
    async throws
{
    let before = try await source.counter("pages")
    let began = ContinuousClock.now
    try await context.run(
        "wrk",
        [
            "--threads", "1", "--connections", "8", "--duration", "2s", "--script",
            "Sources/Bench/Yardsticks/pages.lua", source.url,
        ],
        environment: [
            "USERS": "\(source.users)", "RECORDS": "\(source.recordsPerUser)",
            "PAGE_SIZE": "\(size)",
        ])
    let seconds = (ContinuousClock.now - began).seconds
    let pages = try await source.counter("pages") - before
    context.measurements.record("fetch by \(size)", pages * Double(size) / seconds, "records/s")
}
