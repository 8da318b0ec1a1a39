extension Given {
    private static func jobs(_ whose: Whose, _ change: String) -> Given {
        update("jobs", change, whose.condition)
    }

    /// Jobs have been due for so long, and `each` longer than those of the user before.
    public static func due(
        _ whose: Whose = .all, for span: String = "0 s", each: String = "0 s"
    ) -> Given {
        jobs(whose, "due_at = \(ago(span)) - user_id * interval '\(each)'")
    }
    /// Jobs are due now, unless they are already.
    public static func dueNow(_ whose: Whose = .all) -> Given {
        jobs(whose, "due_at = least(due_at, now())")
    }
    /// Jobs are due only after so long, and nobody has asked for a run.
    public static func notDue(_ whose: Whose = .all, for span: String = "1 hour") -> Given {
        jobs(whose, "due_at = \(ahead(span)), priority = 0")
    }
    /// Somebody has asked for a run.
    public static func asked(_ whose: Whose = .all) -> Given { jobs(whose, "priority = 1") }
    /// So much of what jobs wait for has passed.
    public static func waited(_ span: String, _ whose: Whose = .all) -> Given {
        jobs(
            whose,
            "due_at = due_at - interval '\(span)', deferred_until = deferred_until - interval '\(span)'"
        )
    }
    /// One of a job's other times is so far ahead.
    public static func time(_ time: JobTime, in span: String, _ whose: Whose = .all) -> Given {
        jobs(whose, "\(time.rawValue) = \(ahead(span))")
    }
    /// The last complete run ended so long ago.
    public static func succeeded(_ whose: Whose = .all, ago span: String = "0 s") -> Given {
        jobs(whose, "last_success_at = \(ago(span))")
    }
    /// The last complete run ended then, an expression of SQL.
    public static func succeeded(at time: String) -> Given {
        jobs(.all, "last_success_at = \(time)")
    }
    /// The runs at work began so long ago, are to yield then, and the next is due then.
    public static func running(
        since span: String, yielding deadline: String = "1 min", next: String = "1 hour"
    ) -> Given {
        jobs(
            .running,
            """
            due_at = \(ago(span)), started_at = \(ago(span)), deadline_at = \(ahead(deadline)),
              next_due_at = \(ahead(next))
            """)
    }

    /// Jobs have been put off for so long, so many times in a row.
    public static func deferred(
        _ whose: Whose = .all, for span: String = "1 hour", times: Int = 1,
        as kind: String = "rate_limited"
    ) -> Given {
        jobs(
            whose,
            """
            due_at = \(ahead(span)), deferred_until = \(ahead(span)), deferrals = \(times),
              last_error_kind = '\(kind)'
            """)
    }
    /// Nothing puts jobs off any more.
    public static func undeferred(_ whose: Whose = .all) -> Given {
        jobs(whose, "deferred_until = null")
    }
    /// So many runs in a row have failed.
    public static func failing(
        _ whose: Whose = .all, times: Int = 1, as kind: String = "rejected", error: String = "no",
        ago span: String = "0 s"
    ) -> Given {
        jobs(
            whose,
            """
            consecutive_failures = \(times), last_outcome = 'failed', last_error_kind = '\(kind)',
              last_error = '\(error)', last_error_at = now() - interval '\(span)'
            """)
    }
    /// The last run ended well.
    public static func well(_ whose: Whose = .all) -> Given {
        jobs(whose, "consecutive_failures = 0, last_error_kind = null, last_error = null")
    }
    /// So many runs in a row have read nothing new.
    public static func stalled(_ whose: Whose = .all, times: Int = 2) -> Given {
        jobs(whose, "stalled_runs = \(times)")
    }
    /// So many workers have died with the job; it may be the job that kills them.
    public static func crashed(_ whose: Whose = .all, times: Int = 2) -> Given {
        jobs(whose, "crashes = \(times)")
    }
    /// There was nothing to ask.
    public static func skipped(_ whose: Whose) -> Given {
        jobs(whose, "last_success_at = null, last_outcome = 'skipped'")
    }
    /// Nothing is known of earlier runs.
    public static func unrun(_ whose: Whose = .all) -> Given {
        jobs(whose, "last_run_at = null, last_outcome = null, last_error_kind = null")
    }

    /// Jobs are set aside, for so long when that is said.
    public static func parked(
        _ whose: Whose = .all, for span: String? = nil, because reason: String = "a test"
    ) -> Given {
        let due = span.map { ", due_at = \(ahead($0))" } ?? ""
        return jobs(whose, "quarantined_at = now(), quarantine_reason = '\(reason)'\(due)")
    }
    /// A source wants another secret.
    public static func needingSecret(_ whose: Whose = .all) -> Given {
        jobs(whose, "reauth_needed_at = now()")
    }
    /// What only a person can help with is gone.
    public static func helped(_ whose: Whose = .all) -> Given {
        jobs(whose, "quarantined_at = null, quarantine_reason = null, reauth_needed_at = null")
    }
    /// A person has paused these jobs, without a word to anybody.
    public static func paused(_ whose: Whose = .all) -> Given { jobs(whose, "paused_at = now()") }

    /// Jobs have a period, and a phase of its grid; without one a period begins with the end of a run.
    public static func period(_ every: String, phase: String?, _ whose: Whose = .all) -> Given {
        jobs(whose, "every = '\(every)', phase = \(literal(phase))")
    }
    /// Jobs that are spread last ticked at that second since 1970; without one, half a period ago.
    public static func ticked(at second: Double? = nil) -> Given {
        let moment = second.map { "\($0)" } ?? "extract(epoch from now() + every / 2)"
        let phase =
            "make_interval(secs => mod(\(moment)::numeric, extract(epoch from every))::float8)"
        return update("jobs", "phase = \(phase)", "\(Whose.spread.condition) and phase <> \(phase)")
    }
    /// An event that hastened jobs is forgotten.
    public static func untriggered(_ whose: Whose = .all) -> Given {
        jobs(whose, "due_at = coalesce(untriggered_due_at, due_at), untriggered_due_at = null")
    }
    /// What a claim says no longer holds, in one part.
    public static func lost(_ part: ClaimPart, _ whose: Whose = .all) -> Given {
        switch part {
        case .fence: jobs(whose, "fence = fence + 1")
        case .nonce: jobs(whose, "nonce = gen_random_uuid()")
        case .worker:
            jobs(
                whose, "worker_id = null, started_at = null, deadline_at = null, next_due_at = null"
            )
        }
    }

    /// The users have lost these jobs.
    public static func noJob(_ whose: Whose = .all) -> Given {
        Given("delete from jobrunner.jobs where \(whose.condition)")
    }
    /// A tenant has users `user<n>` with an hourly job each, the later the less due, from a minute on.
    ///
    /// No verb is called for it, which would take long for thousands.
    public static func users(
        _ numbers: ClosedRange<Int>, of tenant: String, job: String
    ) -> Given {
        Given(
            """
            with added as (
              insert into jobrunner.users (tenant_id, key)
              select t.id, 'user' || n
              from jobrunner.tenants as t, generate_series(\(numbers.lowerBound), \(numbers.upperBound)) as n
              where t.name = '\(tenant)' returning id, tenant_id
            )
            insert into jobrunner.jobs (user_id, name, tenant_id, every, phase, deadline, due_at)
            select id, '\(job)', tenant_id, '1 hour', jobrunner.phase_of(id, '\(job)', '1 hour', true),
              '5 min', now() - interval '1 min' - id * interval '1 ms'
            from added
            """)
    }
}

/// What a job remembers a time of, beside when it is due.
public enum JobTime: String, Sendable {
    case next = "next_due_at"
    case yield = "deadline_at"
    case slowing = "slows_at"
    case event = "triggered_at"
    case run = "last_run_at"
    case unchanged = "unchanged_at"
    case cancelRequested = "cancel_requested_at"
}

/// What of a job a claim answers for.
public enum ClaimPart: String, CaseIterable, Sendable {
    case fence = "another fence"
    case nonce = "another nonce"
    case worker = "no worker"
}
