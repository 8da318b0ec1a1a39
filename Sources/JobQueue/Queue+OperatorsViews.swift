public import JSON
import Postgres

/// The operators' questions: each row is a JSON object with the columns that the query names; spans
/// are numbers of seconds, times ISO 8601 in UTC.
extension Queue {
    /// Tenants with their jobs and addresses, by name.
    public func tenants() async throws -> [JSONValue] {
        try await ask(
            """
            select t.name as tenant, t.weight, t.max_running, t.paused_at,
              array(
                select j.job_name from jobrunner.tenant_jobs as j where j.tenant_id = t.id
                order by j.job_name
              ) as jobs,
              (select count(*) from jobrunner.users as u
                where u.tenant_id = t.id and not u.stands_for_tenant) as user_count,
              array(
                select s.name || '=' || s.base from jobrunner.sources as s
                where s.tenant_id = t.id and s.base is not null
                order by s.name
              ) as sources,
              array(
                select s.name from jobrunner.secrets as s where s.tenant_id = t.id and s.user_id = 0
                order by s.name
              ) as secrets
            from jobrunner.tenants as t
            order by t.name
            """, [])
    }

    /// Users by tenant and key, at most `limit`.
    public func users(tenant: String?, limit: Int) async throws -> [JSONValue] {
        try await ask(
            """
            select t.name as tenant, u.key as user, u.paused_at, u.attributes || u.made as attributes,
              array(
                select s.name from jobrunner.secrets as s
                where s.tenant_id = t.id and s.user_id = u.id
                order by s.name
              ) as secrets,
              count(j.name) as job_count,
              count(j.name) filter (where j.consecutive_failures > 0) as failing_count,
              max(j.last_success_at) as last_success_at
            from jobrunner.users as u
            join jobrunner.tenants as t on t.id = u.tenant_id
            left join jobrunner.jobs as j on j.user_id = u.id
            where ($1::text is null or t.id = (jobrunner.tenant_named($1)).id) and not u.stands_for_tenant
            group by t.id, t.name, u.id
            order by t.name, u.key
            limit $2
            """, [.optional(tenant, Bind.text), .int(limit)])
    }

    /// How fresh and how well each tenant's jobs are.
    public func tenantStatus(tenant: String?, job: String?) async throws -> [JSONValue] {
        try await checkNames(tenant: tenant, user: nil, job: job)
        return try await ask(
            """
            select f.tenant, f.job, f.user_count, f.fresh_percent, o.due_count, o.running_count,
              f.failing_count, coalesce(p.trouble_count, 0) as trouble_count, o.quarantined_count, o.needs_reauth_count, o.paused_count,
              round(extract(epoch from f.staleness_p50)) as staleness_p50_seconds,
              round(extract(epoch from f.staleness_p99)) as staleness_p99_seconds,
              s.asked_percent, s.had_percent, s.waiting_since
            from jobrunner.tenant_freshness as f
            join (
              select j.tenant, j.job, count(*) filter (where j.state = 'due') as due_count,
                count(*) filter (where j.state = 'running') as running_count,
                count(*) filter (where j.state = 'quarantined') as quarantined_count,
                count(*) filter (where j.state = 'needs_reauth') as needs_reauth_count,
                count(*) filter (where j.state = 'paused') as paused_count
              from jobrunner.job_overview as j
              where ($1::text is null or j.tenant = $1) and ($2::text is null or j.job = $2)
              group by j.tenant, j.job
            ) as o on o.tenant = f.tenant and o.job = f.job
            left join (
              select t.tenant, t.job, count(distinct t.user_key) as trouble_count
              from jobrunner.jobs_in_trouble as t
              where ($1::text is null or t.tenant = $1) and ($2::text is null or t.job = $2)
              group by t.tenant, t.job
            ) as p on p.tenant = f.tenant and p.job = f.job
            left join jobrunner.tenant_shares as s on s.tenant = f.tenant
            where ($1::text is null or f.tenant = $1) and ($2::text is null or f.job = $2)
            order by f.tenant, f.job
            """, [.optional(tenant, Bind.text), .optional(job, Bind.text)])
    }

