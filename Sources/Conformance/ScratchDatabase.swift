public import Postgres

/// An empty database for the suite: one that it makes and drops, or, where its role may make none, the one that an
/// administrator made for it, which it fills and empties.
public struct ScratchDatabase: Sendable {
    /// `jobrunner_test_` and random digits, or the settings' database with `_scratch` behind it.
    public let name: String
    /// Leads to it.
    let configuration: DatabaseConfiguration
    private let home: DatabaseConfiguration
    /// Its only session keeps every other suite out of a database that is there for all; nil when the suite made its
    /// own.
    private let turn: Database?

    /// Makes the database beside the one that the settings name, or takes the one that is there for it.
    ///
    /// Throws `ScratchError` when the role may not make one and none is there or free, or `DatabaseError`.
    public static func make(beside home: DatabaseConfiguration) async throws -> ScratchDatabase {
        let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        let name = "jobrunner_test_\(digits)"
        do {
            try await run(in: home) { try $0.script("create database \(name)") }
        } catch let error as DatabaseError where error.sqlstate == "42501" {
            return try await take(beside: home)
        }
        return ScratchDatabase(
            name: name, configuration: home.ofDatabase(name), home: home, turn: nil)
    }

    private static func take(beside home: DatabaseConfiguration) async throws -> ScratchDatabase {
        let (name, owner, isThere) = try await run(in: home) { session in
            let row = try session.query(
                Statement(
                    """
                    select s.name, current_user, exists (select from pg_database as d where d.datname = s.name)
                    from (select left(current_database(), 55) || '_scratch' as name) as s
                    """)
            ).only()
            return (try row.text(0), try row.text(1), try row.bool(2))
        }
        guard isThere else { throw ScratchError.missing(name: name, owner: owner) }
        let turn = Database(home.ofDatabase(name))
        do {
            try await turn.run { session in
                let isOurs = try session.query(
                    Statement("select pg_try_advisory_lock(hashtextextended('jobrunner test', 0))"))
                guard try isOurs.only().bool(0) else { throw ScratchError.busy(name: name) }
                // What a suite left that was killed.
                try session.script(emptying)
            }
        } catch {
            await turn.close()
            throw error
        }
        return ScratchDatabase(
            name: name, configuration: home.ofDatabase(name), home: home, turn: turn)
    }

    /// Removes what the suite made, with whatever sessions are left; throws `DatabaseError`.
    public func drop() async throws {
        guard let turn else {
            let name = self.name
            return try await Self.run(in: home) {
                try $0.script("drop database if exists \(name) with (force)")
            }
        }
        do { try await turn.run { try $0.script(emptying) } } catch {
            await turn.close()
            throw error
        }
        await turn.close()
    }

    private static func run<R: Sendable>(
        in home: DatabaseConfiguration, _ body: @escaping @Sendable (Session) throws -> R
    ) async throws -> R {
        try await Database.withSessions(home) { try await $0.run(body) }
    }
}

/// Says nothing of schemas that are not there.
private let emptying =
    "set client_min_messages = warning; drop schema if exists jobrunner, synced, own cascade"

/// Why there is no database to test in.
public enum ScratchError: Error, CustomStringConvertible {
    /// The role may make none, and an administrator has made none.
    case missing(name: String, owner: String)
    /// Another suite is at work there.
    case busy(name: String)

    /// One line for a person.
    public var description: String {
        switch self {
        case .missing(let name, let owner):
            "a test needs an empty database, which role \(owner) may not make; have an administrator run:"
                + " create database \(name) owner \(owner)"
        case .busy(let name):
            "another test is at work in database \(name); try again when it has ended"
        }
    }
}
