import Dispatch
import JSON
import JobQueue
import Postgres
import Schema
import Testing

/// A listener that does not read lets the server's queue of notifications fill up, of whichever database it is.
@Suite(.timeLimit(.minutes(10))) struct NotificationQueueTests {
    private func configuration(_ url: String) throws -> DatabaseConfiguration {
        try DatabaseConfiguration(conninfo: url, applicationName: "test", lanes: 1)
    }

    /// A session that listens and stays in a transaction, until it is told to go on.
    private func standStill(_ url: String, until goesOn: DispatchSemaphore) throws -> Task<
        Void, any Error
    > {
        let database = Database(try configuration(url))
        return Task {
            try await database.run { session in
                try session.script("listen anything")
                try session.script("begin")
                try session.script("select 1")
                goesOn.wait()
                try session.script("rollback")
            }
            await database.close()
        }
    }

    /// The channels that hear of what makes work due, of what stops runs, and of what an application is told.
    private func heard(_ url: String, _ database: Database) async throws -> [String] {
        let listener = Listener(
            try configuration(url), channels: ["jobrunner_due", "jobrunner_stop", "app", "end"])
        defer { listener.close() }
        var events = listener.events.makeAsyncIterator()
        #expect(await events.next() == .listening)
        try await database.run { session in
            try session.script(
                """
                select jobrunner.add_user('acme', 'user' || pg_current_xact_id()::text, '{}');
                select jobrunner.pause_jobs('acme', 'ann');
                select jobrunner.notify('app', '', in_fullest => 0.5);
                """)
            try session.script("notify \"end\"")
        }
        var channels: [String] = []
        while case .notification(let channel, _)? = await events.next(), channel != "end" {
            channels.append(channel)
        }
        return channels.sorted()
    }

    @Test
    func `while the queue of notifications fills up, verbs do without, and a doctor names it`()
        async throws
    {
        // The queue is the whole server's: other tests would hear nothing.
        let cluster = try TestCluster.start()
        let test = try await TestDatabase.make(on: cluster)
        let database = Database(try test.configuration())
        let queue = Queue(database)
        _ = try await Migrator(database: database).migrate(jobFiles: [])
        try await database.run {
            try $0.script(
                "select jobrunner.add_tenant('acme'); select jobrunner.add_user('acme', 'ann', '{}')"
            )
        }
        let all = try await heard(test.url, database)
        #expect(all == ["app", "jobrunner_due", "jobrunner_stop"])
        let goesOn = DispatchSemaphore(value: 0)
        let stuck = try standStill(cluster.url, until: goesOn)
        try await eventually("it stands still") {
            try await database.run { session in
                try session.query(
                    .unprepared(
                        "select count(*) from pg_stat_activity where state = 'idle in transaction'")
                ).only().int(0) == 1
            }
        }
        // Somewhat over one per cent of eight gigabytes.
        try await database.run { session in
            try session.script(
                "select count(pg_notify('filler', n || repeat('x', 7900))) from generate_series(1, 12000) as n"
            )
        }
        let few = try await heard(test.url, database)
        #expect(few == ["app"])
        let found = try await queue.examine([.notificationQueue])[.notificationQueue]
        #expect(found?.count == 1)
        #expect(found?.first?["percent"]?.numberText.flatMap { Double($0) } ?? 0 > 1)

        goesOn.signal()
        try await stuck.value
        let again = try await heard(test.url, database)
        #expect(again == all)
        let nothing = try await queue.examine([.notificationQueue])[.notificationQueue]
        #expect(nothing?.isEmpty == true)
        await database.close()
        try cluster.stop()
    }
}
