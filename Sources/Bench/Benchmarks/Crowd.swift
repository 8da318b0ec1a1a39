import JSON
import Postgres
import Claiming
import JobQueue

/// 7: whether a claim and the making of jobs stay as cheap when there are many, whosever they are.
let crowdBenchmark = Benchmark(
    number: 7, name: "crowd",
    sentence:
        "2,000,000 standing jobs (short: 200,000) of one tenant, of 1,000 and of 100,000, 0.2 % of them due:"
        + " claims of 100; and the making of the jobs beside a bare INSERT … SELECT.",
    goals: [
        .figure("buffers of a claim of 100, one tenant", "buffers, 1", .atMost, 600, "buffers"),
        .figure(
            "buffers of a claim of 100, 1,000 tenants", "buffers, 1000", .atMost, 600, "buffers"),
        .figure(
            "buffers of a claim of 100, 100,000 tenants", "buffers, 100000", .atMost, 600, "buffers"
        ),
        .ratio(
            "claims of 100,000 tenants' jobs beside one's", "claim, 100000", to: "claim, 1",
            .atMost,
            1.3),
        .ratio(
            "seeding beside INSERT … SELECT", "jobs made", to: "bare rows inserted", .atLeast, 0.5),
    ],
    measure: measureCrowd)

private let crowds = [1, 1000, 100_000]
private let claimed = 100

private func measureCrowd(_ context: BenchmarkContext) async throws {
    let jobs = context.choose(short: 200_000, full: 2_000_000)
    let due = max(jobs / 500, 2000)
    var installations: [(tenants: Int, Installation)] = []
    for tenants in crowds {
        let installation = try await Installation.make(context, files: ["idle": idleJob])
        context.say(
            "making \(readable(Double(jobs))) users of \(readable(Double(tenants))) tenants")
        try await installation.addUsers(tenants: tenants, each: jobs / tenants)
        if tenants == 1 {
            for round in 1...context.rounds {
                context.say("seeding, round \(round) of \(context.rounds)")
                try await seed(installation, jobs, context)
            }
        } else {
            try await installation.giveJob()
        }
        installations.append((tenants, installation))
    }
    for round in 1...context.rounds {
        context.say("claims, round \(round) of \(context.rounds)")
        for (tenants, installation) in installations {
            try await makeLater(installation)
            try await makeDue(due, installation)
            try await installation.cluster.forgetStatements()
            let cost = try await claims(installation, of: due)
            try await installation.cluster.keepStatements(
                as: "statements of claims, \(tenants)", in: context.measurements)
            context.measurements.record("claim, \(tenants)", cost.milliseconds, "ms")
            context.measurements.record("buffers, \(tenants)", cost.buffers, "buffers")
            try await makeDue(due, installation)
            try await installation.cluster.settle("jobrunner.jobs")
            let vacuumed = try await claims(installation, of: due)
            context.measurements.record(
                "buffers after vacuum, \(tenants)", vacuumed.buffers, "buffers")
        }
    }
    for (tenants, installation) in installations {
        try await makeDue(due, installation)
        let plans = try await plansOfClaim(installation)
        context.measurements.keep("plans of a claim, \(tenants)", .string(plans))
    }
    context.measurements.remark(
        "\(readable(Double(jobs))) jobs, and \(readable(Double(due))) due in each. A worker's own claims in this"
            + " process until all are claimed: what all their statements took, looking included, for a hundred"
            + " jobs (pg_stat_statements). Its runs are ended by finish_runs in between. Right after a vacuum every page"
            + " is all visible: its first lock and its first update then ask for the visibility map, a buffer each."
    )
}

