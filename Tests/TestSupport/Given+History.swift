extension Given {
    /// Jobs have these runs behind them, which ended so long ago and counted so much.
    public static func runs(
        _ numbers: ClosedRange<Int>, _ outcome: String = "complete", ago span: String = "0 s",
        counted: String = "", error: String? = nil, entities: String = "{}", whose: Whose = .all
    ) -> Given {
        Given(
            """
            insert into jobrunner.runs
              (user_id, id, outcome, tenant_id, job_name, scheduled_at, started_at, ended_at, error_kind, counters,
                entities)
            select user_id, number, '\(outcome)', tenant_id, name, now(), now(), \(ago(span)),
              \(literal(error)), jobrunner.make_counters(\(counted)),
              '\(entities)'
            from jobrunner.jobs, generate_series(\(numbers.lowerBound), \(numbers.upperBound)) as number
            where \(whose.condition)
            """)
    }
    /// All runs ended that much earlier than they did, and so far were they counted.
    public static func runsEarlier(_ span: String) -> Given {
        Given(
            """
            update jobrunner.runs set ended_at = ended_at - interval '\(span)';
            update jobrunner.chores set reached_at = reached_at - interval '\(span)'
            """)
    }
    /// All runs ended so long ago.
    public static func runsEnded(ago span: String) -> Given {
        update("runs", "ended_at = \(ago(span))")
    }
    /// Each user's runs ended so much earlier than those of the user before.
    public static func runsApart(_ span: String) -> Given {
        update("runs", "ended_at = ended_at - (user_id % 10000) * interval '\(span)'")
    }
    /// No run has ever been.
    public static func noRuns() -> Given {
        Given("delete from jobrunner.runs; delete from jobrunner.swept_counts")
    }
    /// So many rows were swept in each hour of a week that is a multiple of `step` ago, and so many in this one.
    public static func swept(_ rows: Int, hours step: Int, now last: Int) -> Given {
        Given(
            """
            delete from jobrunner.swept_counts;
            insert into jobrunner.swept_counts
            select 'hub.refresh', date_trunc('hour', now(), 'UTC') - n * interval '1 hour',
              case n when 0 then \(last) else \(rows) end
            from generate_series(0, 168, \(step)) as n
            """)
    }
    /// What was counted in the same quarter of an hour of each of these days before this one.
    public static func counted(_ measure: String, _ subject: String, daysAgo: ClosedRange<Int>)
        -> Given
    {
        Given(
            """
            insert into jobrunner.history_counts (at, measure, subject, value)
            select date_bin('15 minutes', now(), '2000-01-01 00:00:00+00') - n * interval '1 day', '\(measure)', '\(subject)', 1
            from generate_series(\(daysAgo.lowerBound), \(daysAgo.upperBound)) as n
            """)
    }
    /// No event has been told.
    public static func noEvents() -> Given { Given("delete from jobrunner.events") }
    /// All that was noted for `changes_since` happened that much earlier than it did.
    public static func changesEarlier(_ span: String) -> Given {
        update("changes", "at = at - interval '\(span)'")
    }
    /// A call before or after entities succeeded so long ago.
    public static func called(_ call: String, ago span: String) -> Given {
        update("call_memory", "last_succeeded_at = \(ago(span))", named(call, "call"))
    }
    /// A call has just succeeded, and remembers the list it sent.
    public static func called(_ call: String, list: String) -> Given {
        Given(
            """
            insert into jobrunner.call_memory (user_id, job_name, call, last_succeeded_at, list_hash)
            select user_id, name, '\(call)', now(), '\(list)' from jobrunner.jobs
            """)
    }
}
