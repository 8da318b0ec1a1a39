import Postgres
import Claiming
import JobQueue

/// 13: what it costs to find that nothing is due, among everything that is not to be claimed.
let emptyBenchmark = Benchmark(
    number: 13, name: "empty",
    sentence:
        "Claims that find nothing: 100,000 tenants (short: 10,000) with a job that is due in an hour, three"
        + " parked jobs each, a fifth of them with a limit, and three dead index entries each under a held snapshot.",
    goals: [
        .figure(
            "buffers of an empty claim, tenants alone", "buffers, tenants", .atMost, 50, "buffers"),
        .figure(
            "buffers of an empty claim, parked jobs", "buffers, parked", .atMost, 50, "buffers"),
        .figure("buffers of an empty claim, limits", "buffers, limits", .atMost, 50, "buffers"),
        .figure("buffers of an empty claim, all at once", "buffers, all", .atMost, 50, "buffers"),
    ],
    measure: measureEmpty)

private func measureEmpty(_ context: BenchmarkContext) async throws {
    let tenants = context.choose(short: 10_000, full: 100_000)
    let installation = try await Installation.make(context, files: ["idle": idleJob])
    let cluster = installation.cluster
    context.say(
        "making \(readable(Double(tenants * 4))) jobs of \(readable(Double(tenants))) tenants")
    try await installation.addUsers(tenants: tenants, each: 4)
    try await installation.giveJob()
    try await cluster.script(
        "update jobrunner.jobs set due_at = now() + interval '1 hour' + random() * interval '1 hour'"
    )
    try await cluster.settle("jobrunner.jobs")
    try await record("tenants", installation)
    try await cluster.script(
        """
        update jobrunner.jobs set paused_at = now(), due_at = now() - random() * interval '1 hour'
        where user_id % 4 <> 0
        """)
    try await record("parked", installation)
    try await cluster.script(
        """
        update jobrunner.tenants set max_running = 1 where id % 5 = 0;
        select jobrunner.activate_limits();
        """)
    try await record("limits", installation)
    let snapshot = try await HeldTransaction(cluster)
    defer { snapshot.letGo() }
    for _ in 1...3 {
        try await cluster.script(
            """
            update jobrunner.jobs set due_at = now() - random() * interval '1 hour' where user_id % 4 = 0;
            update jobrunner.jobs set due_at = now() + interval '1 hour' where user_id % 4 = 0;
            """)
    }
    try await record("all", installation)
    try await snapshot.release()
    context.measurements.remark(
        "A worker's own claims in this process, 20 of them a tenth of a second apart, after it has looked"
            + " once at all that is due, which every worker does when it starts (“first look”).")
}

private func record(_ name: String, _ installation: Installation) async throws {
    let cluster = installation.cluster
    let context = installation.context
    let count = 20
    try await cluster.withDatabase { database in
        let queue = Queue(database)
        let worker = try await queue.registerWorker(
            host: "bench", pid: 1, version: "bench", capacity: 10)
        let claimer = Claimer(queue, files: ["bench.idle": .nothing], capacity: 10)
        var before = try await cluster.use(of: claiming)
        repeat {
            guard try await claimer.claim(worker: worker, slots: 10).isEmpty else {
                throw BenchError("something was due")
            }
        } while claimer.isBehind
        context.measurements.record(
            "first look, \(name)", (try await cluster.use(of: claiming) - before).buffers,
            "buffers")
        before = try await cluster.use(of: claiming)
        for _ in 1...count {
            guard try await claimer.claim(worker: worker, slots: 10).isEmpty else {
                throw BenchError("something was due")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        let use = try await cluster.use(of: claiming) - before
        context.measurements.record("buffers, \(name)", use.buffers / Double(count), "buffers")
        context.measurements.record("time, \(name)", use.milliseconds / Double(count), "ms")
        _ = try await queue.leave(worker: worker, deadline: .now + .seconds(10))
    }
}
