import Postgres

/// What a command must know of a stored job file before it names a job.
public struct StoredJob: Sendable, Equatable {
    /// One job of the whole tenant, not one for each user.
    public var isTenants: Bool
    /// Its file says how old rows may be (`freshness`).
    public var hasFreshness: Bool
}

extension Queue {
    /// What is stored of a job file; nil means none of that name.
    public func storedJob(_ name: String) async throws -> StoredJob? {
        let statement = Statement(
            """
            select f.scope = 'tenant' as is_tenants, f.soft is not null as has_freshness
            from jobrunner.job_files as f
            where f.name = $1
            """, .text(name))
        return try await call(statement) { rows in
            try rows.first.map { row in
                StoredJob(
                    isTenants: try row.bool("is_tenants"),
                    hasFreshness: try row.bool("has_freshness"))
            }
        }
    }

    /// The events that a tenant's jobs know, those that only call off included, in order.
    ///
    /// Of each user's jobs, or those of the tenant itself.
    public func events(ofTenant tenant: String, itsOwn: Bool) async throws -> [String] {
        let statement = Statement(
            """
            select coalesce(array_agg(distinct e.name order by e.name), '{}')
            from jobrunner.tenant_named($1) as named
            join jobrunner.tenant_jobs as t on t.tenant_id = named.id
            join jobrunner.job_files as f on f.name = t.job_name
            cross join lateral jsonb_array_elements(f.triggers) as g
            cross join lateral (values (g ->> 'event'), (g ->> 'cancel_on')) as e (name)
            where e.name is not null
              and (f.scope = 'tenant') = $2
            """, .text(tenant), .bool(itsOwn))
        return try await call(statement) { try $0.only().textArray(0).compactMap { $0 } }
    }
}

extension Queue {
    /// The database's clock, in microseconds since 1970.
    public func now() async throws -> Int64 {
        try await call(Statement("select clock_timestamp() as now")) {
            try $0.only().timestamp("now")
        }
    }
}
