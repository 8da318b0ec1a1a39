import Synchronization
import TestSupport
import Testing

@testable import Postgres

/// Connection strings that change while the process runs.
struct RereadingTests {
    private struct Gone: Error {}

    private func name(_ database: Database) async throws -> String {
        // Its session ends with this, so that the next one is a new one.
        let name = try await database.run { session in
            let name = try session.query(.unprepared("select current_setting('application_name')"))
            session.connection.close()
            return try name.only().text(0)
        }
        return name
    }

    @Test func `each new session reads the connection string anew, or takes the last there was`()
        async throws
    {
        let url = TestCluster.shared.url
        let text = Mutex<String?>("\(url)?application_name=first")
        let configuration = try DatabaseConfiguration(
            conninfo: "host=127.0.0.1 port=1", applicationName: "test", lanes: 1
        ).rereading {
            guard let text = text.withLock({ $0 }) else { throw Gone() }
            return text
        }
        let database = Database(configuration)
        var names = [try await name(database)]
        text.withLock { $0 = "\(url)?application_name=second" }
        names.append(try await name(database))
        text.withLock { $0 = nil }
        names.append(try await name(database))
        text.withLock { $0 = "\(url)?no_such_option=hunter2" }
        names.append(try await name(database))
        #expect(names == ["first", "second", "second", "second"])
        await database.close()
    }

    @Test func `a failure tells that the connection string could not be read anew`() async throws {
        var configuration = try DatabaseConfiguration(
            conninfo: "host=127.0.0.1 port=1", applicationName: "test", lanes: 1
        ).rereading { throw Gone() }
        configuration.reconnectTimeout = .zero
        try await withSessions(configuration) { database in
            let error = await databaseError { _ = try await name(database) }
            #expect(error?.message.contains("could not be read anew: Gone()") == true)
        }
    }

    @Test func `another database of a server stays the one that was asked for`() async throws {
        let test = try await TestDatabase.make()
        let configuration = try DatabaseConfiguration(
            conninfo: nil, applicationName: "test", lanes: 1
        ).rereading { TestCluster.shared.url }.ofDatabase(test.name)
        try await withSessions(configuration) { database in
            let name = try await database.run { session in
                try session.query(.unprepared("select current_database()::text")).only().text(0)
            }
            #expect(name == test.name)
        }
    }
}
