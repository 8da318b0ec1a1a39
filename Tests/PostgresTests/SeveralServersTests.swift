import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Postgres

/// Several servers in one connection string, of which some give no session.
@Suite(.timeLimit(.minutes(10))) struct SeveralServersTests {
    private let url = TestCluster.shared.url
    private var port: Int { URLComponents(string: url)?.port ?? 0 }

    /// The shared server behind others.
    private func configuration(
        behind relays: [SwitchingRelay], _ change: (inout DatabaseConfiguration) -> Void = { _ in }
    ) throws -> DatabaseConfiguration {
        var configuration = try DatabaseConfiguration(
            conninfo: connectionString(url, servers: relays.map(\.port) + [port]),
            applicationName: "jobrunner-test", lanes: 1)
        // A silent one that were waited for without a limit of its own, or twice, would be noticed.
        configuration.connectTimeout = .milliseconds(300)
        change(&configuration)
        return configuration
    }

    private func expectSession(_ database: Database, _ deadline: Duration? = nil) async throws {
        let one = try await database.run(deadline: deadline.map { .now + $0 }) {
            try $0.int("select 1")
        }
        #expect(one == 1)
    }

    @Test(arguments: [SwitchingRelay.Behaviour.silent, .hangsInTLS, .refuses("57P03")])
    func `behind a first server that gives no session the next one is asked`(
        _ behaviour: SwitchingRelay.Behaviour
    ) async throws {
        let first = try SwitchingRelay(to: url, behaviour)
        try await withSessions(try configuration(behind: [first])) { database in
            try await expectSession(database)
            #expect(first.connections > 0)
        }
    }

    @Test func `a server that was silent is asked last for a while, by all sessions`() async throws
    {
        let first = try SwitchingRelay(to: url, .silent)
        try await withSessions(try configuration(behind: [first])) { database in
            try await expectSession(database)
            _ = try? await database.run { session in
                try session.int("select 1 from pg_terminate_backend(pg_backend_pid())")
            }
            try await expectSession(database)
            #expect(database.counts.connects == 2)
            #expect(first.connections == 1)
        }
    }

    @Test func `when all others are silent, one that speaks again is found`() async throws {
        let first = try SwitchingRelay(to: url, .silent)
        let last = try SwitchingRelay(to: url)
        let configuration = try DatabaseConfiguration(
            conninfo: connectionString(url, servers: [first.port, last.port]) + "?sslmode=disable",
            applicationName: "jobrunner-test", lanes: 1)
        try await withSessions(configuration) { database in
            try await expectSession(database, .seconds(3))
            first.set(.leads(to: port))
            last.set(.silent)
            last.cut()
            // The session may not be known to be cut yet.
            _ = try? await database.run { try $0.int("select 1") }
            try await expectSession(database, .seconds(20))
        }
    }

    @Test func `a deadline is shared by the servers, so that the last is reached within it`()
        async throws
    {
        let silent = try (1...2).map { _ in try SwitchingRelay(to: url, .silent) }
        let configuration = try configuration(behind: silent) { $0.connectTimeout = .seconds(600) }
        try await withSessions(configuration) { database in
            try await expectSession(database, .seconds(3))
        }
    }

    @Test func `connect_timeout is the limit of each server`() async throws {
        let first = try SwitchingRelay(to: url, .silent)
        let text = connectionString(url, servers: [first.port, port]) + "?connect_timeout=1"
        var configuration = try DatabaseConfiguration(
            conninfo: text, applicationName: "jobrunner-test", lanes: 1)
        configuration.connectTimeout = .seconds(600)
        try await withSessions(configuration) { database in
            try await expectSession(database)
        }
    }

    @Test func `of a name's addresses one is silent, and the other is asked`() async throws {
        // The same port at another address of this machine, where nothing else is.
        let silent = try SwitchingRelay(to: url, .silent, address: "127.0.0.2", port: port)
        let text = connectionString(url, servers: [port], host: "db.example")
        var configuration = try DatabaseConfiguration(
            conninfo: text, applicationName: "jobrunner-test", lanes: 1)
        configuration.connectTimeout = .milliseconds(300)
        configuration.resolver = Resolver { _ in .success(["127.0.0.2", "127.0.0.1"]) }
        try await withSessions(configuration) { database in
            try await expectSession(database)
        }
        #expect(silent.connections == 1)
    }

    @Test
    func `a resolver that hangs costs its limit and one thread, and the next server is asked`()
        async throws
    {
        let asked = Mutex(0)
        let released = DispatchSemaphore(value: 0)
        let resolver = Resolver { _ in
            asked.withLock { $0 += 1 }
            released.wait()
            return .failure(.failed("too late"))
        }
        let text = connectionString(url, servers: [port]).replacing(
            "127.0.0.1:\(port)", with: "db.example:\(port),127.0.0.1:\(port)")
        for _ in 1...2 {
            // Nothing is remembered of the one before.
            var configuration = try DatabaseConfiguration(
                conninfo: text, applicationName: "jobrunner-test", lanes: 1)
            configuration.connectTimeout = .milliseconds(200)
            configuration.resolver = resolver
            try await withSessions(configuration) { database in
                try await expectSession(database)
            }
        }
        #expect(asked.withLock { $0 } == 1)
        released.signal()
    }

    @Test func `a refused login ends the search, as libpq has it`() async throws {
        let first = try SwitchingRelay(to: url, .refuses("28P01"))
        try await withSessions(
            try configuration(behind: [first])
        ) { database in
            let error = await databaseError { try await expectSession(database) }
            #expect(error?.isRefusedLogin == true && error?.isConnectionFailure == true)
        }
    }

    @Test func `what each server said is told`() async throws {
        let silent = try SwitchingRelay(to: url, .silent)
        var configuration = try DatabaseConfiguration(
            conninfo: connectionString(url, servers: [1, silent.port]), applicationName: "test",
            lanes: 1)
        configuration.connectTimeout = .milliseconds(200)
        configuration.reconnectTimeout = .zero
        try await withSessions(configuration) { database in
            let error = await databaseError { try await expectSession(database) }
            #expect(error?.message.contains("port 1 failed") == true)
            #expect(
                error?.message.contains("port \(silent.port): the server did not answer") == true)
        }
    }

    @Test func `a cancel goes to the server that the session is on`() async throws {
        let (first, second) = (try SwitchingRelay(to: url, .silent), try SwitchingRelay(to: url))
        let configuration = try configuration(behind: [first, second]) { _ in }
        try await withSessions(configuration) { database in
            try await expectSession(database)
            let error = await databaseError {
                _ = try await database.run(deadline: .now + .milliseconds(200)) {
                    try $0.int("select 1 from pg_sleep(600)")
                }
            }
            #expect(error?.code == .timedOut)
            #expect(database.counts.connects == 1)
        }
        #expect(first.connections == 1)
        #expect(second.connections >= 2)
    }

    @Test func `a session that meets a read-only server is closed, and others are not`()
        async throws
    {
        let test = try await TestDatabase.make()
        try await withSessions(try test.configuration()) { database in
            func pid() async throws -> Int {
                try await database.run { try $0.int("select pg_backend_pid()") }
            }
            let first = try await pid()
            _ = await databaseError {
                _ = try await database.run { try $0.int("select 1 / 0") }
            }
            let unchanged = try await pid()
            #expect(unchanged == first)
            let error = await databaseError {
                try await database.run { session in
                    try session.script("set default_transaction_read_only = on")
                    _ = try session.query(.unprepared("create table t ()"))
                }
            }
            #expect(error?.isReadOnlyServer == true && error?.isServerTrouble == true)
            let second = try await pid()
            #expect(second != first)
            // The simple protocol says so as well.
            _ = await databaseError {
                try await database.run { session in
                    try session.script("set default_transaction_read_only = on")
                    try session.script("create table t ()")
                }
            }
            let third = try await pid()
            #expect(third != second)
        }
    }
}

