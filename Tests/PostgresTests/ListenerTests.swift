import Postgres
import TestSupport
import Testing

struct ListenerTests {
    @Test(.timeLimit(.minutes(10)))
    func `notifications arrive, also after the listener's backend was terminated`() async throws {
        let test = try await TestDatabase.make()
        let database = Database(try test.configuration())
        let listener = Listener(try test.configuration(), channels: ["plain", "od\"d Name"])
        var events = listener.events.makeAsyncIterator()
        #expect(await events.next() == .listening)

        func notify(_ channel: String, _ payload: String) async throws {
            try await database.run { session in
                _ = try session.query(
                    Statement("select pg_notify($1, $2)", .text(channel), .text(payload)))
            }
        }
        try await notify("plain", "one")
        #expect(await events.next() == .notification(channel: "plain", payload: "one"))
        try await notify("od\"d Name", "")
        #expect(await events.next() == .notification(channel: "od\"d Name", payload: ""))

        let killed = try await database.run { session in
            try session.int(
                """
                select count(pg_terminate_backend(pid)) from pg_stat_activity
                where datname = current_database() and pid <> pg_backend_pid()
                """)
        }
        #expect(killed == 1)
        guard case .failed(let error) = await events.next() else {
            Issue.record("the loss was not told")
            return
        }
        #expect(error.isConnectionFailure)
        #expect(await events.next() == .listening)
        try await notify("plain", "two")
        #expect(await events.next() == .notification(channel: "plain", payload: "two"))

        listener.close()
        #expect(await events.next() == nil)
        await database.close()
    }

    @Test(.timeLimit(.minutes(10)))
    func `a session that does not listen is told nothing, and tells when it listens again`()
        async throws
    {
        let test = try await TestDatabase.make()
        let database = Database(try test.configuration())
        let listener = Listener(try test.configuration(), channels: ["plain"])
        var events = listener.events.makeAsyncIterator()
        #expect(await events.next() == .listening)

        listener.listens(false)
        let listening = "select count(*) from pg_stat_activity where query like 'unlisten%'"
        while try await database.run({ try $0.int(listening) }) == 0 { await Task.yield() }
        try await database.run {
            _ = try $0.query(Statement("select pg_notify('plain', 'unheard')"))
        }
        listener.listens(true)
        #expect(await events.next() == .listening)
        try await database.run { _ = try $0.query(Statement("select pg_notify('plain', 'heard')")) }
        #expect(await events.next() == .notification(channel: "plain", payload: "heard"))

        listener.close()
        #expect(await events.next() == nil)
        await database.close()
    }
}
