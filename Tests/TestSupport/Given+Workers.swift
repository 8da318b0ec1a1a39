extension Given {
    /// Workers that have not ended have told nothing for so long; `condition` is about their `id`.
    public static func silent(for span: String = "1 day", where condition: String = "true") -> Given
    {
        beat(at: ago(span), where: condition)
    }
    /// Workers that have not ended last told something at a time, an expression of SQL.
    public static func beat(at time: String, where condition: String) -> Given {
        update("workers", "heartbeat_at = \(time)", "ended_at is null and \(condition)")
    }
    /// A worker's beats failed to come in that time, both so long ago.
    public static func gap(of worker: Int, from: String, until: String) -> Given {
        update(
            "workers", "missed_from = \(ago(from)), missed_until = \(ago(until))", "id = \(worker)")
    }
    /// Every worker lives and has just told so.
    public static func alive() -> Given {
        update(
            "workers",
            "heartbeat_at = now(), ended_at = null, end_reason = null, cleared_at = null")
    }
    /// Every worker that was there ended so long ago; a cleared one has no jobs to be taken back.
    public static func ended(
        _ reason: String = "silent", ago span: String = "0 s", cleared: Bool = false
    ) -> Given {
        let cleared = cleared ? "now()" : "null"
        return update(
            "workers", "ended_at = \(ago(span)), end_reason = '\(reason)', cleared_at = \(cleared)",
            "ended_at is null")
    }
    /// The workers have these job files.
    public static func serving(_ names: String...) -> Given {
        update("workers", "job_names = '{\(names.joined(separator: ","))}'")
    }
    /// A worker is draining; `id` is an expression of SQL.
    public static func draining(_ id: String) -> Given {
        update("workers", "draining_at = now()", "id = \(id)")
    }
    /// The sessions of all workers are gone, and nobody has noticed.
    public static func sessionsLost() -> Given { update("workers", "session_pid = 0") }
    /// The sessions of all workers began before the server did.
    public static func sessionsBefore() -> Given {
        update("workers", "session_started_at = pg_postmaster_start_time() - interval '1 s'")
    }
    /// The sessions of all workers have just gone away.
    public static func sessionsGone() -> Given { update("workers", "session_gone_at = now()") }
    /// The sessions that went away did so that much earlier.
    public static func sessionsGoneEarlier(_ span: String) -> Given {
        update("workers", "session_gone_at = session_gone_at - interval '\(span)'")
    }
    /// Nobody has ever been a worker.
    public static func noWorkers() -> Given { Given("delete from jobrunner.workers") }

    /// A chore, or each, was last done so long ago.
    public static func done(_ chore: String? = nil, ago span: String = "0 s") -> Given {
        update("chores", "done_at = \(ago(span))", named(chore))
    }
    /// A chore has never been done, so that it is done when it is next asked for.
    public static func neverDone(_ chore: String) -> Given {
        update("chores", "done_at = null", named(chore))
    }
    /// A chore counts the history anew.
    public static func reachedNothing(_ chore: String) -> Given {
        update("chores", "reached_at = null", named(chore))
    }
    /// The latest time that a chore, or each, has told is that far ahead.
    public static func told(_ chore: String? = nil, ahead span: String) -> Given {
        update("chores", "latest_at = \(ahead(span))", named(chore))
    }
    /// Workers are told, as of a second since 1970, that something is due.
    public static func announced(_ second: Int) -> Given {
        Given("insert into jobrunner.announcements (since) values (to_timestamp(\(second)))")
    }
    /// The schema was made so long ago.
    public static func migrated(ago span: String) -> Given {
        update("migrations", "applied_at = \(ago(span))")
    }
    /// What tenants use of the workers' slots was told so long ago.
    public static func sharesNoted(ago span: String) -> Given {
        update("slot_use", "noted_at = \(ago(span))")
    }
    /// Who began to count a table's changes did so that much earlier.
    public static func raisedEarlier(_ span: String) -> Given {
        update("raised_counts", "noted_at = noted_at - interval '\(span)'")
    }
}