    /// What keeps users of all tenants or of one from being synced, as it was last counted; the worst first.
    public func causes(tenant: String?) async throws -> [JSONValue] {
        try await ask(
            causesSQL + "\nwhere $1::text is null or c.tenant = $1",
            [.optional(tenant, Bind.text)])
    }

    /// What does not run, by reason, as it was last counted: of all tenants and the worst, or of one of the worst.
    public func waitingReasons(tenant: String?) async throws -> [JSONValue] {
        try await ask(
            """
            select w.reason, w.tenant, w.jobs, w.may_be_more,
              round(extract(epoch from w.waiting_for)) as waiting_seconds,
              round(extract(epoch from w.counted_ago)) as counted_seconds
            from jobrunner.waiting_reasons as w
            where $1::text is null or w.tenant = $1
            """, [.optional(tenant, Bind.text)])
    }

    /// One user's jobs.
    public func userStatus(
        tenant: String, user: String, job: String?
    ) async throws -> [JSONValue] {
        try await checkNames(tenant: tenant, user: user, job: job)
        return try await ask(
            """
            select j.job, j.state, j.due_at, j.last_outcome, j.last_run_at, j.last_success_at,
              j.consecutive_failures, j.error_kind, j.error, nullif(j.run, 0) as run,
              jobrunner.explain_job($1, $2, j.job) as why
            from jobrunner.job_overview as j
            where j.tenant = $1 and j.user_key = $2 and ($3::text is null or j.job = $3)
            order by j.job
            """, [.text(tenant), .text(user), .optional(job, Bind.text)])
    }

    /// How far one user's entities are.
    public func userEntities(
        tenant: String, user: String, job: String?
    ) async throws -> [JSONValue] {
        try await ask(
            """
            select p.job, p.entity, p.pass_kind, p.page_number, p.watermark, p.last_synced_at,
              p.fetched, p.inserted, p.updated, p.unchanged,
              p.skipped_incompatible, p.deleted, p.swept, p.consecutive_failures, p.error_kind, p.error,
              (
                select string_agg(format('%s %s (%s)', e.key, e.value ->> 'count', e.value ->> 'example'), ', ' order by e.key)
                from jsonb_each(p.unread) as e
              ) as unread,
              (select string_agg(format('%s: %s', e.key, e.value ->> 'error'), '; ' order by e.key) from jsonb_each(p.troubles) as e)
                as troubles,
              p.skip_reason
            from jobrunner.entity_progress as p
            where p.tenant = $1 and p.user_key = $2 and ($3::text is null or p.job = $3)
            order by p.job, p.entity
            """, [.text(tenant), .text(user), .optional(job, Bind.text)])
    }

    /// Refuses names that mean nothing, which would otherwise look like nothing to list.
    func checkNames(tenant: String?, user: String?, job: String?) async throws {
        if let tenant, let user {
            try await call(
                Statement(
                    "select (jobrunner.user_named($1, $2)).id", .text(tenant), .text(user))
            ) { _ in }
        } else if let tenant {
            try await call(
                Statement("select (jobrunner.tenant_named($1)).id", .text(tenant))
            ) { _ in }
        }
        guard let job else { return }
        let stored = try await call(
            Statement("select f.name from jobrunner.job_files as f order by f.name")
        ) { try $0.map { try $0.text(0) } }
        guard stored.contains(job) else {
            let hint =
                stored.isEmpty
                ? "None is stored: run jobrunner migrate."
                : "Stored are \(stored.joined(separator: ", "))."
            throw QueueError.refused(message: "no job file is named '\(job)'", hint: hint)
        }
    }

    /// Rows of a query as JSON objects.
    func ask(_ sql: String, _ binds: [Bind]) async throws -> [JSONValue] {
        let statement = Statement("select row_to_json(q) from (\(sql)) as q", binds: binds)
        return try await call(statement) { rows in
            try rows.map { try parse($0.json(0)).value ?? .null }
        }
    }
}
