public import JSON
import Postgres

// The logins by which applications reach the database.
extension Queue {
    /// Makes a login an application of the tenant; returns false when it is that already.
    public func addApplication(_ login: String, tenant: String) async throws -> Bool {
        try await call(
            Statement("select jobrunner.add_application($1, $2)", .text(tenant), .text(login))
        ) { try $0.only().bool(0) }
    }

    /// Takes a login from the tenant whose application it is.
    public func removeApplication(_ login: String) async throws {
        try await call(Statement("select jobrunner.remove_application($1)", .text(login))) { _ in }
    }

    /// The logins that are applications, by tenant and login.
    public func applications(tenant: String?) async throws -> [JSONValue] {
        try await ask(
            """
            select a.tenant, a.login, a.added_at
            from jobrunner.application_logins as a
            where $1::text is null or a.tenant = (jobrunner.tenant_named($1)).name
            order by a.tenant, a.login
            """, [.optional(tenant, Bind.text)])
    }

    /// Hands over everything of a user that a person may have by law, as lines of JSON, some at a time, all of one
    /// moment.
    public func exportUser(
        tenant: String, key: String, each: @escaping @Sendable ([String]) throws -> Void
    ) async throws {
        try await transaction { session in
            _ = try session.query(
                .unprepared(
                    """
                    declare exported no scroll cursor for
                    select row_to_json(e)::text from jobrunner.export_user($1, $2) as e
                    """, .text(tenant), .text(key)))
            while true {
                let lines = try session.query(.unprepared("fetch 500 from exported"))
                    .map { try $0.text(0) }
                if lines.isEmpty { return }
                try each(lines)
            }
        }
    }
}
