import Postgres

/// Says for whom a migration waits: a second session looks, since the first one is the one that waits.
struct MigrationWatch: Sendable {
    /// A wait that is over sooner is not told.
    private static let patience = Duration.seconds(2)
    /// A wait that lasts is told again.
    private static let repeated = Duration.seconds(30)

    private let database: Database
    private let log: @Sendable (String) -> Void

    init(_ database: Database, log: @escaping @Sendable (String) -> Void) {
        self.database = database
        self.log = log
    }

    /// Looks each second until the task is cancelled; what it can't see it leaves.
    func run() async {
        var last: (words: String, since: ContinuousClock.Instant, told: ContinuousClock.Instant?)?
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1), clock: .continuous)
            let words = try? await database.run { session in
                try session.query(Statement(waits)).first?.text(0)
            }
            guard let words = words ?? nil else {
                last = nil
                continue
            }
            let now = ContinuousClock.now
            if last?.words != words { last = (words, now, nil) }
            guard let wait = last, now - wait.since >= Self.patience - .seconds(1) else { continue }
            if let told = wait.told, now - told < Self.repeated { continue }
            log(words)
            last?.told = now
        }
    }
}

/// One sentence, without times, so that the same wait is the same sentence; no row while nobody waits.
///
/// Whoever has the turn of `migrate` is at work, be it this program or another, and is asked for whom it waits.
private let waits = """
    select case
        when b.pid is not null then format('waits for session %s (%s, role %s), which is %s; it can be ended: select pg_terminate_backend(%s)',
          b.pid, coalesce(nullif(b.application_name, ''), 'unnamed'), coalesce(b.usename, 'unknown'), coalesce(b.state, 'at work'), b.pid)
        else format('another migrate is at work: session %s (%s) from %s', h.pid,
          coalesce(nullif(a.application_name, ''), 'unnamed'), coalesce(a.client_addr::text, 'this machine'))
      end
    from jobrunner.migrating as h
    join pg_stat_activity as a on a.pid = h.pid and coalesce(a.backend_start = h.session_started_at, true)
    left join lateral unnest(pg_blocking_pids(h.pid)) as w (pid) on true
    left join pg_stat_activity as b on b.pid = w.pid
    where b.pid is not null or exists (
      select from pg_stat_activity as o
      where o.application_name = a.application_name and o.pid <> h.pid and o.query like '%jobrunner.migrating%'
        and o.datname = a.datname and o.pid <> pg_backend_pid()
    )
    order by b.pid nulls last
    limit 1
    """
