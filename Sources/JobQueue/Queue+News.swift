import Postgres

/// What every worker must learn, and a notification may miss.
public struct Announcement: Sendable, Equatable {
    /// Jobs are due from then on that were not before, microseconds since 1970; nil means none.
    public var since: Int64?
    /// Whose jobs are due, or whose weight or limit has changed; nil means any tenant's jobs.
    public var tenant: Int64?
    /// The tenant's weight now; nil means as known.
    public var weight: Int?

    /// Names what was announced.
    public init(since: Int64?, tenant: Int64?, weight: Int? = nil) {
        self.since = since
        self.tenant = tenant
        self.weight = weight
    }
}

extension Queue {
    /// What was announced since `seen`, the snapshot that the last call gave; nil when nothing before now is new.
    public func news(since seen: String?) async throws -> (seen: String, news: [Announcement]) {
        let statement = Statement(
            """
            select n.seen::text, n.since, n.tenant_id, n.weight
            from jobrunner.news_for_workers($1::text::pg_snapshot) as n
            """, .optional(seen, Bind.text))
        return try await call(statement) { rows in
            let seen = try rows.first?.text(0) ?? ""
            let news = try rows.map { row in
                Announcement(
                    since: try row.optionalTimestamp(1),
                    tenant: try row.optionalInt(2).map(Int64.init),
                    weight: try row.optionalInt(3))
            }
            return (seen, news.filter { $0.since != nil || $0.tenant != nil })
        }
    }
}
