import Postgres
import TestSupport
import Testing

/// A pool for tests that leave nothing behind.
let shared: Database = {
    do {
        return Database(
            try DatabaseConfiguration(
                conninfo: TestCluster.shared.url, applicationName: "jobrunner-test", lanes: 4))
    } catch {
        fatalError("\(error)")
    }
}()

/// Lends a pool of the test's own to a test that leaves nothing behind.
func withPool(lanes: Int, _ body: (Database) async throws -> Void) async throws {
    try await Database.withSessions(
        try DatabaseConfiguration(
            conninfo: TestCluster.shared.url, applicationName: "jobrunner-test", lanes: lanes), body
    )
}

/// Runs the body and returns the `DatabaseError` it throws, recording an issue when it doesn't.
func databaseError(_ body: () async throws -> Void) async -> DatabaseError? {
    await #expect(throws: DatabaseError.self) { try await body() }
}

extension Session {
    /// The first column of the only row.
    func int(_ sql: String, _ binds: Bind...) throws -> Int {
        try query(Statement(sql, binds: binds)).only().int(0)
    }
}
