public import JSON
import Postgres

// Who acts on the pages of `serve`.
extension Queue {
    /// Lets somebody act by a role of the server; returns false when it is so already.
    public func addPerson(_ signIn: String, role: String, person: String) async throws -> Bool {
        try await call(
            Statement(
                "select jobrunner.add_person($1, $2, $3)", .text(signIn), .text(role),
                .text(person))
        ) { try $0.only().bool(0) }
    }

    /// Takes from somebody what he may do.
    public func removePerson(_ signIn: String) async throws {
        try await call(Statement("select jobrunner.remove_person($1)", .text(signIn))) { _ in }
    }

    /// Who acts, by what he signs in as.
    public func people() async throws -> [JSONValue] {
        try await ask(
            """
            select p.sign_in, p.role, p.person, p.added_at from jobrunner.people as p
            order by p.sign_in
            """, [])
    }
}
