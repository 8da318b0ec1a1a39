import Postgres

/// 7: whether a claim and the making of jobs stay as cheap when there are many.
let crowdBenchmark = Benchmark(
    number: 7, name: "crowd",
    sentence:
        "2,000,000 standing jobs (short: 200,000) of 10 tenants, 0.2 % of them due: claims of 100 beside"
        + " the same claims with 10,000 jobs; and the making of the jobs beside a bare INSERT … SELECT.",
    goals: [
        .figure(
            "buffers of a claim of 100", "buffers of a claim among many", .atMost, 400, "buffers"),
        .ratio(
            "time of a claim beside 10,000 jobs", "claim among many", to: "claim among 10,000",
            .atMost,
            1.2),
        .ratio(
            "seeding beside INSERT … SELECT", "jobs made", to: "bare rows inserted", .atLeast, 0.5),
    ],
    measure: measureCrowd)

private let crowdTenants = 10
private let claimed = 100

private func measureCrowd(_ stage: Stage) async throws {
    let jobs = stage.choose(short: 200_000, full: 2_000_000)
    let due = max(jobs / 500, 2000)
    let many = try await Installation.make(stage, files: ["idle": idleJob])
    stage.say("making \(readable(Double(jobs))) users")
    try await many.addUsers(tenants: crowdTenants, each: jobs / crowdTenants)
    for round in 1...stage.rounds {
        stage.say("seeding, round \(round) of \(stage.rounds)")
        try await seed(many, jobs, stage)
    }
    let few = try await Installation.make(stage, files: ["idle": idleJob])
    try await few.addUsers(tenants: crowdTenants, each: 10_000 / crowdTenants)
    try await few.giveJob()
    for round in 1...stage.rounds {
        stage.say("claims, round \(round) of \(stage.rounds)")
        for installation in [many, few] { try await makeDue(due, installation) }
        let among = (many: try await claims(many), few: try await claims(few))
        stage.ledger.record("claim among many", among.many.milliseconds, "ms")
        stage.ledger.record("claim among 10,000", among.few.milliseconds, "ms")
        stage.ledger.record("buffers of a claim among many", among.many.buffers, "buffers")
        stage.ledger.record("buffers of a claim among 10,000", among.few.buffers, "buffers")
    }
    stage.ledger.note(
        "\(readable(Double(jobs))) jobs, and \(readable(Double(due))) due in both. A claim is the worker's"
            + " own statement under EXPLAIN (ANALYZE, BUFFERS), committed, its runs then finished by"
            + " finish_runs; median of \(claimCount) claims a round, the first two left out.")
}

/// The verb and the bare rows, each in a table that is empty.
private func seed(_ installation: Installation, _ jobs: Int, _ stage: Stage) async throws {
    let cluster = installation.cluster
    try await cluster.script(
        """
        truncate jobrunner.jobs;
        delete from jobrunner.tenant_jobs;
        drop schema if exists bare cascade;
        create schema bare;
        create table bare.jobs (like jobrunner.jobs including all);
        checkpoint;
        """)
    var began = ContinuousClock.now
    try await installation.giveJob()
    stage.ledger.record(
        "jobs made", Double(jobs) / (ContinuousClock.now - began).seconds, "jobs/s")
    let made = try await cluster.number("select count(*) from jobrunner.jobs")
    guard Int(made) == jobs else { throw BenchError("\(made) of \(jobs) jobs were made") }
    try await cluster.script("checkpoint")
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
    stage.ledger.record(
        "bare rows inserted", Double(jobs) / (ContinuousClock.now - began).seconds, "jobs/s")
    try await cluster.script("drop schema bare cascade")
}

/// Some jobs due in the last minute, spread over the tenants and the table; the others later.
private func makeDue(_ due: Int, _ installation: Installation) async throws {
    try await installation.cluster.script(
        """
        update jobrunner.jobs set due_at = now() + interval '30 minutes' + random() * interval '30 minutes';
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
    try await installation.cluster.settle("jobrunner.jobs")
}

private let claimCount = 18

/// Claims of 100 by a worker of this process, one after the other.
private func claims(
    _ installation: Installation
) async throws -> (milliseconds: Double, buffers: Double) {
    let (claim, finish) = (try benchmarkSQL("claim"), try benchmarkSQL("finish_held"))
    let plans = try await installation.cluster.withDatabase { database in
        try await database.run { session in
            let worker = try session.query(
                Statement("select jobrunner.register_worker('bench', 1, 'bench', 1000)")
            ).only().int(0)
            let binds: [Bind] = [.int4(Int32(worker)), .int4(Int32(claimed))]
            let plans = try (0..<claimCount + 2).map { _ in
                var plan = try session.explain(claim, binds)
                let held = try session.query(
                    Statement(
                        "select count(*) from jobrunner.jobs where worker_id = $1", .int(worker))
                ).only().int(0)
                // A tenant that has less than its share due leaves some to the next claim.
                guard held * 4 >= claimed * 3 else {
                    throw BenchError("a claim of \(claimed) took \(held) jobs")
                }
                plan.buffers *= Double(claimed) / Double(held)
                plan.milliseconds *= Double(claimed) / Double(held)
                _ = try session.query(Statement(finish, binds: [.int(worker)]))
                return plan
            }
            _ = try session.query(
                Statement("select jobrunner.leave_worker($1)", .int4(Int32(worker))))
            return plans.dropFirst(2)
        }
    }
    guard let time = Summary(plans.map(\.milliseconds)), let buffers = Summary(plans.map(\.buffers))
    else { throw BenchError("no claim was explained") }
    return (time.median, buffers.median)
}
