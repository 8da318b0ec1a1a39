import Foundation
import JobFiles
import Postgres
import Testing

/// Everything that stands in the catalogue of the schemas is tried by logins that have no business with it.
///
/// A new function, table, view or column is in the matrix by itself. PostgreSQL lets whoever may connect notify, listen,
/// take advisory locks and read the catalogues, whatever an installation does: `revoke connect` is the cure, and it is
/// not counted here.
@Suite struct TenancyMatrixTests {
    @Test func `no login sees, changes, slows down, impersonates or stops another tenant`()
        async throws
    {
        try await withWorld { world in
            let victim = try await Victim(world)
            var counts: [String: Int] = [:]
            var succeeded: [String] = []
            for attacker in try await victim.attackers() {
                let session = Database(
                    try DatabaseConfiguration(
                        conninfo: TestCluster.login(attacker.login, of: world.database.url),
                        applicationName: "attacker", lanes: 1))
                let trials = try await victim.trials(by: attacker)
                for attempt in Attempt.allCases {
                    let before = try await victim.fingerprint()
                    for trial in trials where trial.attempt == attempt {
                        let cell = "\(attempt.rawValue) × \(trial.surface) × \(attacker.name)"
                        counts[cell, default: 0] += 1
                        if let way = try await victim.wayThrough(trial, attacker, session) {
                            succeeded.append("\(attacker.name): \(trial.sql): \(way)")
                        }
                    }
                    if try await victim.fingerprint() != before {
                        succeeded.append("\(attacker.name): \(attempt.rawValue): rows changed")
                    }
                }
                await session.close()
            }
            try await victim.dropLogins()
            let total = counts.values.reduce(0, +)
            for (cell, count) in counts.sorted(by: { $0.key < $1.key }) {
                print("matrix: \(cell): \(count)")
            }
            print("matrix: \(total) attempts, \(succeeded.count) succeeded")
            #expect(total > 3000)
            #expect(succeeded == [])
        }
    }
}

/// What somebody tries with another tenant, or with what is the owner's alone.
enum Attempt: String, CaseIterable {
    case see, change, slow = "slow down", impersonate, stop
}

/// Who tries it.
struct Attacker {
    let name: String
    let login: String
    /// The group that the login is a member of.
    var group: String?
    /// Readers see users' keys, and that a job failed; texts they do not.
    var mayReadKeys = false
}

/// One statement on one surface.
struct Trial {
    let attempt: Attempt
    let surface: String
    let sql: String
    /// A verb that the attacker may call for its own tenant: the other one must not be there for it.
    var isVerb = false
}

/// Tenant acme with a user whose rows hold two words that nobody else may read.
struct Victim {
    static let key = "key-9b1e"
    static let word = "word-7f3a"
    let world: World
    let user: Int
    /// The first table that its job fills.
    let table: String
    private let suffix = String(UInt64.random(in: 0 ... .max), radix: 36)

    init(_ world: World) async throws {
        self.world = world
        table = world.file.entities.first?.write.table ?? ""
        try await world.addUser(Self.key, videos: 3)
        try await world.drain()
        user = try await world.userID(Self.key)
        try await world.given(.marked(user, with: Self.word))
        try await world.addTenant("beta")
        try await world.sql("select jobrunner.add_user('beta', 'bob')")
    }

    /// Logins that the test's server gets for a while.
    func attackers() async throws -> [Attacker] {
        let found = [
            Attacker(name: "application", login: "jr_app_\(suffix)", group: "application"),
            Attacker(name: "unknown application", login: "jr_none_\(suffix)", group: "application"),
            Attacker(
                name: "reader", login: "jr_reader_\(suffix)", group: "reader", mayReadKeys: true),
            Attacker(name: "stranger", login: "jr_stranger_\(suffix)"),
        ]
        for attacker in found {
            let group = attacker.group.map { " in role \(TestCluster.roles)_\($0)" } ?? ""
            // Whoever is in no group could not connect.
            try await world.database.administer(
                """
                create role \(attacker.login) login\(group);
                grant connect on database "\(world.database.name)" to \(attacker.login)
                """)
        }
        try await world.sql("select jobrunner.add_application('beta', $1)", .text(found[0].login))
        return found
    }

    func dropLogins() async throws {
        for login in ["app", "none", "reader", "stranger"] {
            try await world.database.administer(
                """
                revoke connect on database "\(world.database.name)" from jr_\(login)_\(suffix);
                drop role jr_\(login)_\(suffix)
                """)
        }
    }

    /// All rows of the schemas and all of the catalogue that belongs to them, as one word.
    func fingerprint() async throws -> String {
        let tables = try await world.texts(
            """
            select format('select %L || md5(coalesce(string_agg(t::text, '','' order by t::text), '''')) as line from %s as t',
              c.oid::regclass, c.oid::regclass)
            from pg_class as c
            where c.relnamespace in ('jobrunner'::regnamespace, 'synced'::regnamespace) and c.relkind in ('r', 'p')
            order by 1
            """)
        let rows = try await world.texts(tables.joined(separator: " union all "))
        let catalogue = try await world.texts(
            """
            select md5(string_agg(x.line, ',' order by x.line)) from (
              select format('%s %s %s %s', c.oid, c.relacl, c.relrowsecurity, c.relowner) from pg_class as c
              where c.relnamespace in ('jobrunner'::regnamespace, 'synced'::regnamespace)
              union all select format('%s %s %s', p.oid, p.proacl, p.prosrc) from pg_proc as p
              where p.pronamespace = 'jobrunner'::regnamespace
              union all select format('%s %s %s', r.rolname, m.roleid, r.rolsuper) from pg_roles as r
              left join pg_auth_members as m on m.member = r.oid where r.rolname like '%\(suffix)' or r.rolname ~ '^jobrunner'
            ) as x (line)
            """)
        return (rows + catalogue).joined(separator: " ")
    }

    /// How a trial came through; nil when it did not.
    func wayThrough(_ trial: Trial, _ attacker: Attacker, _ database: Database) async throws
        -> String?
    {
        let (shown, state) = await answer(trial.sql, database)
        if shown.contains(Self.word) { return "shows a text: \(shown.prefix(200))" }
        if !attacker.mayReadKeys, shown.contains(Self.key) {
            return "shows a key: \(shown.prefix(200))"
        }
        if trial.isVerb, state != "JR010" {
            return "the other tenant is there: \(state ?? "no error"), \(shown.prefix(200))"
        }
        // Whoever may grant nothing is only warned; the fingerprint has the grants.
        let isWarned = trial.sql.hasPrefix("grant ")
        if trial.attempt != .see, state == nil, !isWarned {
            return "was done: \(shown.prefix(200))"
        }
        return nil
    }

    /// All that a statement shows, errors included, and how it failed.
    private func answer(_ sql: String, _ database: Database) async -> (String, String?) {
        do {
            return try await database.run { session in
                let rows = try session.query(.unprepared(sql))
                let texts = try rows.flatMap { row in
                    try rows.columns.indices.map { try row.optionalText(.index($0)) ?? "" }
                }
                return (texts.joined(separator: "\n"), nil)
            }
        } catch {
            let fault = (error as? DatabaseError) ?? (error as? TransactionError)?.databaseError
            let words = [fault?.message, fault?.detail, fault?.hint].compactMap { $0 }
            return (words.joined(separator: "\n"), fault?.sqlstate ?? "\(error)")
        }
    }
}
