import Basics
import Postgres

/// A key of a tenant as the table holds it.
public struct StoredKey: Sendable, Equatable {
    /// Number of the tenant.
    public var tenantID: Int64
    /// By which seals name it.
    public var id: [UInt8]
    /// What seals.
    public var publicKey: [UInt8]
    /// What opens, encrypted; nil when it is kept outside of the database.
    public var wrapped: [UInt8]?
    /// The id of the key of the key file that it is encrypted with.
    public var wrappedBy: [UInt8]
    /// Nothing is sealed with it any more.
    public var isRetired = false
    /// Another one is wanted in its stead.
    public var isToRenew = false

    /// A key that a tenant seals with.
    public init(
        tenantID: Int64, id: [UInt8], publicKey: [UInt8], wrapped: [UInt8]?, wrappedBy: [UInt8]
    ) {
        self.tenantID = tenantID
        self.id = id
        self.publicKey = publicKey
        self.wrapped = wrapped
        self.wrappedBy = wrappedBy
    }
}

/// By which key of a key file some tenants' keys are wrapped.
public struct WrappingKey: Sendable {
    /// Its id in hex.
    public var id: String
    /// How many tenants it concerns.
    public var tenants: Int
    /// How many secrets they have.
    public var secrets: Int
}

extension Queue {
    /// The keys of a tenant, the one to seal with first; for workers.
    public func keys(
        ofTenant tenant: Int64, deadline: ContinuousClock.Instant? = nil
    ) async throws -> [StoredKey] {
        let statement = Statement(
            """
            select k.id, k.public_key, encode(k.wrapped, 'hex'), k.wrapped_by, k.retired_at is not null,
              k.renewal_asked_at is not null
            from jobrunner.tenant_keys as k
            where k.tenant_id = $1
            order by k.retired_at nulls first
            """, .int8(tenant))
        return try await call(statement, deadline: deadline) { rows in
            try rows.map { row in
                var key = StoredKey(
                    tenantID: tenant, id: try row.bytes(0), publicKey: try row.bytes(1),
                    wrapped: try row.optionalText(2).flatMap(Hex.decode),
                    wrappedBy: try row.bytes(3))
                (key.isRetired, key.isToRenew) = (try row.bool(4), try row.bool(5))
                return key
            }
        }
    }

    /// What a tenant seals with, for whoever may set its secrets.
    ///
    /// Throws `QueueError.keyRetired` while it has no key.
    public func publicKey(ofTenant name: String) async throws -> [UInt8] {
        let statement = Statement(
            "select k.public_key from jobrunner.sealing_key($1) as k", .text(name))
        return try await call(statement) { try $0.only().bytes(0) }
    }

    /// A tenant's own addresses, by the source's id.
    public func bases(
        ofTenant tenant: Int64, deadline: ContinuousClock.Instant? = nil
    ) async throws -> [String: String] {
        let statement = Statement(
            """
            select s.name, s.base from jobrunner.sources as s
            where s.tenant_id = $1 and s.base is not null
            """, .int8(tenant))
        return try await call(statement, deadline: deadline) { rows in
            var bases: [String: String] = [:]
            for row in rows { bases[try row.text(0)] = try row.text(1) }
            return bases
        }
    }

    /// Gives a tenant its first key; false when it has one.
    public func addKey(_ key: StoredKey) async throws -> Bool {
        try await call(key.adding) { try $0.only().bool(0) }
    }

    /// Makes a key the one that its tenant seals with, in place of one; false when that is not the present one any more.
    public func replaceKey(_ id: [UInt8], with key: StoredKey) async throws -> Bool {
        let statement = Statement(
            "select jobrunner.replace_tenant_key($1, $2, $3, $4, $5, $6)",
            binds: key.binds + [.bytes(id)])
        return try await call(statement) { try $0.only().bool(0) }
    }

    /// Some tenants of a higher number, in their order, that have no key; with `id` also those that have one which is
    /// wrapped by another key of the key file.
    public func tenantsToKey(
        after number: Int64, wrappedBy id: [UInt8]? = nil, most: Int
    ) async throws -> [Int64] {
        let statement = Statement(
            """
            select t.id
            from jobrunner.tenants as t
            where t.id > $1 and (not exists (
              select from jobrunner.tenant_keys as k
              where k.tenant_id = t.id and k.retired_at is null
            ) or $2::bytea is not null and exists (
              select from jobrunner.tenant_keys as k
              where k.tenant_id = t.id and (k.retired_at is not null or k.wrapped_by <> $2)
            ))
            order by t.id
            limit $3
            """, .int8(number), .optional(id, Bind.bytes), .int8(Int64(most)))
        return try await call(statement) { rows in try rows.map { Int64(try $0.int(0)) } }
    }

