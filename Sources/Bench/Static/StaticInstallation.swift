import Postgres

/// An installation whose tenants sync a static source: one tenant for each job file, with all users.
struct StaticInstallation: Sendable {
    let installation: Installation
    let source: StaticSource

    var cluster: Cluster { installation.cluster }
    private var context: BenchmarkContext { installation.context }

    /// Makes it, with nothing synced; `change` edits the text of each file.
    static func make(
        _ context: BenchmarkContext, files names: [String], source: StaticSource,
        change: (String) -> String = { $0 }
    ) async throws -> StaticInstallation {
        var files: [String: String] = [:]
        for name in names {
            files[name] = change(try readFile("Sources/Bench/JobFiles/\(name).yaml"))
        }
        let installation = try await Installation.make(context, files: files)
        for name in names {
            try await installation.command([
                "tenant", "add", name, "--job", "bench.\(name)", "--source",
                "static=\(source.url)",
            ])
            try await installation.cluster.script(
                """
                select count(jobrunner.add_user('\(name)', key, jsonb_build_object('static_id', key)))
                from (
                  select format('user-%s', lpad(n::text, 6, '0')) as key
                  from generate_series(1, \(source.users)) as n
                ) as users;
                update jobrunner.jobs set due_at = now() + interval '30 days'
                where name = 'bench.\(name)';
                """)
        }
        try await installation.cluster.script("analyze")
        return StaticInstallation(installation: installation, source: source)
    }

    /// As after the set-up: no record, no checkpoint, no history.
    func forgetAll() async throws {
        try await cluster.script(
            """
            truncate synced.static_record, jobrunner.checkpoints, jobrunner.runs;
            update jobrunner.jobs set due_at = now() + interval '30 days';
            """)
        try await cluster.settle("jobrunner.jobs", "jobrunner.workers")
    }

    /// Makes the jobs of one file due, of the first `users` or of all.
    func makeDue(_ name: String, users: Int? = nil) async throws {
        try await cluster.script(
            """
            update jobrunner.jobs as j
            set due_at = now()
            from jobrunner.users as u
            where u.id = j.user_id and j.name = 'bench.\(name)'
              and substr(u.key, 6)::integer <= \(users ?? source.users)
            """)
        try await cluster.settle("jobrunner.jobs")
    }

    /// What one worker took that ran until nothing was due.
    struct Drain: Sendable {
        let seconds: Double
        let workerSeconds: Double
        let serverSeconds: Double
        let residentPeakBytes: Int
        let requests: Double
        let wal: WALUse
    }

    /// Runs one `worker --drain` to its end; throws `BenchError` unless all were complete.
    func drain(concurrency: Int = 50) async throws -> Drain {
        let requests = try await source.counter("requests")
        let position = try await cluster.walPosition()
        let server = cluster.cpuSeconds
        let worker = try installation.startWorker(
            ["--drain", "--concurrency", "\(concurrency)"], as: "worker")
        let ended = await worker.wait()
        let serverSeconds = cluster.cpuSeconds - server
        try Task.checkCancellation()
        guard ended.code == 0 else { throw BenchError("the worker ended with \(ended.code)") }
        let wal = try await cluster.wal(since: position)
        let other = try await cluster.number(
            """
            select count(*)::float8 from jobrunner.jobs
            where last_run_at is not null and last_outcome <> 'complete'
            """)
        guard other == 0 else { throw BenchError("\(Int(other)) jobs are not complete") }
        return Drain(
            seconds: (ended.at - worker.started).seconds, workerSeconds: ended.cpuSeconds,
            serverSeconds: serverSeconds, residentPeakBytes: ended.residentPeakBytes,
            requests: try await source.counter("requests") - requests, wal: wal)
    }

    /// Reads every user's records anew; throws `BenchError` unless all of them are stored then.
    func firstSync(_ name: String) async throws -> Drain {
        try await forgetAll()
        try await makeDue(name)
        let drain = try await drain()
        let stored = try await cluster.number("select count(*)::float8 from synced.static_record")
        guard Int(stored) == source.records else {
            throw BenchError("\(Int(stored)) records are stored, not \(source.records)")
        }
        return drain
    }

    /// Nothing is due for a month.
    func postponeAll() async throws {
        try await cluster.script(
            "update jobrunner.jobs set due_at = now() + interval '30 days'")
    }

    /// Reads everything of everyone once, so that all later runs find nothing new.
    func firstSyncs(of files: [String], concurrency: Int) async throws {
        for file in files {
            context.say("first syncs of \(source.users) users: \(file)")
            // Some first, and statistics: PostgreSQL keeps plans that it made for empty tables.
            for users in [100, source.users] {
                try await postponeAll()
                try await makeDue(file, users: users)
                _ = try await drain(concurrency: concurrency)
                try await cluster.script("analyze")
            }
        }
    }
}
