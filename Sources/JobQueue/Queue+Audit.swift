public import JSON
import Postgres

/// Which rows of the audit to list.
public struct AuditFilter: Sendable, Equatable {
    /// Only what was done to this tenant.
    public var tenant: String?
    /// Only what was done to the tenant's user of this key.
    public var user: String?
    /// Only what this login did.
    public var login: String?
    /// Only calls of this verb.
    public var verb: String?
    /// Done within this span.
    public var since: Duration?
    /// At most so many.
    public var limit: Int

    /// Lists at most `limit` acts of anybody.
    public init(limit: Int) { self.limit = limit }
}

extension Queue {
    /// Who did what to whom, the latest first.
    public func audit(_ filter: AuditFilter) async throws -> [JSONValue] {
        try await checkNames(tenant: filter.tenant, user: filter.user, job: nil)
        return try await ask(
            """
            select a.at, a.login, a.role, a.verb, a.tenant, a.user_key as user, a.object, a.detail, a.id, a.tenant_id,
              a.user_id
            from jobrunner.audit_trail as a
            where ($1::text is null or a.tenant = $1) and ($2::text is null or a.user_key = $2)
              and ($3::text is null or a.login = $3) and ($4::text is null or a.verb = $4)
              and ($5::interval is null or a.at >= now() - $5)
            order by a.at desc, a.id desc
            limit $6
            """,
            [
                .optional(filter.tenant, Bind.text), .optional(filter.user, Bind.text),
                .optional(filter.login, Bind.text), .optional(filter.verb, Bind.text),
                .optional(filter.since) { .interval($0.wholeMilliseconds * 1000) },
                .int(filter.limit),
            ])
    }
}
