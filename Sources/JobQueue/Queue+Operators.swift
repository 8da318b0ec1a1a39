import Postgres

/// The jobs an operator means: of a tenant, of one of its users, of one name, or both.
public struct JobScope: Sendable, Equatable {
    /// Name of the tenant.
    public var tenant: String
    /// Nil means every user.
    public var user: String?
    /// Nil means every job.
    public var job: String?

    /// Names jobs.
    public init(tenant: String, user: String? = nil, job: String? = nil) {
        self.tenant = tenant
        self.user = user
        self.job = job
    }

    var binds: [Bind] {
        [.text(tenant), .optional(user, Bind.text), .optional(job, Bind.text)]
    }
}

extension Queue {
    /// Asks running jobs to stop; returns how many run.
    public func cancelJobs(_ scope: JobScope) async throws -> Int {
        try await count("select jobrunner.cancel_jobs($1, $2, $3)", scope)
    }

    /// Makes jobs in trouble due now and lifts quarantine; returns how many.
    public func retryJobs(_ scope: JobScope) async throws -> Int {
        try await count("select jobrunner.retry_jobs($1, $2, $3)", scope)
    }

    /// Closes the breaker of a tenant's source; returns how many jobs that were put off by it are due now.
    public func closeBreaker(of source: String, tenant: String) async throws -> Int {
        let statement = Statement(
            "select jobrunner.close_breaker($1, $2)", .text(tenant), .text(source))
        return try await call(statement) { try $0.only().int(0) }
    }

    /// Pauses a tenant, a user, or jobs; returns how many jobs that holds back.
    public func pauseJobs(_ scope: JobScope) async throws -> Int {
        try await count("select jobrunner.pause_jobs($1, $2, $3)", scope)
    }

    /// Ends a pause made with the same scope; returns how many jobs go on.
    public func resumeJobs(_ scope: JobScope) async throws -> Int {
        try await count("select jobrunner.resume_jobs($1, $2, $3)", scope)
    }

    /// Gives a job of a user, or of all of a tenant's users, a period; nil takes it back.
    ///
    /// Returns how many jobs go by another schedule now.
    public func setPeriod(_ scope: JobScope, every: Duration?) async throws -> Int {
        let every = Bind.optional(every) {
            Bind.interval(Int64($0 / .microseconds(1)))
        }
        let statement = Statement(
            "select jobrunner.set_period($1, $2, $3, $4)", binds: scope.binds + [every])
        return try await call(statement) { try $0.only().int(0) }
    }

    /// Forgets how far jobs have come; returns the cleared checkpoints as entities with how many
    /// users each.
    public func resetJobs(
        _ scope: JobScope, entity: String?
    ) async throws -> [(entity: String, users: Int)] {
        let entityBind = Bind.optional(entity, Bind.text)
        return try await transaction { session in
            let cleared = try session.query(
                Statement(
                    """
                    select k.entity, count(*) as user_count
                    from jobrunner.checkpoints as k
                    join jobrunner.jobs_named($1, $2, $3) as j
                      on j.user_id = k.user_id and j.name = k.job_name
                    where $4::text is null or split_part(k.entity, '#', 1) = $4
                    group by k.entity
                    order by k.entity
                    """, binds: scope.binds + [entityBind])
            ).map { (entity: try $0.text("entity"), users: try $0.int("user_count")) }
            _ = try session.query(
                Statement(
                    "select jobrunner.reset_jobs($1, $2, $3, $4)", binds: scope.binds + [entityBind]
                ))
            return cleared
        }
    }

    /// Names of a stored job file's entities in file order; empty when no such file is stored.
    public func entities(ofJob name: String) async throws -> [String] {
        let statement = Statement(
            """
            select coalesce(array_agg(e.value ->> 'entity' order by e.ordinality), '{}')
            from jobrunner.job_files as f
            cross join lateral jsonb_array_elements(f.expanded -> 'entities')
              with ordinality as e (value, ordinality)
            where f.name = $1
            """, .text(name))
        return try await call(statement) { try $0.only().textArray(0).compactMap { $0 } }
    }

    /// Why a user's job is or isn't running, in a sentence.
    public func explainJob(_ name: String, tenant: String, user: String) async throws -> String {
        let statement = Statement(
            "select jobrunner.explain_job($1, $2, $3)", .text(tenant), .text(user), .text(name))
        return try await call(statement) { try $0.only().text(0) }
    }

    private func count(_ sql: String, _ scope: JobScope) async throws -> Int {
        try await call(Statement(sql, binds: scope.binds)) { try $0.only().int(0) }
    }
}