/// Lends sessions of a test's own configuration.
func withSessions(
    _ configuration: DatabaseConfiguration, _ body: (Database) async throws -> Void
) async throws {
    try await Database.withSessions(configuration, body)
}

/// What libpq's options say of the servers.
struct ServerListTests {
    private func words(_ options: [String: String]) -> [String] {
        ServerList(options).servers.map(\.words)
    }

    @Test func `hosts, addresses and ports are lists as libpq has them`() {
        #expect(words(["host": "a,b", "port": "1,2"]) == ["a, port 1", "b, port 2"])
        #expect(words(["host": "a,b", "port": "7"]) == ["a, port 7", "b, port 7"])
        #expect(words(["host": "a,/run", "port": ",2"]) == ["a, port 5432", "/run, port 2"])
        #expect(words(["hostaddr": "1.2.3.4,::1"]) == ["1.2.3.4, port 5432", "::1, port 5432"])
        #expect(
            words(["host": "a,b", "hostaddr": "1.2.3.4,", "port": "5"])
                == ["a (1.2.3.4), port 5", "b, port 5"])
    }

    /// libpq says by itself what is wrong with them, or knows a folder that is nowhere written.
    @Test func `lists that do not fit or leave a place open are left to libpq`() {
        #expect(words([:]) == [])
        #expect(words(["host": "a,,b"]) == [])
        #expect(words(["host": "a,b", "hostaddr": "1.2.3.4"]) == [])
        #expect(words(["host": "a,b", "port": "1,2,3"]) == [])
    }

    @Test func `a limit of zero or less is none`() {
        #expect(ServerList(["connect_timeout": "7"]).limit == .seconds(7))
        #expect(ServerList(["connect_timeout": "0"]).limit == nil)
        #expect(ServerList(["connect_timeout": "-1"]).limit == nil)
        #expect(ServerList([:]).limit == nil)
    }
}
