import Postgres
import JobQueue
import Schema
import Testing

@Suite(.timeLimit(.minutes(10))) struct PromotionTests {
    private func database(_ cluster: TestCluster) throws -> Database {
        Database(
            try DatabaseConfiguration(conninfo: cluster.url, applicationName: "test", lanes: 1))
    }

    private func register(_ database: Database) async throws -> Int {
        try await Queue(database).registerWorker(host: "h", pid: 1, version: "0", capacity: 1)
    }

    /// Reaps when the first worker last beat at a time, which is an expression of SQL.
    ///
    /// The lease is a second less than the server's age, so that what has happened on this server is within it, however
    /// long a busy machine takes.
    private func reap(_ database: Database, beaten time: String) async throws -> [String] {
        try await database.run { session in
            // In one transaction, so that both mean the same moment by now.
            try session.transaction { session in
                try session.script(
                    """
                    \(Given.beat(at: time, where: "id = 1"))
                    \(Given.beat(at: "now()", where: "id <> 1"))
                    \(Given.sessionsGoneEarlier("2 s"))
                    """)
                return try session.query(
                    .unprepared(
                        """
                        select worker_id || ' ' || reason
                        from jobrunner.reap_jobs(now() - pg_postmaster_start_time() - interval '1 s')
                        """)
                ).map { try $0.text(0) }
            }
        }
    }

    /// Waits until an expression of SQL is true.
    private func wait(_ database: Database, until condition: String) async throws {
        try await eventually(condition) {
            try await database.run { session in
                try session.query(.unprepared("select coalesce((\(condition)), false)")).only()
                    .bool(0)
            }
        }
    }

    /// A standby that took its primary's place after worker 1 had been registered there, and sessions with it.
    private func promoted() async throws -> (TestCluster, Database) {
        let primary = try TestCluster.start()
        let old = try database(primary)
        _ = try await Migrator(database: old).migrate(jobFiles: [])
        #expect(try await register(old) == 1)
        let standby = try primary.standby()
        await old.close()
        try primary.stop()
        try standby.promote()
        return (standby, try database(standby))
    }

    @Test func `a worker that lost its session to a promotion is not given up before its lease`()
        async throws
    {
        let (standby, new) = try await promoted()
        // Past the time for which a restart alone would spare everybody.
        try await wait(new, until: "pg_postmaster_start_time() < now() - interval '10 s'")
        for _ in 1...3 { #expect(try await reap(new, beaten: "now() - interval '9 s'") == []) }
        #expect(
            try await new.run { session in
                try session.query(
                    .unprepared("select session_gone_at is not null from jobrunner.workers")
                ).only().bool(0)
            })
        // Another that was there before its last sign of life shows that it alone is gone.
        let other = try database(standby)
        let number = try await register(other)
        let begun = "(select session_started_at from jobrunner.workers where id = \(number))"
        try await wait(new, until: "\(begun) < now() - interval '2.5 s'")
        #expect(try await reap(new, beaten: "\(begun) - interval '0.1 s'") == [])
        #expect(try await reap(new, beaten: "\(begun) + interval '0.1 s'") == ["1 session_gone"])
        await other.close()
        await new.close()
        try standby.stop()
    }

    @Test func `a worker that is silent on a promoted server is given up after its lease`()
        async throws
    {
        let (standby, new) = try await promoted()
        #expect(try await reap(new, beaten: "pg_postmaster_start_time()") == ["1 silent"])
        await new.close()
        try standby.stop()
    }
}
