import Postgres

/// What a reader of a job's rows may do.
public struct FreshAnswer: Sendable, Equatable {
    /// `fresh`, `refreshing`, `wait`, or why no refresh begins: `paused`, `quarantined`,
    /// `needs_reauth`, `deferred`.
    public var answer: String
    /// Since the entity that was read longest ago was; nil means never, or there are no rows.
    public var ageSeconds: Double?
    /// The stored rows may be shown meanwhile: younger than the job file's `hard`.
    public var isUsable: Bool
    /// What a reader that waits hands to `awaited`; its word is `due` when a run follows.
    public var job: EnqueuedJob
}

extension Queue {
    /// Whether a reader may use a job's rows, and a refresh where they are old; one, however many
    /// ask.
    ///
    /// User nil means the tenant's own job. Forced: a refresh at any age, but never two at once.
    public func wantFresh(
        tenant: String, user: String?, job: String, isForced: Bool = false
    ) async throws -> FreshAnswer {
        let statement = Statement(
            """
            select f.answer, extract(epoch from f.age)::double precision as age_seconds, f.usable,
              f.user_id, f.after_run, f.asked_at
            from jobrunner.want_fresh($1, $2, $3, $4) as f
            """, .text(tenant), .optional(user, Bind.text), .text(job), .bool(isForced))
        return try await call(statement) { rows in
            let row = try rows.only()
            let answer = try row.text("answer")
            let isComing = answer == "wait" || answer == "refreshing"
            return FreshAnswer(
                answer: answer, ageSeconds: try row.optionalDouble("age_seconds"),
                isUsable: try row.bool("usable"),
                job: EnqueuedJob(
                    userID: Int64(try row.int("user_id")), user: user ?? "*",
                    word: isComing ? "due" : answer, fence: Int64(try row.int("after_run")),
                    askedAt: try row.timestamp("asked_at")))
        }
    }
}
