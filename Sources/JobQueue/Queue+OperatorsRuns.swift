public import JSON
import Postgres

/// Which ended runs to list.
public struct RunFilter: Sendable, Equatable {
    /// Only of this tenant.
    public var tenant: String?
    /// Only of the tenant's user of this key.
    public var user: String?
    /// Only of this job.
    public var job: String?
    /// Only those that ended so.
    public var outcome: String?
    /// Ended within this span.
    public var since: Duration?
    /// At most so many.
    public var limit: Int

    /// Lists at most `limit` runs of anybody.
    public init(limit: Int) { self.limit = limit }
}

/// What of the history a reader has been told, as it reads on.
///
/// A run's number and its end are no order to read by: both are drawn before the commit, so that a run which ended
/// earlier may become visible later. So each poll is of the snapshot that it reads with: it tells the runs whose
/// transactions are visible in its own snapshot and were not in the last poll's. Each transaction becomes visible once, so
/// that no run is lost and none is doubled, in whatever order transactions commit. Index `runs_by_transaction` bounds the
/// poll: what is older than the oldest transaction that was writing at the last poll was visible then.
public struct RunReader: Sendable {
    /// Rows that one statement reads at most, whatever has ended meanwhile.
    static let pageMax = 1000

    private let queue: Queue
    private var seen: String
    /// A dump brings transaction numbers of another server, which this one's will pass; its runs ended before.
    private let began: Int64
    private let pageMax: Int

    init(_ queue: Queue, pageMax: Int = RunReader.pageMax) async throws {
        self.queue = queue
        self.pageMax = pageMax
        let now = Statement(
            "select pg_current_snapshot()::text, now() - interval '1 day'")
        (seen, began) = try await queue.call(now) { rows in
            let row = try rows.only()
            return (try row.text(0), try row.timestamp(1))
        }
    }

    /// The runs that ended since the last call, in the order of their transactions; told to `tell` page by page.
    public mutating func read(_ filter: RunFilter, _ tell: ([JSONValue]) async throws -> Void)
        async throws
    {
        var upTo: String?
        var last: (transaction: String, run: Int)?
        while true {
            let page = try await queue.ask(
                runsSinceSQL,
                [
                    .text(seen), .optional(upTo, Bind.text),
                    .optional(last?.transaction, Bind.text),
                    .optional(last?.run, Bind.int), .timestamptz(began), .int(pageMax),
                    .optional(filter.tenant, Bind.text), .optional(filter.user, Bind.text),
                    .optional(filter.job, Bind.text), .optional(filter.outcome, Bind.text),
                ])
            guard let page = page.first else { return }
            // All pages of a poll end at the snapshot of its first.
            let end = upTo ?? page["seen"]?.string ?? ""
            upTo = end
            let runs = page["runs"]?.elements ?? []
            if !runs.isEmpty { try await tell(runs) }
            guard page["count"]?.int == pageMax, let run = page["last_run"]?.int else {
                seen = end
                return
            }
            last = (page["last_transaction"]?.string ?? "", run)
        }
    }
}

/// A run and whose it is, as `runs`, `users` and `tenants` have it.
private let runColumns = """
    r.id as run, t.name as tenant, u.key as user, r.job_name as job, r.outcome, r.ended_at,
      round(extract(epoch from r.ended_at - r.started_at)::numeric, 3) as took_seconds,
      round(extract(epoch from r.started_at - r.scheduled_at)::numeric, 3) as waited_seconds,
      (r.counters).pages, r.request_count as requests, (r.counters).fetched, (r.counters).inserted,
      (r.counters).updated, (r.counters).deleted, (r.counters).swept, r.error_kind, r.error, r.entities
    """

/// A page of the runs that are visible in a snapshot (`$2`, or now) and were not in an earlier one (`$1`).
let runsSinceSQL = """
    with page as materialized (
      select r.*
      from jobrunner.runs as r
      where (r.transaction_id, r.id)
          > (coalesce($3::text::xid8, pg_snapshot_xmin($1::text::pg_snapshot)), coalesce($4::bigint, -1))
        and not pg_visible_in_snapshot(r.transaction_id, $1::text::pg_snapshot)
        and pg_visible_in_snapshot(r.transaction_id, coalesce($2::text::pg_snapshot, pg_current_snapshot()))
        and r.ended_at > $5::timestamptz
      order by r.transaction_id, r.id
      limit $6
    )
    select pg_current_snapshot()::text as seen, (select count(*) from page) as count,
      l.transaction_id::text as last_transaction, l.id as last_run, o.runs
    from (
      select json_agg(row_to_json(s)) as runs
      from (
        select \(runColumns)
        from page as r
        join jobrunner.users as u on u.id = r.user_id
        join jobrunner.tenants as t on t.id = r.tenant_id
        where ($7::text is null or t.name = $7) and ($8::text is null or u.key = $8)
          and ($9::text is null or r.job_name = $9) and ($10::text is null or r.outcome = $10)
        order by r.transaction_id, r.id
      ) as s
    ) as o
    left join (select p.transaction_id, p.id from page as p order by p.transaction_id desc, p.id desc limit 1) as l on true
    """

/// One run by its number; the history has an index of each day for it.
let runSQL = """
    select \(runColumns), r.scheduled_at, r.started_at, r.worker_id, w.host, r.counters
    from jobrunner.runs as r
    join jobrunner.users as u on u.id = r.user_id
    join jobrunner.tenants as t on t.id = r.tenant_id
    left join jobrunner.workers as w on w.id = r.worker_id
    where r.id = $1
    order by r.ended_at
    """

extension Queue {
    /// Ended runs, the latest first.
    public func runs(_ filter: RunFilter) async throws -> [JSONValue] {
        try await checkNames(tenant: filter.tenant, user: filter.user, job: filter.job)
        return try await ask(
            """
            select s.run, s.tenant, s.user_key as user, s.job, s.outcome, s.ended_at,
              round(extract(epoch from s.took)::numeric, 3) as took_seconds,
              round(extract(epoch from s.waited)::numeric, 3) as waited_seconds,
              s.pages, s.requests, s.fetched, s.inserted, s.updated,
              s.deleted, s.swept, s.error_kind, s.error, s.entities
            from jobrunner.user_story as s
            where ($1::text is null or s.tenant = $1) and ($2::text is null or s.user_key = $2)
              and ($3::text is null or s.job = $3) and ($4::text is null or s.outcome = $4)
              and ($5::interval is null or s.ended_at >= now() - $5)
            order by s.ended_at desc, s.run desc
            limit $6
            """,
            [
                .optional(filter.tenant, Bind.text), .optional(filter.user, Bind.text),
                .optional(filter.job, Bind.text), .optional(filter.outcome, Bind.text),
                .optional(filter.since) { .interval($0.wholeMilliseconds * 1000) },
                .int(filter.limit),
            ])
    }

    /// One ended run with its counters, of all entities together and of each; nil when the history has none of that number.
    public func run(_ number: Int) async throws -> JSONValue? {
        try await ask(runSQL, [.int(number)]).last
    }

    /// Reads the runs that end from now on; refuses names that mean nothing.
    public func runReader(_ filter: RunFilter) async throws -> RunReader {
        try await checkNames(tenant: filter.tenant, user: filter.user, job: filter.job)
        return try await RunReader(self)
    }
}
