import Basics
public import Postgres

/// What a heartbeat learned.
public struct Heartbeat: Sendable, Equatable {
    /// False: the worker was given up and must drop all its runs.
    public var isAlive: Bool
    /// Workers alive, this one included.
    public var workers: Int
    /// How many of them came before this one.
    public var rank: Int
    /// The database's time, microseconds since 1970.
    public var at: Int64
}

/// A worker that was given up, and what became of its jobs.
public struct Reaped: Sendable, Equatable {
    /// Number of the worker.
    public var worker: Int
    /// Why it was given up: `silent` or `session_gone`.
    public var reason: String
    /// Jobs that were taken from it.
    public var jobs: Int
    /// Of these, jobs that were set aside.
    public var quarantined: Int
}

/// A run that someone asked to stop.
public struct StopRequest: Sendable, Hashable {
    /// Number of the user.
    public var userID: Int64
    /// Name of the job.
    public var name: String
    /// Number of the run.
    public var fence: Int64
}

/// A worker's sign of life, which keeps all of its claims.
public struct BeatOfWorker: Sendable {
    private let statement: Statement

    /// What the worker has to say.
    ///
    /// `lease`: who of the others has missed a beat of it has no turn and no share.
    public init(worker: Int, running: Int, isDraining: Bool, lease: Duration) {
        statement = Statement(
            "select * from jobrunner.heartbeat_worker($1, $2, $3, $4)",
            .int4(Int32(clamping: worker)), .int4(Int32(clamping: running)), .bool(isDraining),
            .interval(lease.wholeMicroseconds))
    }

    /// Shows it, and learns of the others; throws `DatabaseError`.
    public func send(on session: Session) throws -> Heartbeat {
        let row = try session.query(statement).only()
        return Heartbeat(
            isAlive: try row.bool("alive"), workers: try row.int("worker_count"),
            rank: try row.int("worker_rank"), at: try row.timestamp("beaten_at"))
    }
}

extension Queue {
    /// Adds a worker whose presence is the calling session; use a database of one lane for it.
    public func registerWorker(
        host: String, pid: Int32, version: String, capacity: Int
    ) async throws -> Int {
        let statement = Statement(
            "select jobrunner.register_worker($1, $2, $3, $4)", .text(host), .int4(pid),
            .text(version), .int4(Int32(clamping: capacity)))
        return try await call(statement) { try $0.only().int(0) }
    }

    /// The worker's job files that are others than those that `migrate` stored, by name.
    public func otherFiles(worker: Int) async throws -> [String] {
        let statement = Statement(
            "select jobrunner.other_files(w) from jobrunner.workers as w where w.id = $1",
            .int4(Int32(clamping: worker)))
        return try await call(statement) { rows in
            try rows.first?.textArray(0).compactMap { $0 } ?? []
        }
    }

    /// A worker's orderly end; false when it had been given up before.
    ///
    /// What it still holds is taken from it by whoever reaps next.
    public func leave(worker: Int, deadline: ContinuousClock.Instant) async throws -> Bool {
        let statement = Statement(
            "select jobrunner.deregister_worker($1)", .int4(Int32(clamping: worker)))
        return try await call(statement, deadline: deadline) { try $0.only().bool(0) }
    }

    /// Takes jobs away from workers that are silent for longer than `lease`, or whose session is
    /// gone: a transaction for each, and a thousand of them at most.
    public func reapJobs(lease: Duration) async throws -> [Reaped] {
        let statement = Statement(
            "select * from jobrunner.reap_jobs($1)", .interval(lease.wholeMilliseconds * 1000))
        var reaped: [Reaped] = []
        while reaped.count < 1000,
            let next = try await call(
                statement,
                { rows in
                    try rows.first.map { row in
                        Reaped(
                            worker: try row.int("worker_id"), reason: try row.text("reason"),
                            jobs: try row.int("job_count"),
                            quarantined: try row.int("quarantined_count"))
                    }
                })
        {
            reaped.append(next)
        }
        return reaped
    }

    /// Deletes what is noted of a worker's claims whose runs have all ended; `firstFences` names those that are looked
    /// at, nil means all.
    public func forgetEndedClaims(worker: Int, firstFences: [Int64]? = nil) async throws {
        let statement = Statement(
            "select jobrunner.forget_ended_claims($1, $2)", .int8(Int64(worker)),
            .optional(firstFences, Bind.int8Array))
        try await call(statement) { _ in }
    }

    /// Runs of a worker that someone asked to stop.
    public func stopRequests(worker: Int) async throws -> [StopRequest] {
        let statement = Statement(
            "select * from jobrunner.stop_requests($1)", .int4(Int32(clamping: worker)))
        return try await call(statement) { rows in
            try rows.map { row in
                StopRequest(
                    userID: Int64(try row.int("user_id")), name: try row.text("name"),
                    fence: Int64(try row.int("fence")))
            }
        }
    }

    /// Lets jobs go on whose quarantine is over; returns how many.
    public func liftQuarantines() async throws -> Int {
        try await call(Statement("select jobrunner.lift_quarantines()")) { try $0.only().int(0) }
    }

    /// Slows down jobs for which nobody has asked in a long time; returns how many, a thousand at most.
    public func slowJobs() async throws -> Int {
        try await call(Statement("select jobrunner.slow_jobs()")) { try $0.only().int(0) }
    }

    /// Takes back jobs that run nowhere and mends due times after the clock was set back.
    ///
    /// Returns how many; works at most once a minute over all workers.
    public func reconcileJobs() async throws -> Int {
        try await call(Statement("select jobrunner.reconcile_jobs()")) { try $0.only().int(0) }
    }

    /// Whether it is time to ask what the job files' health asks: once a day over all workers.
    public func beginHealthChecks() async throws -> Bool {
        try await call(Statement("select jobrunner.begin_health_checks()")) {
            try $0.only().bool(0)
        }
    }

    /// Counts what does not run, by reason, where the last count is a minute old; returns whether it was.
    ///
    /// `anew`: also before it is time, for a person who asks.
    @discardableResult
    public func countWaiting(anew: Bool = false) async throws -> Bool {
        let statement = Statement("select jobrunner.count_waiting(in_anew => $1)", .bool(anew))
        return try await call(statement) { try $0.only().bool(0) }
    }

    /// Counts a part of the users, whose data is fresh, where the last part is a minute old; returns whether it was.
    public func countFreshness() async throws -> Bool {
        try await call(Statement("select jobrunner.count_freshness()")) { try $0.only().bool(0) }
    }

    /// Keeps partitions of runs ahead and drops what retention ends.
    ///
    /// False: somebody reads history, and what it keeps away is left to the next call.
    public func maintainRuns(keep: Duration) async throws -> Bool {
        let statement = Statement(
            "select postponed from jobrunner.maintain_runs($1)",
            .interval(keep.wholeMilliseconds * 1000))
        return try await call(statement) { !(try $0.only().bool(0)) }
    }

    /// Whether any job of the named files is due now or running anywhere; `--drain` asks it.
    public func hasWork(names: [String]) async throws -> Bool {
        let statement = Statement(
            "select jobrunner.has_work($1)", .textArray(names))
        return try await call(statement) { try $0.only().bool(0) }
    }
}
