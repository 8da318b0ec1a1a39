import Asking
import JobQueue
import Postgres
import Secrets
import Testing

extension World {
    /// A secret of a user, or of the tenant itself, sealed for the source of this world as whoever has the public key does.
    func sealed(
        _ text: String, as name: String, of user: String?, origins: [String]? = nil
    ) async throws -> [UInt8] {
        let keeper = try #require(keeper)
        let tenantID =
            Int64(
                try await value("select id from jobrunner.tenants where name = 'acme'") ?? "") ?? 0
        let key = try await TenantKeys(keeper, queue).sealing(ofTenant: tenantID)
        let place = SecretPlace(user: user, name: name, origins: origins ?? [source.base])
        return try Seal.make(SecretValue(Array(text.utf8)), for: place, with: key)
    }

    /// Stores a secret of a user, or of the tenant itself, as the command line does.
    func store(
        _ text: String, as name: String, of user: String?, origins: [String]? = nil
    ) async throws {
        guard keeper != nil else { return }
        try await sql(
            "select jobrunner.set_secret('acme', $1, $2, $3)", .optional(user, Bind.text),
            .text(name), .bytes(try await sealed(text, as: name, of: user, origins: origins)))
    }

    /// What is sealed, in clear; nil where no key opens it.
    func opened(_ sealed: [UInt8], as name: String) async throws -> String? {
        guard let keeper, let id = Seal.keyID(of: sealed) else { return nil }
        let tenantID =
            Int64(
                try await value("select id from jobrunner.tenants where name = 'acme'") ?? "") ?? 0
        for key in try await queue.keys(ofTenant: tenantID) where key.id == id {
            let opening = try keeper.unwrap(
                id: key.id, wrapped: key.wrapped, wrappedBy: key.wrappedBy, tenant: tenantID)
            return try Seal.open(sealed, named: name, with: opening).secret.withBytes {
                String(decoding: $0, as: UTF8.self)
            }
        }
        return nil
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
