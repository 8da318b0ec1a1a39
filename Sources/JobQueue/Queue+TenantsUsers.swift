import Basics
import Postgres

/// What an operator says of a user; empty leaves what is there.
public struct UserChange: Sendable {
    /// Name of the tenant.
    public var tenant: String
    /// Key of the user.
    public var key: String
    /// A JSON object of the attributes to set.
    public var attributes = "{}"
    /// Lists to replace, with their items.
    public var lists: [(column: ListColumn, items: [String])] = []
    /// Makes the secrets to store.
    public var seal: Sealing?

    /// Begins with nothing to change.
    public init(tenant: String, key: String) {
        self.tenant = tenant
        self.key = key
    }
}

/// One of many users that are added together.
public struct NewUser: Sendable {
    /// Key of the user.
    public var key: String
    /// A JSON object.
    public var attributes: String
    /// Makes the secrets to store; nil when there are none.
    public var seal: Sealing?

    /// A user with these attributes.
    public init(key: String, attributes: String = "{}", seal: Sealing? = nil) {
        self.key = key
        self.attributes = attributes
        self.seal = seal
    }
}

/// What adding many users brought.
public struct UsersAdded: Sendable, Equatable {
    /// Users that the tenant lacked.
    public var users = 0
    /// Secrets that users lacked.
    public var secrets = 0
    /// Jobs that a new secret woke.
    public var woken = 0

    /// Begins with nothing.
    public init() {}
}

/// What a change of a user brought.
public struct UserChanged: Sendable, Equatable {
    /// Names of the user's jobs.
    public var jobs: [String]
    /// Items added to its lists.
    public var added = 0
    /// Items removed from them.
    public var removed = 0
    /// Jobs that a new secret woke.
    public var woken = 0
}

extension Queue {
    /// Adds a user with attributes, lists, secrets and the tenant's jobs, or nothing of it.
    public func addUser(_ user: UserChange) async throws -> UserChanged {
        try await transaction { session in
            _ = try session.query(
                Statement(
                    "select jobrunner.add_user($1, $2, $3)", .text(user.tenant), .text(user.key),
                    .json(user.attributes)))
            return try session.give(user)
        }
    }

    /// Adds those of the users that the tenant lacks, their first runs spread over a span, and those of the secrets
    /// that they lack, or nothing of it.
    ///
    /// Three statements, however many users there are.
    public func addUsers(
        _ users: [NewUser], tenant: String, within span: Duration
    ) async throws -> UsersAdded {
        try await transaction { session in
            var added = UsersAdded()
            added.users = try session.query(
                Statement(
                    "select jobrunner.add_users($1, $2, $3::text[]::jsonb[], $4)", .text(tenant),
                    .textArray(users.map(\.key)), .textArray(users.map(\.attributes)),
                    .interval(Int64(span / .microseconds(1))))
            ).only().int(0)
            let owners = users.filter { $0.seal != nil }
            if !owners.isEmpty { try session.addSecrets(owners, tenant, &added) }
            return added
        }
    }

    /// Changes a user, or nothing of it.
    public func setUser(_ user: UserChange) async throws -> UserChanged {
        try await transaction { session in
            _ = try session.query(
                Statement(
                    "select jobrunner.set_user($1, $2, $3)", .text(user.tenant), .text(user.key),
                    .json(user.attributes)))
            return try session.give(user)
        }
    }

    /// Names of the jobs that a tenant's users get, sorted.
    public func jobs(ofTenant tenant: String) async throws -> [String] {
        let statement = Statement(
            """
            select coalesce(array_agg(j.job_name order by j.job_name), '{}')
            from jobrunner.tenant_jobs as j
            where j.tenant_id = (jobrunner.tenant_named($1)).id
            """, .text(tenant))
        return try await call(statement) { try $0.only().textArray(0).compactMap { $0 } }
    }
}

extension Session {
    fileprivate func addSecrets(
        _ users: [NewUser], _ tenant: String, _ added: inout UsersAdded
    ) throws {
        let rows = try query(
            Statement(
                """
                select u.key, u.id, u.tenant_id, (u.attributes || u.made)::text
                from jobrunner.users as u
                where u.tenant_id = (jobrunner.tenant_named($1)).id and u.key = any ($2)
                """, .text(tenant), .textArray(users.map(\.key))))
        var found: [String: (id: Int64, attributes: String)] = [:]
        var tenantID: Int64 = 0
        for row in rows {
            found[try row.text(0)] = (Int64(try row.int(1)), try row.text(3))
            tenantID = Int64(try row.int(2))
        }
        guard let first = users.first(where: { found[$0.key] != nil })?.seal else { return }
        var facts = try sealingFacts(ofTenant: tenantID, first)
        var (owners, names, sealed): ([Int64], [String], [String]) = ([], [], [])
        for user in users {
            guard let known = found[user.key] else { continue }
            facts.attributes = known.attributes
            for secret in try user.seal?.seal(facts) ?? [] {
                owners.append(known.id)
                names.append(secret.name)
                sealed.append("\\x" + Hex.encode(secret.sealed))
            }
        }
        let row = try query(
            Statement(
                """
                select added, woken
                from jobrunner.add_secrets($1, $2, $3, $4::text[]::bytea[])
                """, .int8(tenantID), .int8Array(owners), .textArray(names), .textArray(sealed))
        ).only()
        added.secrets = try row.int(0)
        added.woken = try row.int(1)
    }

    fileprivate func give(_ user: UserChange) throws -> UserChanged {
        let row = try query(
            Statement(
                """
                select u.tenant_id, (u.attributes || u.made)::text as attributes, array(
                  select j.name from jobrunner.jobs as j where j.user_id = u.id order by j.name
                ) as jobs
                from jobrunner.user_named($1, $2) as u
                """, .text(user.tenant), .text(user.key))
        ).only()
        let tenant = Int64(try row.int("tenant_id"))
        var changed = UserChanged(jobs: try row.textArray("jobs").compactMap { $0 })
        for (column, items) in user.lists {
            let counts = try query(
                Statement(
                    "select * from jobrunner.replace_list($1, $2, $3, $4, $5)", .text(user.tenant),
                    .text(user.key), .text(column.table), .text(column.column), .textArray(items))
            ).only()
            changed.added += try counts.int("added")
            changed.removed += try counts.int("removed")
        }
        changed.woken = try store(
            user.seal, tenant: user.tenant, id: tenant, user: user.key,
            attributes: row.text("attributes"))
        return changed
    }
}
