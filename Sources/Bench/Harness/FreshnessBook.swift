import Postgres

/// Which ticks were answered in time, noted by the server itself at the end of each run.
///
/// A run that found nothing leaves no row, and the next one takes its place in the job's. So a trigger on the table of
/// jobs notes each end as it is written, when it sees how the row was while the job ran. A tick is answered by the first
/// run that began at or after it and was complete; it is fresh when that run ended within 1.2 periods of it.
struct FreshnessBook: Sendable {
    /// What is allowed, in periods.
    static let allowed = 1.2

    let cluster: Cluster

    /// Makes the table and the trigger.
    static func open(in cluster: Cluster) async throws -> FreshnessBook {
        try await cluster.script(
            """
            create schema instrument;
            create table instrument.ends (
              at timestamptz not null, runs bigint not null, ticks bigint not null, fresh bigint not null,
              worst float8 not null
            );
            create function instrument.note_ends() returns trigger
            language plpgsql security definer
            as $$
            begin
              insert into instrument.ends
              select clock_timestamp(), count(*), sum(c.ticks), sum(greatest(c.ticks - greatest(c.stale, 0), 0)),
                max(c.periods)
              from (
                select floor(extract(epoch from b.started_at - t.first) / p.seconds)::bigint + 1 as ticks,
                  ceil(extract(epoch from clock_timestamp() - t.first) / p.seconds - \(allowed))::bigint as stale,
                  (extract(epoch from clock_timestamp() - t.first) / p.seconds)::float8 as periods
                from before as b
                join after as a on a.user_id = b.user_id and a.name = b.name
                cross join lateral jobrunner.next_tick(b.last_success_at, b.every, b.phase) as t (first)
                cross join lateral (select extract(epoch from b.every)) as p (seconds)
                where b.worker_id is not null and a.worker_id is null and a.last_outcome = 'complete'
                  and t.first <= b.started_at
              ) as c
              having count(*) > 0;
              return null;
            end
            $$;
            create trigger note_ends after update on jobrunner.jobs
            referencing old table as before new table as after
            for each statement execute function instrument.note_ends();
            """)
        return FreshnessBook(cluster: cluster)
    }

    /// What became of the ticks of a time.
    struct Account: Sendable {
        let runs: Double
        let ticks: Double
        let fresh: Double
        /// The longest from a tick to the end of the run that answers it, in periods.
        let worst: Double

        /// Of all ticks, in percent.
        var share: Double { ticks > 0 ? fresh / ticks * 100 : 0 }
    }

    /// Forgets what was noted up to now.
    func begin() async throws { try await cluster.script("truncate instrument.ends") }

    /// Sums up what was noted; ticks that nobody has answered and that are too old by now are stale.
    func account() async throws -> Account {
        let row = try await cluster.query(
            """
            with unanswered as (
              select coalesce(sum(floor(o.periods) + 1), 0)::float8 as ticks
              from jobrunner.jobs as j
              cross join lateral (
                select (extract(epoch from now() - jobrunner.next_tick(j.last_success_at, j.every, j.phase))
                  / extract(epoch from j.every) - \(Self.allowed))::float8 as periods
              ) as o
              where o.periods >= 0
            )
            select coalesce(sum(e.runs), 0)::float8 as runs, (coalesce(sum(e.ticks), 0) + u.ticks)::float8 as ticks,
              coalesce(sum(e.fresh), 0)::float8 as fresh, coalesce(max(e.worst), 0) as worst
            from unanswered as u
            left join instrument.ends as e on true
            group by u.ticks
            """
        ).only()
        return Account(
            runs: try row.double("runs"), ticks: try row.double("ticks"),
            fresh: try row.double("fresh"), worst: try row.double("worst"))
    }
}
