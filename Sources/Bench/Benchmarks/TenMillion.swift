import Glibc
import Postgres

/// 19: whether one user with very many records is synced in little memory, and how much a killed worker costs.
let tenMillionBenchmark = Benchmark(
    number: 19, name: "ten-million",
    sentence:
        "One user with 10,000,000 records (short form: 500,000) in pages of 1,000; the worker is killed with SIGKILL"
        + " after each quarter of the pages and started anew.",
    goals: (1...workers).map {
        .figure(
            "resident memory of worker \($0), VmHWM", "memory of worker \($0)", .atMost, 60, "MB")
    } + [
        .ratio(
            "memory of the last worker beside the first", "memory of worker \(workers)",
            to: "memory of worker 1", .atMost, 1.1),
        .figure("pages asked for beyond those needed", "pages beyond", .atMost, 3, "pages"),
        .figure("records that are not stored", "records missing", .atMost, 0, "records"),
    ],
    measure: measureTenMillion)

/// The last one ends by itself.
private let workers = 4
private let pageSize = 1000
private let file = "pages1000"

private func measureTenMillion(_ context: BenchmarkContext) async throws {
    let source = try await StaticSource.start(
        context, users: 1, recordsPerUser: context.choose(short: 500_000, full: 10_000_000))
    // Without a rate of its own a run sends fifty requests a second from its hundredth page on.
    let setup = try await StaticInstallation.make(context, files: [file], source: source) {
        $0.replacing("  id: static", with: "  id: static\n  rate: { per_second: 100000 }")
    }
    let needed = source.records / pageSize
    try await setup.makeDue(file)
    let began = ContinuousClock.now
    for number in 1...workers {
        context.say("worker \(number) of \(workers)")
        let asked = try await source.counter("pages")
        let worker = try setup.installation.startWorker(
            number < workers ? [] : ["--drain"], as: "worker\(number)")
        if number > 1 {
            try await waitForPages(asked + 1, source, worker)
            let seconds = (ContinuousClock.now - worker.started).seconds
            context.measurements.record("until it goes on after a kill", seconds, "s")
        }
        if number < workers {
            try await waitForPages(Double(needed * number / workers), source, worker)
            worker.signal(SIGKILL)
        }
        record(await worker.wait(), of: number, context.measurements)
        try Task.checkCancellation()
    }
    let seconds = (ContinuousClock.now - began).seconds
    try await recordWhatCame(context, setup, needed: needed, seconds: seconds)
    context.measurements.remark(
        "One round. A kill may cost the page in flight, so that three of them may cost three pages. The rate is of all"
            + " workers together, with the seconds until a dead one's job is taken over."
    )
}

private func record(
    _ ended: ChildProcess.Ended, of number: Int, _ measurements: Measurements
) {
    measurements.record(
        "memory of worker \(number)", Double(ended.residentPeakBytes) / 1e6, "MB")
    measurements.record("processor time of worker \(number)", ended.cpuSeconds, "s")
}

private func recordWhatCame(
    _ context: BenchmarkContext, _ setup: StaticInstallation, needed: Int, seconds: Double
) async throws {
    let outcome = try await setup.cluster.query("select last_outcome from jobrunner.jobs").only()
    guard try outcome.text(0) == "complete" else {
        throw BenchError("the last run ended \(try outcome.text(0))")
    }
    let asked = try await setup.source.counter("pages")
    let stored = try await setup.cluster.number("select count(*)::float8 from synced.static_record")
    let records = Double(setup.source.records)
    let measurements = context.measurements
    measurements.record("pages needed", Double(needed), "pages")
    measurements.record("pages beyond", asked - Double(needed), "pages")
    measurements.record("records missing", records - stored, "records")
    measurements.record("rate, kills included", records / seconds, "records/s")
    let size = try await setup.cluster.number(
        "select pg_total_relation_size('synced.static_record')::float8")
    measurements.record("table and index", size / records, "bytes/record")
}

/// Returns when the source has served so many pages since its start.
private func waitForPages(_ count: Double, _ source: StaticSource, _ worker: ChildProcess)
    async throws
{
    while try await source.counter("pages") < count {
        guard worker.ended == nil else { throw BenchError("a worker ended before it was killed") }
        try await Task.sleep(for: .milliseconds(50))
    }
}
