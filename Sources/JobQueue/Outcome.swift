/// How a run ended.
public enum Outcome: String, Sendable, CaseIterable {
    case complete, partial, deferred, skipped
    case needsReauth = "needs_reauth"
    case failed
}

/// Kind of a failure or interruption; the kind fixes what happens next (docs/ARCHITECTURE.md).
public enum ErrorKind: String, Sendable, CaseIterable {
    case unavailable
    case timedOut = "timed_out"
    case database
    case rateLimited = "rate_limited"
    case unauthorised
    /// The source refuses what the operator has stored or configured; no user can mend it.
    case clientRefused = "client_refused"
    case rejected
    case malformed
    case cursorLoop = "cursor_loop"
    /// The source refused the stored position; when it does so again, the pass begins anew.
    case cursorRefused = "cursor_refused"
    /// The source's own count says that its list goes on, and nothing comes.
    case truncated
    /// Not one record of a pass could be read.
    case incompatible
    /// A status below 300 that is not the one that was expected.
    case unexpectedStatus = "unexpected_status"
    /// The source says inside an answer of a good status that it failed.
    case sourceError = "source_error"
    // The source's word for patience: deferred, not failed.
    /// The list is still being made.
    case notReady = "not_ready"
    // Interruptions: partial, not failed.
    case deadline
    case shutdown
    case cancelled
    case pageCap = "page_cap"
    case reset
    /// Tenants of whom nothing ran had waited for a slot for a second.
    case yielded
    // Read to the end, with edits that wait: partial, not failed.
    /// The source refuses edits one by one.
    case editsRefused = "edits_refused"
    /// The source has no room for edits until its user makes some.
    case quotaExceeded = "quota_exceeded"
    /// The zone was read before and is gone: its user deleted the app's data there.
    case zoneGone = "zone_gone"
    // The source's breaker is open.
    case breakerOpen = "breaker_open"
    // This worker holds as many bytes of pages as it may.
    case crowded
    // Another run renews the credential, or uses one that serves one run at a time.
    case credentialInUse = "credential_in_use"
    // This worker has no key, or not the one, that the job's secrets are sealed with.
    case noKey = "no_key"
    // Something the run needs is missing.
    case missing
}
