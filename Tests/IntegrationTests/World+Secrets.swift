import Postgres
import Secrets

extension World {
    /// Seals a secret of a user, as the command line does.
    func setSecret(_ name: String, _ text: String, of user: String) async throws {
        guard let sealer else { return }
        let userID = Int64(try await userID(user))
        let tenantID =
            Int64(
                try await value(
                    "select tenant_id from jobrunner.users where id = $1", .int8(userID))
                    ?? "") ?? 0
        let sealed = sealer.seal(
            SecretValue(Array(text.utf8)),
            for: SecretOwner(tenantID: tenantID, userID: userID, name: name))
        try await sql(
            "select jobrunner.put_secret($1, $2, $3, $4)", .int8(tenantID), .int8(userID),
            .text(name), .bytes(sealed))
    }

    /// Every text of the database and the log.
    func everyText() async throws -> [String] {
        let tables = try await texts(
            """
            select c.oid::regclass from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
            where n.nspname in ('jobrunner', 'synced', 'public') and c.relkind in ('r', 'p', 'v')
            """)
        var all = lines.all
        for table in tables { all += try await texts("select t::text from \(table) as t") }
        return all
    }
}