    /// Some tenants of a higher number, in their order, for which another key is asked, or was and is not done with.
    public func tenantsToRenew(after number: Int64, most: Int) async throws -> [Int64] {
        let statement = Statement(
            """
            select distinct k.tenant_id
            from jobrunner.tenant_keys as k
            where k.renewal_asked_at is not null and k.tenant_id > $1
            order by k.tenant_id
            limit $2
            """, .int8(number), .int8(Int64(most)))
        return try await call(statement) { rows in try rows.map { Int64(try $0.int(0)) } }
    }

    /// Asks for another key of a tenant, which a worker makes; false when one is asked for already, or it has none.
    public func renewKey(ofTenant name: String) async throws -> Bool {
        let statement = Statement("select jobrunner.renew_tenant_key($1)", .text(name))
        return try await call(statement) { try $0.only().bool(0) }
    }

    /// Some secrets of a tenant that a retired key seals.
    public func secretsToSealAnew(
        ofTenant tenant: Int64, most: Int
    ) async throws -> [SealedSecret] {
        let statement = Statement(
            """
            select json_agg(json_build_array(s.user_id, s.name, encode(s.sealed, 'hex'), s.version, s.revision))::text
            from (
              select s.*
              from jobrunner.secrets as s
              join jobrunner.tenant_keys as k
                on k.tenant_id = s.tenant_id and k.id = s.key_id and k.retired_at is not null
              where s.tenant_id = $1
              limit $2
            ) as s
            """, .int8(tenant), .int8(Int64(most)))
        return try await call(statement) { try sealedSecrets($0.only().optionalText(0)) }
    }

    /// Stores the same values, sealed with another key; returns how many, since those that have another value by now stay.
    public func sealAnew(_ secrets: [SealedSecret], ofTenant tenant: Int64) async throws -> Int {
        let statement = Statement(
            """
            select count(*) filter (where jobrunner.seal_anew($1, g.user_id, g.name, g.revision, g.sealed))
            from unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[]::bytea[])
              as g (user_id, name, revision, sealed)
            """, .int8(tenant), .int8Array(secrets.map(\.userID)),
            .textArray(secrets.map(\.name)), .int8Array(secrets.map(\.revision)),
            .textArray(secrets.map { "\\x" + Hex.encode($0.sealed) }))
        return try await call(statement) { try $0.only().int(0) }
    }

    /// Forgets the keys that a tenant seals with no more; nil while a secret is sealed with one.
    public func dropRetiredKeys(ofTenant tenant: Int64) async throws -> [[UInt8]]? {
        let statement = Statement(
            "select id from unnest(jobrunner.drop_retired_keys($1)) as id",
            .int8(tenant))
        do {
            return try await call(statement) { rows in try rows.map { try $0.bytes(0) } }
        } catch let error as DatabaseError where error.sqlstate == "23503" {
            return nil
        }
    }

    /// Some keys that open nothing any more, to be removed where they are kept outside of the database.
    public func keyRemovals(most: Int) async throws -> [[UInt8]] {
        let statement = Statement(
            "select r.id from jobrunner.key_removals as r order by r.asked_at limit $1",
            .int8(Int64(most)))
        return try await call(statement) { rows in try rows.map { try $0.bytes(0) } }
    }

    /// A key was removed outside.
    public func noteKeyRemoved(_ id: [UInt8]) async throws {
        let statement = Statement(
            "delete from jobrunner.key_removals as r where r.id = $1", .bytes(id))
        _ = try await call(statement) { _ in 0 }
    }

    /// By which keys of a key file the tenants' keys are wrapped.
    public func wrappingKeys() async throws -> [WrappingKey] {
        let statement = Statement(
            "select k.key_id, k.tenants, k.secrets from jobrunner.wrapping_keys(0) as k")
        return try await call(statement) { rows in
            try rows.map {
                WrappingKey(
                    id: try $0.text(0), tenants: try $0.int(1), secrets: try $0.int(2))
            }
        }
    }
}

extension StoredKey {
    var adding: Statement {
        Statement("select jobrunner.add_tenant_key($1, $2, $3, $4, $5)", binds: binds)
    }

    fileprivate var binds: [Bind] {
        [
            .int8(tenantID), .bytes(id), .bytes(publicKey), .optional(wrapped, Bind.bytes),
            .bytes(wrappedBy),
        ]
    }
}
