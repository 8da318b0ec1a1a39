import Postgres

/// How many rows of one sort a removal took.
public struct RemovedRows: Sendable, Equatable {
    /// In words, such as `jobs` or `rows of synced.videos`.
    public var what: String
    /// Never 0.
    public var count: Int
}

extension Queue {
    /// Removes a user and all that is its own; returns what that was, empty sorts left out.
    public func removeUser(tenant: String, key: String) async throws -> [RemovedRows] {
        try await transaction { session in
            let id = try session.query(
                Statement(
                    "select (jobrunner.user_named($1, $2)).id", .text(tenant), .text(key))
            ).only().int(0)
            let removed = try session.countRows(of: [Int64(id)], tenant: nil)
            _ = try session.query(
                Statement("select jobrunner.remove_user($1, $2)", .text(tenant), .text(key)))
            return removed
        }
    }

    /// Removes a tenant, its users and all that is theirs; returns what that was.
    public func removeTenant(_ name: String) async throws -> [RemovedRows] {
        try await transaction { session in
            let row = try session.query(
                Statement(
                    """
                    select t.id, array(select u.id from jobrunner.users as u where u.tenant_id = t.id)
                      as users, (
                        select count(*) from jobrunner.users as u
                        where u.tenant_id = t.id and not u.stands_for_tenant
                      ) as user_count
                    from jobrunner.tenant_named($1) as t
                    """, .text(name))
            ).only()
            let users = try row.intArray("users").map(Int64.init)
            let people = RemovedRows(what: "users", count: try row.int("user_count"))
            let removed =
                [people].filter { $0.count > 0 }
                + (try session.countRows(of: users, tenant: Int64(try row.int("id"))))
            _ = try session.query(Statement("select jobrunner.remove_tenant($1)", .text(name)))
            return removed
        }
    }
}

extension Session {
    /// Counts what the removal of these users, and of their tenant when given, takes.
    fileprivate func countRows(of users: [Int64], tenant: Int64?) throws -> [RemovedRows] {
        let tables = try query(
            Statement(
                "select quote_ident(t.name) from jobrunner.synced_tables as t order by t.name")
        ).map { try $0.text(0) }
        let own: [(String, String)] =
            [
                ("jobs", "jobrunner.jobs"), ("checkpoints", "jobrunner.checkpoints"),
                ("runs", "jobrunner.runs"),
            ] + tables.map { ("rows of synced.\($0)", "synced.\($0)") }
        var counts = [RemovedRows(what: "secrets", count: try countSecrets(of: users, tenant))]
        for (what, table) in own {
            let count = try query(
                .unprepared(
                    "select count(*) from \(table) where user_id = any ($1)", .int8Array(users)))
            counts.append(RemovedRows(what: what, count: try count.only().int(0)))
        }
        return counts.filter { $0.count > 0 }
    }

    private func countSecrets(of users: [Int64], _ tenant: Int64?) throws -> Int {
        try query(
            Statement(
                """
                select count(*) from jobrunner.secrets as s
                where s.tenant_id = $2 or s.user_id = any ($1) and s.user_id <> 0
                """, .int8Array(users), .optional(tenant, Bind.int8))
        ).only().int(0)
    }
}
