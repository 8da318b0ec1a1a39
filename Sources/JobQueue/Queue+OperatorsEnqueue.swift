import Postgres

/// What an operator asks of the next run.
public struct RunRequest: Sendable, Equatable {
    /// Start over with a full pass.
    public var isFull = false
    /// Only this entity.
    public var entity: String?
    /// Also ignore a call's minimum gap and a deferral.
    public var isForced = false

    /// Begins with an ordinary run.
    public init() {}
}

/// A job that was asked to run.
public struct EnqueuedJob: Sendable, Equatable {
    /// Number of its user.
    public var userID: Int64
    /// Key of its user.
    public var user: String
    /// `due`, `follows_running`, `deferred`, `paused`, `quarantined` or `needs_reauth`.
    public var word: String
    /// Its last run when it was asked; what it asked for is a later one.
    public var fence: Int64
    /// The database's clock at that time, in microseconds since 1970.
    public var askedAt: Int64

    /// Whether a run follows without anybody's help.
    public var isUnderWay: Bool { word == "due" || word == "follows_running" }
}

/// A job that was waited for and does not run: its run ended, or none will begin.
public struct AwaitedJob: Sendable, Equatable {
    /// Number of its user.
    public var userID: Int64
    /// How the run ended; nil when there was none.
    public var outcome: String?
    /// `waiting`, `paused`, `quarantined` or `needs_reauth`; nil when the job is gone.
    public var state: String?
    /// The run is followed by another, which goes on where it stopped.
    public var goesOn: Bool
    /// Its last run.
    public var fence: Int64
    /// When that ended, in microseconds since 1970.
    public var endedAt: Int64
    /// What went wrong.
    public var error: String?
    /// Pages the run committed.
    public var pages: Int
    /// Records in them.
    public var fetched: Int
    /// Records that are new.
    public var inserted: Int
    /// Records that changed a row.
    public var updated: Int
    /// Tombstones that removed a row.
    public var deleted: Int
}

extension Queue {
    /// Asks for a run of the scope's job, of one user or of all; returns the jobs by user.
    ///
    /// The scope names a job.
    public func enqueue(_ scope: JobScope, _ request: RunRequest) async throws -> [EnqueuedJob] {
        let binds = scope.binds
        let requestBinds: [Bind] = [
            .bool(request.isFull), .optional(request.entity, Bind.text), .bool(request.isForced),
        ]
        let verb =
            scope.user == nil
            ? Statement(
                "select jobrunner.enqueue_all($1, $2, $3, $4, $5)",
                binds: [binds[0], binds[2]] + requestBinds)
            : Statement(
                "select jobrunner.enqueue($1, $2, $3, $4, $5, $6)", binds: binds + requestBinds)
        // The verb holds the rows' locks, so what is read after it is what it found and left.
        let asked = Statement(
            """
            select j.user_id, u.key, j.fence, now() as asked_at,
              case
                when j.state = 'running' then 'follows_running'
                when j.state <> 'waiting' then j.state
                when j.due_at > now() then 'deferred'
                else 'due'
              end as word
            from jobrunner.jobs as j
            join jobrunner.users as u on u.id = j.user_id
            where j.tenant_id = (jobrunner.tenant_named($1)).id and ($2::text is null or u.key = $2)
              and j.name = $3
            order by u.key
            """, binds: binds)
        return try await turn([verb, asked])[1].map { row in
            EnqueuedJob(
                userID: Int64(try row.int("user_id")), user: try row.text("key"),
                word: try row.text("word"), fence: Int64(try row.int("fence")),
                askedAt: try row.timestamp("asked_at"))
        }
    }

    /// Those of the jobs whose run ended since, or that can't run any more as things are.
    public func awaited(_ jobs: [EnqueuedJob], name: String) async throws -> [AwaitedJob] {
        let statement = Statement(
            """
            select w.user_id, j.state, coalesce(j.fence, 0) as fence,
              case when j.fence > w.fence and j.last_run_at > w.asked_at then j.last_outcome end
                as outcome,
              coalesce(j.last_outcome = 'partial', false) and coalesce(r.error_kind <> 'cancelled', true)
                and jobrunner.keeps_edits(j.last_outcome, j.last_error_kind) is not true as goes_on,
              coalesce(j.last_run_at, now()) as ended_at, coalesce(r.error, j.last_error) as error,
              coalesce((r.counters).pages, 0) as pages, coalesce((r.counters).fetched, 0) as fetched,
              coalesce((r.counters).inserted, 0) as inserted, coalesce((r.counters).updated, 0) as updated,
              coalesce((r.counters).deleted + (r.counters).swept, 0) as deleted
            from unnest($1, $2, $3) as w (user_id, fence, asked_at)
            left join jobrunner.jobs as j on j.user_id = w.user_id and j.name = $4
            left join jobrunner.runs as r
              on r.user_id = w.user_id and r.id = j.fence and r.ended_at = j.last_run_at
            where j.user_id is null
              or j.worker_id is null
                and (j.state <> 'waiting' or j.fence > w.fence and j.last_run_at > w.asked_at)
            """, .int8Array(jobs.map(\.userID)), .int8Array(jobs.map(\.fence)),
            .timestamptzArray(jobs.map(\.askedAt)), .text(name))
        return try await call(statement) { rows in
            try rows.map { row in
                AwaitedJob(
                    userID: Int64(try row.int("user_id")), outcome: try row.optionalText("outcome"),
                    state: try row.optionalText("state"), goesOn: try row.bool("goes_on"),
                    fence: Int64(try row.int("fence")),
                    endedAt: try row.timestamp("ended_at"), error: try row.optionalText("error"),
                    pages: try row.int("pages"), fetched: try row.int("fetched"),
                    inserted: try row.int("inserted"), updated: try row.int("updated"),
                    deleted: try row.int("deleted"))
            }
        }
    }
}
