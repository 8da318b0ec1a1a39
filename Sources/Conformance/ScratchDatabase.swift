public import Postgres

/// A database of the suite's own beside the one that the settings name.
public struct ScratchDatabase: Sendable {
    /// `jobrunner_test_` and random digits.
    public let name: String
    /// Leads to it.
    let configuration: DatabaseConfiguration
    private let home: DatabaseConfiguration

    /// Makes the database with the rights of the settings; throws `DatabaseError`.
    public static func make(beside home: DatabaseConfiguration) async throws -> ScratchDatabase {
        let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        let name = "jobrunner_test_\(digits)"
        let scratch = ScratchDatabase(name: name, configuration: home.ofDatabase(name), home: home)
        try await scratch.atHome { try $0.script("create database \(name)") }
        return scratch
    }

    /// Removes it with whatever sessions are left; throws `DatabaseError`.
    public func drop() async throws {
        let name = self.name
        try await atHome { try $0.script("drop database if exists \(name) with (force)") }
    }

    private func atHome(_ body: @escaping @Sendable (Session) throws -> Void) async throws {
        try await Database.withSessions(home) { try await $0.run(body) }
    }
}