/// The verb and the bare rows, each in a table that is empty.
private func seed(_ installation: Installation, _ jobs: Int, _ context: BenchmarkContext)
    async throws
{
    let cluster = installation.cluster
    try await cluster.script(
        """
        truncate jobrunner.jobs;
        delete from jobrunner.tenant_jobs;
        drop schema if exists bare cascade;
        create schema bare;
        create table bare.jobs (like jobrunner.jobs including all);
        """)
    try await cluster.administer("checkpoint")
    var began = ContinuousClock.now
    try await installation.giveJob()
    context.measurements.record(
        "jobs made", Double(jobs) / (ContinuousClock.now - began).seconds, "jobs/s")
    let made = try await cluster.number("select count(*) from jobrunner.jobs")
    guard Int(made) == jobs else { throw BenchError("\(made) of \(jobs) jobs were made") }
    try await cluster.administer("checkpoint")
    let columns = try await cluster.query(
        """
        select string_agg(quote_ident(attname), ', ' order by attnum)
        from pg_attribute
        where attrelid = 'jobrunner.jobs'::regclass and attnum > 0 and attgenerated = ''
          and not attisdropped
        """
    ).only().text(0)
    began = .now
    try await cluster.script(
        "insert into bare.jobs (\(columns)) select \(columns) from jobrunner.jobs")
    context.measurements.record(
        "bare rows inserted", Double(jobs) / (ContinuousClock.now - began).seconds, "jobs/s")
    try await cluster.script("drop schema bare cascade")
}

/// Nothing due, and no dead rows.
private func makeLater(_ installation: Installation) async throws {
    try await installation.cluster.script(
        "update jobrunner.jobs set due_at = now() + interval '30 minutes' + random() * interval '30 minutes'"
    )
    try await installation.cluster.settle("jobrunner.jobs")
}

/// Some jobs due in the last minute, spread over the tenants and the table.
private func makeDue(_ due: Int, _ installation: Installation) async throws {
    try await installation.cluster.script(
        """
        with picked as (
          select user_id, name
          from jobrunner.jobs
          order by hashint8(user_id)
          limit \(due)
        )
        update jobrunner.jobs as j
        set due_at = now() - random() * interval '1 minute'
        from picked as p
        where j.user_id = p.user_id and j.name = p.name;
        """)
}

/// What a worker's claims take for a hundred jobs, until nothing is due.
private func claims(
    _ installation: Installation, of due: Int
) async throws -> (milliseconds: Double, buffers: Double) {
    let cluster = installation.cluster
    return try await cluster.withDatabase { database in
        let queue = Queue(database)
        let worker = try await queue.registerWorker(
            host: "bench", pid: 1, version: "bench", capacity: claimed)
        let claimer = Claimer(queue, files: ["bench.idle": .nothing], capacity: claimed)
        let before = try await cluster.use(of: claiming)
        var count = 0
        while count < due {
            let jobs = try await claimer.claim(worker: worker, slots: claimed)
            guard !jobs.isEmpty else { throw BenchError("\(count) of \(due) jobs were claimed") }
            count += jobs.count
            for job in jobs { claimer.ended(job) }
            try await finishAsUnchanged(jobs, queue)
        }
        let use = try await cluster.use(of: claiming) - before
        _ = try await queue.leave(worker: worker, deadline: .now + .seconds(10))
        let hundreds = Double(count) / Double(claimed)
        return (use.milliseconds / hundreds, use.buffers / hundreds)
    }
}

/// The plans of the statements of a claim of jobs that the worker remembers, as the server logs them.
private func plansOfClaim(_ installation: Installation) async throws -> String {
    let cluster = installation.cluster
    try await cluster.administer(
        """
        alter database jobrunner set session_preload_libraries = 'auto_explain';
        alter database jobrunner set auto_explain.log_min_duration = 0;
        alter database jobrunner set auto_explain.log_analyze = on;
        alter database jobrunner set auto_explain.log_buffers = on;
        alter database jobrunner set auto_explain.log_timing = off;
        alter database jobrunner set auto_explain.log_nested_statements = on;
        """)
    let text = try await cluster.withDatabase { database in
        let queue = Queue(database)
        let worker = try await queue.registerWorker(
            host: "bench", pid: 1, version: "bench", capacity: 3 * claimed)
        let claimer = Claimer(queue, files: ["bench.idle": .nothing], capacity: 3 * claimed)
        var jobs = try await claimer.claim(worker: worker, slots: claimed)
        var log = ServerLog(cluster)
        jobs += try await claimer.claim(worker: worker, slots: claimed)
        let text = try log.text()
        guard jobs.count == 2 * claimed else {
            throw BenchError("\(jobs.count) jobs were claimed, and not \(2 * claimed)")
        }
        try await finishAsUnchanged(jobs, queue)
        _ = try await queue.leave(worker: worker, deadline: .now + .seconds(10))
        return text
    }
    try await cluster.administer("alter database jobrunner reset all")
    return text
}
