import Postgres

/// 5: most of what a full pass reads is there already.
let sameAgainBenchmark = Benchmark(
    number: 5, name: "same-again",
    sentence:
        "The worker of benchmark 4 reads all pages again and finds every record as it was, without a"
        + " validator or watermark that would spare it the reading.",
    goals: pageSizes.map {
        .ratio(
            "pages of \(readable(Double($0))), to the first sync before it", "again by \($0)",
            to: "first by \($0)", .atLeast, 3)
    } + [
        .figure("row versions written", "row versions", .atMost, 0, "rows")
    ]
        + pageSizes.map {
            .figure(
                "WAL per run, pages of \(readable(Double($0)))", "WAL by \($0)", .atMost, 1024,
                "bytes")
        },
    measure: measureSameAgain)

private func measureSameAgain(_ context: BenchmarkContext) async throws {
    let source = try await StaticSource.start(
        context, users: 100, recordsPerUser: context.choose(short: 1000, full: 10_000))
    let setup = try await StaticInstallation.make(
        context, files: pageSizes.map { "pages\($0)" }, source: source)
    let records = Double(source.records)
    for round in 1...context.rounds {
        var versions = 0.0
        for size in pageSizes {
            context.say("round \(round) of \(context.rounds): pages of \(size)")
            let first = try await setup.firstSync("pages\(size)")
            context.measurements.record("first by \(size)", records / first.seconds, "records/s")
            try await setup.cluster.settle("synced.static_record", "jobrunner.checkpoints")
            let before = try await RowVersions(setup.cluster)
            try await setup.makeDue("pages\(size)")
            let again = try await setup.drain()
            versions += try await RowVersions(setup.cluster).others(than: before)
            context.measurements.record("again by \(size)", records / again.seconds, "records/s")
            context.measurements.record(
                "worker by \(size)", again.workerSeconds / records * 1e6, "µs CPU/record")
            context.measurements.record(
                "PostgreSQL by \(size)", again.serverSeconds / records * 1e6, "µs CPU/record")
            context.measurements.record(
                "WAL by \(size)", again.wal.bytesWithoutImages / Double(source.users), "bytes")
        }
        context.measurements.record("row versions", versions, "rows")
    }
    let pages = pageSizes.map { "\(source.recordsPerUser / $0)" }.joined(separator: " and ")
    context.measurements.remark("A run reads \(pages) pages.")
    context.measurements.remark(
        "WAL is without full-page images, and all of the drain's divided by its 100 runs: claims,"
            + " outcomes, the worker's registration and PostgreSQL's own records too.")
}

/// Which versions of the records' rows there are.
private struct RowVersions {
    /// Where and by which transaction each was written.
    private let digest: String
    private let count: Double

    init(_ cluster: Cluster) async throws {
        let row = try await cluster.query(
            """
            select count(*)::float8,
              sum(hashtextextended(concat_ws(' ', user_id, id, ctid, xmin), 0)::numeric)::text
            from synced.static_record
            """
        ).only()
        count = try row.double(0)
        digest = try row.text(1)
    }

    /// 0 when all are the same; else all of them, for the digest doesn't tell which.
    func others(than before: RowVersions) -> Double { digest == before.digest ? 0 : count }
}
