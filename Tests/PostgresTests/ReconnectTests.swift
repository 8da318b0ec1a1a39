import Postgres
import TestSupport
import Testing

struct ReconnectTests {
    private func terminate(_ pid: Int) async throws {
        try await shared.run { session in
            _ = try session.query(
                Statement("select pg_terminate_backend($1)", .int4(Int32(pid))))
            while try session.int("select count(*) from pg_stat_activity where pid = $1", .int(pid))
                > 0
            {}
        }
    }

    @Test func `a lane whose idle connection was cut connects anew without an error`() async throws
    {
        try await withPool(lanes: 1) { database in
            let pid = try await database.run { try $0.int("select pg_backend_pid()") }
            try await terminate(pid)
            let next = try await database.run { try $0.int("select pg_backend_pid()") }
            #expect(next != pid)
            #expect(database.counts.connects == 2)
        }
    }

    @Test func `a killed statement is a typed error and the next body connects anew`() async throws
    {
        try await withPool(lanes: 1) { database in
            let error = await databaseError {
                try await database.run { session in
                    let lost = #expect(throws: DatabaseError.self) {
                        try session.query(
                            Statement("select pg_terminate_backend(pg_backend_pid())"))
                    }
                    #expect(lost?.code == .connectionLost)
                    #expect(lost?.sqlstate == "57P01")
                    _ = try session.int("select 1")
                }
            }
            #expect(error?.code == .notConnected)
            let value = try await database.run { try $0.int("select 1") }
            #expect(value == 1)
        }
    }

    @Test func `a server that is away is tried until the deadline`() async throws {
        let configuration = try DatabaseConfiguration(
            conninfo: "host=127.0.0.1 port=1 user=u dbname=d password=hunter2",
            applicationName: "test", lanes: 1)
        let database = Database(configuration)
        let start = ContinuousClock.now
        let error = await databaseError {
            _ = try await database.run(deadline: start + .milliseconds(300)) {
                try $0.int("select 1")
            }
        }
        #expect(error?.code == .notConnected)
        #expect(error?.isTransient == true)
        #expect(start.duration(to: .now) < hangLimit)
        #expect(error?.description.contains("hunter2") == false)
        await database.close()
    }

    @Test func `waiting for a server that is away can be cancelled`() async throws {
        let database = Database(
            try DatabaseConfiguration(
                conninfo: "host=127.0.0.1 port=1", applicationName: "test", lanes: 1))
        let task = Task {
            try await database.run(deadline: .now + .seconds(600)) { try $0.int("select 1") }
        }
        for _ in 0..<100 { await Task.yield() }  // wherever it is by then, it must stop
        task.cancel()
        let error = await databaseError { _ = try await task.value }
        #expect(error?.code == .cancelled)
        await database.close()
    }

    @Test func `an unknown database is told at once with its SQLSTATE`() async throws {
        let url = try await TestDatabase.make().url
        let database = Database(
            try DatabaseConfiguration(
                conninfo: url.replacing("jr_test", with: "jr_none"), applicationName: "test",
                lanes: 1))
        let error = await databaseError { _ = try await database.run { try $0.int("select 1") } }
        #expect(error?.code == .notConnected)
        #expect(error?.sqlstate == "3D000")
        #expect(error?.isRefusedLogin == true)
        await database.close()
    }

    @Test func `a crashed and restarted server is found again`() async throws {
        let cluster = try TestCluster.start()
        let database = Database(
            try DatabaseConfiguration(
                conninfo: cluster.url, applicationName: "test", lanes: 2))
        _ = try await database.run { try $0.int("select 1") }
        try cluster.restart()
        let value = try await database.run(deadline: .now + .seconds(30)) {
            try $0.int("select 2")
        }
        #expect(value == 2)
        await database.close()
        try cluster.stop()
    }
}
