import Basics
import Postgres

/// How secrets are sealed for a tenant or a user, once it is known what with and where they go.
public struct Sealing: Sendable {
    /// What the database knows of the secrets' owner.
    public struct Facts: Sendable {
        /// What the tenant seals with.
        public var publicKey: [UInt8]
        /// The tenant's own addresses, by the source's id.
        public var bases: [String: String]
        /// Names of the tenant's jobs.
        public var jobs: [String]
        /// A JSON object: the user's attributes.
        public var attributes = "{}"
    }

    /// Seals.
    public var seal: @Sendable (Facts) throws -> [(name: String, sealed: [UInt8])]
    /// Makes the first key of a tenant; nil where there is no key file.
    public var makeKey: (@Sendable (_ tenantID: Int64) throws -> StoredKey)?

    /// Seals with what the database shows.
    public init(
        makeKey: (@Sendable (_ tenantID: Int64) throws -> StoredKey)? = nil,
        seal: @escaping @Sendable (Facts) throws -> [(name: String, sealed: [UInt8])]
    ) {
        self.seal = seal
        self.makeKey = makeKey
    }
}

extension Session {
    /// What secrets of a tenant are sealed with and for; a tenant that has no key is given one.
    ///
    /// Throws `QueueError.keyRetired` where nobody here can make it.
    func sealingFacts(ofTenant tenant: Int64, _ sealing: Sealing) throws -> Sealing.Facts {
        var facts = try sealingFacts(ofTenant: tenant)
        if facts == nil, let makeKey = sealing.makeKey {
            _ = try query(makeKey(tenant).adding)
            facts = try sealingFacts(ofTenant: tenant)
        }
        guard let facts else {
            throw QueueError.keyRetired(
                message: "the tenant has no key yet to seal its secrets with",
                hint: "A worker that has a key file makes it within a minute;"
                    + " or set JOBRUNNER_KEY_FILE here.")
        }
        return facts
    }

    /// Nil while the tenant has no key.
    private func sealingFacts(ofTenant tenant: Int64) throws -> Sealing.Facts? {
        let rows = try query(
            Statement(
                """
                select k.public_key, coalesce(s.sources, '{}'), coalesce(s.bases, '{}'), array(
                    select j.job_name from jobrunner.tenant_jobs as j
                    where j.tenant_id = k.tenant_id order by j.job_name
                  )
                from jobrunner.tenant_keys as k
                cross join lateral (
                  select array_agg(o.name order by o.name) as sources, array_agg(o.base order by o.name) as bases
                  from jobrunner.sources as o where o.tenant_id = k.tenant_id and o.base is not null
                ) as s
                where k.tenant_id = $1 and k.retired_at is null
                """, .int8(tenant)))
        return try rows.map { row in
            let sources = try row.textArray(1).compactMap { $0 }
            let bases = try row.textArray(2).compactMap { $0 }
            return Sealing.Facts(
                publicKey: try row.bytes(0),
                bases: Dictionary(zip(sources, bases)) { first, _ in first },
                jobs: try row.textArray(3).compactMap { $0 })
        }.first
    }
}
