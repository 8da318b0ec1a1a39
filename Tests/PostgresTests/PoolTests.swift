import Synchronization
import TestSupport
import Testing

@testable import Postgres

/// How often the template below was built.
private let builds = Atomic<Int>(0)
/// How many lanes have slept.
private let answers = Atomic<Int>(0)

struct PoolTests {
    @Test func `sleeping lanes leave Swift's threads free`() async throws {
        try await withPool(lanes: 4) { database in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        _ = try await database.run { try $0.query(Statement("select pg_sleep(3)")) }
                        answers.add(1, ordering: .relaxed)
                    }
                }
                // With a thread held by each lane no other task has its turn before an answer.
                for _ in 0..<20 { await Task { await Task.yield() }.value }
                #expect(answers.load(ordering: .relaxed) == 0)
                try await group.waitForAll()
            }
        }
    }

    @Test func `200 tasks share two lanes and each gets its own answer`() async throws {
        try await withPool(lanes: 2) { database in
            let sum = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        try await database.run { try $0.int("select $1", .int(number)) }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(sum == 199 * 200 / 2)
            #expect(database.counts.connects <= 2)
            #expect(database.counts.roundTrips == 200)
        }
    }

    @Test func `work that comes one by one is done by one session`() async throws {
        try await withPool(lanes: 4) { database in
            // All lanes are idle once each of them has worked.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        _ = try await database.run { try $0.query(Statement("select pg_sleep(1)")) }
                    }
                }
                try await group.waitForAll()
            }
            var sessions: Set<Int> = []
            for _ in 0..<20 {
                sessions.insert(try await database.run { try $0.int("select pg_backend_pid()") })
            }
            #expect(sessions.count == 1)
        }
    }

    @Test func `a body's own error comes through and leaves the session usable`() async throws {
        struct Own: Error {}
        try await withPool(lanes: 1) { database in
            await #expect(throws: Own.self) {
                try await database.run { session in
                    _ = try session.int("select 1")
                    throw Own()
                }
            }
            let value = try await database.run { try $0.int("select 1") }
            #expect(value == 1)
            #expect(database.counts.connects == 1)
        }
    }

    @Test func `a closed database refuses work and disconnects`() async throws {
        let test = try await TestDatabase.make()
        let database = Database(try test.configuration(lanes: 2))
        _ = try await database.run { try $0.int("select 1") }
        await database.close()
        let error = await databaseError { _ = try await database.run { try $0.int("select 1") } }
        #expect(error?.code == .cancelled)
        // The server notices a moment after the socket has closed.
        try await eventually("no session of the database is left") {
            try await shared.run { session in
                try session.int(
                    "select count(*) from pg_stat_activity where datname = $1", .text(test.name))
            } == 0
        }
    }

    @Test func `templates are built once and cloned by many at once`() async throws {
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let template = try await TestCluster.shared.template(named: "pool") {
                        builds.add(1, ordering: .relaxed)
                        let database = Database($0)
                        try await database.run { try $0.script("create table t (i int)") }
                        await database.close()
                    }
                    return try await withTestDatabase(template: template) { database in
                        try await database.run { try $0.int("select count(*) from t") }
                    }
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 0, count: 8))
        #expect(builds.load(ordering: .relaxed) == 1)
    }

    @Test func `a lane that has nothing to do gives its connection back`() async throws {
        var configuration = try DatabaseConfiguration(
            conninfo: TestCluster.shared.url, applicationName: "jobrunner-test-idle", lanes: 1)
        configuration.idleMax = .milliseconds(50)
        try await Database.withSessions(configuration) { database in
            #expect(try await database.run { try $0.int("select 1") } == 1)
            try await eventually("its session has ended") {
                try await shared.run {
                    try $0.int(
                        """
                        select count(*) from pg_stat_activity
                        where application_name = 'jobrunner-test-idle'
                        """)
                } == 0
            }
            #expect(try await database.run { try $0.int("select 2") } == 2)
            #expect(database.counts.connects == 2)
        }
    }
}
