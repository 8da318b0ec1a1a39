import Foundation
import TestSupport
import Testing

@testable import Postgres

/// A standby takes its primary's place while the primary goes on beside it: what is written there is lost.
@Suite(.timeLimit(.minutes(10))) struct TimelineTests {
    /// The primary, and its standby that was promoted.
    private func pair(_ body: (TestCluster, TestCluster) async throws -> Void) async throws {
        let old = try TestCluster.start()
        let new = try old.standby()
        try await body(old, new)
        try new.stop()
        try old.stop()
    }

    private func port(_ cluster: TestCluster) -> Int {
        URLComponents(string: cluster.url)?.port ?? 0
    }

    /// As a process would have it that knows of no server yet.
    private func configuration(
        _ clusters: TestCluster..., timelines: ServerTimelines = ServerTimelines()
    ) throws -> DatabaseConfiguration {
        var configuration = try DatabaseConfiguration(
            conninfo: connectionString(clusters[0].url, servers: clusters.map(port)),
            applicationName: "jobrunner-test", lanes: 1)
        configuration.timelines = timelines
        configuration.serversWanted = .writable
        return configuration
    }

    private func serverPort(_ database: Database) async throws -> Int {
        try await database.run { try $0.int("select inet_server_port()") }
    }

    private func expectSession(
        of cluster: TestCluster, _ configuration: DatabaseConfiguration
    ) async throws {
        let place = try await Database.withSessions(configuration) { try await serverPort($0) }
        #expect(place == port(cluster))
    }

    @Test func `a session leaves its server when a newer one is known, and finds it`() async throws
    {
        try await pair { old, new in
            let timelines = ServerTimelines()
            let both = Database(try configuration(old, new, timelines: timelines))
            #expect(try await serverPort(both) == port(old))
            try new.promote()
            // Whoever asks the new one tells the whole process.
            try await expectSession(of: new, try configuration(new, timelines: timelines))
            #expect(try await serverPort(both) == port(new))
            await both.close()
        }
    }

    @Test func `a server that was replaced is refused, also when it is the only one`() async throws
    {
        try await pair { old, new in
            let timelines = ServerTimelines()
            try new.promote()
            try await Database.withSessions(try configuration(new, timelines: timelines)) {
                _ = try await serverPort($0)
            }
            var alone = try configuration(old, timelines: timelines)
            alone.reconnectTimeout = .zero
            try await Database.withSessions(alone) { database in
                let error = await databaseError { _ = try await serverPort(database) }
                #expect(error?.code == .notConnected)
                #expect(error?.message.contains("the server was replaced") == true)
            }
        }
    }

    @Test func `a process that begins asks all servers, and takes the newest`() async throws {
        try await pair { old, new in
            try new.promote()
            try await expectSession(of: old, try configuration(old, new))
            try await expectSession(of: new, try configuration(old, new).comparingServers())
            try await expectSession(of: new, try configuration(new, old).comparingServers())
        }
    }

    @Test func `who waits for a server's answer leaves it when a successor is found`() async throws
    {
        try await pair { old, new in
            let both = try configuration(old, new)
            let database = Database(both)
            _ = try await serverPort(database)
            try new.promote()
            async let error = databaseError {
                _ = try await database.run { try $0.int("select 1 from pg_sleep(600)") }
            }
            try await eventually("the statement is under way") { database.isHeldUp(for: .zero) }
            await Database.findSuccessor(both)
            database.lookAgain()
            #expect(await error?.code == .connectionLost)
            #expect(await error?.message.contains("the server was replaced") == true)
            await database.close()
        }
    }

    @Test func `a listener's session leaves its server as well`() async throws {
        try await pair { old, new in
            let both = try configuration(old, new)
            let listener = Listener(both, channels: ["plain"])
            var events = listener.events.makeAsyncIterator()
            #expect(await events.next() == .listening)
            try new.promote()
            await Database.findSuccessor(both)
            listener.lookAgain()
            guard case .failed = await events.next() else {
                Issue.record("the listener stayed")
                return
            }
            #expect(await events.next() == .listening)
            let place = try await listener.run(deadline: .now + hangLimit) {
                try $0.int("select inet_server_port()")
            }
            #expect(place == port(new))
            listener.close()
        }
    }

    @Test func `of a standby and of a server that does not tell nothing is known`() async throws {
        try await pair { old, new in
            let timelines = ServerTimelines()
            var standby = try configuration(new, timelines: timelines)
            standby.serversWanted = .any
            try await Database.withSessions(standby) { _ = try await serverPort($0) }
            #expect(timelines.isEmpty)
            try await Database.withSessions(try administrator(old)) {
                try await $0.run {
                    try $0.script("revoke execute on function pg_control_system() from public")
                }
            }
            try await expectSession(of: old, try configuration(old, timelines: timelines))
            #expect(timelines.isEmpty)
        }
    }

    private func administrator(_ cluster: TestCluster) throws -> DatabaseConfiguration {
        try DatabaseConfiguration(
            conninfo: cluster.administratorURL.replacing("/jobrunner", with: "/template1"),
            applicationName: "jobrunner-test", lanes: 1
        ).ofDatabase("jobrunner")
    }
}
