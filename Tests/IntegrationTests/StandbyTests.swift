import Postgres
import Testing

/// The server dies, and the standby that had confirmed every commit takes its place.
@Suite(.timeLimit(.minutes(10))) struct StandbyTests {
    private static let yaml = World.generic(
        "token", page: "style: token, token_at: next_token, size: 5",
        query: #"cursor: "{page.token}""#)
    private let users = (1...6).map { "user\($0)" }

    /// From here on no commit is answered before the standby has it.
    private func makeSynchronous(_ primary: TestCluster) async throws {
        let database = Database(
            try DatabaseConfiguration(
                conninfo: primary.administratorURL, applicationName: "test", lanes: 1))
        try await database.run { session in
            try session.script("alter system set synchronous_standby_names = '*'")
            try session.script("alter system set synchronous_commit = on")
            try session.script("select pg_reload_conf()")
        }
        try await eventually("the standby confirms each commit") {
            try await database.run { session in
                try session.query(
                    .unprepared(
                        """
                        select count(*) from pg_stat_replication
                        where sync_state = 'sync' and current_setting('synchronous_commit') = 'on'
                        """)
                ).only().int(0) == 1
            }
        }
        await database.close()
    }

    @Test func `a worker goes on where it stood on the standby that took the server's place`()
        async throws
    {
        let primary = try TestCluster.start()
        let standby = try primary.standby()
        try await makeSynchronous(primary)
        let world = try await World(Self.yaml, servers: (primary, standby))
        for user in users { try await world.addUser(user, videos: 300) }
        let worker = try await world.start()
        try await eventually("pages are committed") {
            try await world.value("select count(*) > 60 from synced.generic_item") == "true"
        }
        try primary.crash()
        // Longer than a page tries again where it is not the server that is to blame.
        try await outageLasts(.seconds(4))
        try standby.promote()
        try await eventually("every job is complete") {
            try await world.value(
                """
                select count(*) from jobrunner.jobs
                where last_outcome is distinct from 'complete' or worker_id is not null
                """) == "0"
        }
        await worker.stop()
        for user in users { #expect(try await world.holdsAllItems(of: user), "\(user)") }
        #expect(
            try await world.value("select sum((counters).inserted) from jobrunner.runs")
                == (try await world.value("select count(*) from synced.generic_item")))
        let blamed = try await world.value(
            """
            select count(*) from jobrunner.jobs
            where consecutive_failures + stalled_runs + crashes > 0 or quarantined_at is not null
            """)
        #expect(blamed == "0")
        await world.close()
        try standby.stop()
        try primary.stop()
    }
}
