import Postgres

/// Jobs that become due by their own period, whoever is late.
///
/// A run that found nothing leaves no row, so lateness is read from the jobs: the last outcome's
/// time less the tick it answers to, which is a period before the next. The run itself is in it.
extension Installation {
    /// Lets each job of some tenants be due at its own tick for the first time.
    func startAtTicks(prefix: String = "t") async throws {
        try await cluster.script(
            """
            update jobrunner.jobs as j
            set due_at = jobrunner.next_tick(now() + interval '2 seconds', j.every, j.phase)
            from jobrunner.tenants as t
            where t.id = j.tenant_id and t.name ~ '^\(prefix)[0-9]+$';
            """)
        try await cluster.settle("jobrunner.jobs")
    }

    /// Seconds late of each tick of a time that has been answered; a tick that should have been and
    /// was not counts with what it has waited.
    ///
    /// Times are the server's clock; the time must not be longer than the period, nor lie further
    /// back than one.
    func lateness(
        from start: Double, to end: Double, prefix: String = "t"
    ) async throws -> [Double] {
        let rows = try await cluster.query(
            """
            with ticks as (
              select j.last_run_at,
                jobrunner.next_tick(to_timestamp($2) - j.every, j.every, j.phase) as tick
              from jobrunner.jobs as j
              join jobrunner.tenants as t on t.id = j.tenant_id
              where t.name ~ ('^' || $3 || '[0-9]+$')
            )
            select extract(epoch from case when k.last_run_at >= k.tick then k.last_run_at
              else greatest(k.tick, clock_timestamp()) end - k.tick)::float8
            from ticks as k
            where k.tick >= to_timestamp($1) and k.tick < to_timestamp($2)
            order by k.tick
            """, .double(start), .double(end), .text(prefix))
        return try rows.map { try $0.double(0) }
    }
}
