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

    /// A user with these attributes.
    public init(key: String, attributes: String = "{}") {
        self.key = key
        self.attributes = attributes
    }
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

    /// Adds those of the users that the tenant lacks, their first runs spread over a span; returns how many.
    public func addUsers(
        _ users: [NewUser], tenant: String, within span: Duration
    ) async throws -> Int {
        let statement = Statement(
            "select jobrunner.add_users($1, $2, $3::text[]::jsonb[], $4)", .text(tenant),
            .textArray(users.map(\.key)), .textArray(users.map(\.attributes)),
            .interval(Int64(span / .microseconds(1))))
        return try await call(statement) { try $0.only().int(0) }
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
    fileprivate func give(_ user: UserChange) throws -> UserChanged {
        let row = try query(
            Statement(
                """
                select u.id, u.tenant_id, array(
                  select j.name from jobrunner.jobs as j where j.user_id = u.id order by j.name
                ) as jobs
                from jobrunner.user_named($1, $2) as u
                """, .text(user.tenant), .text(user.key))
        ).only()
        let (id, tenant) = (Int64(try row.int("id")), Int64(try row.int("tenant_id")))
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
        changed.woken = try store(user.seal?(tenant, id) ?? [], tenant: tenant, user: id)
        return changed
    }
}
