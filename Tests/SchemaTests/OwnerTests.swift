import Foundation
import Postgres
import Schema
import Testing

/// The product needs no right that its page does not ask for (docs/decisions/0054): all that is tested runs as this role.
@Suite("A plain owner")
struct OwnerTests {
    @Test func `the role of every test owns its database and may do nothing else on the server`()
        async throws
    {
        try await withTestDatabase { database async throws in
            #expect(
                try await database.texts(
                    """
                    select concat_ws(' ', r.rolname, r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolreplication, r.rolbypassrls,
                      (select count(*) from pg_auth_members as m where m.member = r.oid),
                      (select d.datdba = r.oid from pg_database as d where d.datname = current_database()))
                    from pg_roles as r where r.rolname = session_user
                    """) == ["jobrunner f f f f f 0 t"])
            for statement in [
                "create role another", "create database another",
                "create extension pg_stat_statements", "set session_replication_role = replica",
                "alter system set fsync = on", "grant set on parameter log_statement to jobrunner",
            ] {
                await #expect(throws: DatabaseError.self, "\(statement)") {
                    try await database.script(statement)
                }
            }
        }
    }

    /// What a program is given is what `bin/pg` prints first; a superuser's address stands nowhere else.
    @Test func `no script and no test names a superuser`() throws {
        let root = sqlFolder.deletingLastPathComponent()
        for folder in ["bin", "bench", "Sources", "Tests", "deploy", "jobs"] {
            let files = FileManager.default.enumerator(atPath: root.path + "/" + folder)
            for case let name as String in files ?? .init() where !name.contains("__pycache__") {
                let path = folder + "/" + name
                guard path != "bin/pg", !path.hasSuffix("OwnerTests.swift"),
                    let text = try? String(contentsOfFile: root.path + "/" + path, encoding: .utf8)
                else { continue }
                #expect(!text.contains("postgres://postgres"), "\(path)")
                #expect(!text.contains("-U postgres"), "\(path)")
            }
        }
    }
}
