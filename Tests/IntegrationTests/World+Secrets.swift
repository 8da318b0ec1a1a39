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
            "select jobrunner.set_secret($1, $2, $3, $4)", .int8(tenantID), .int8(userID),
            .text(name), .bytes(sealed))
    }
}
