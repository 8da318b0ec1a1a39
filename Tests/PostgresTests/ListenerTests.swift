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
    func `bodies run on its session beside notifications, and neither is lost`() async throws {
        let test = try await TestDatabase.make()
        let database = Database(try test.configuration())
        let listener = Listener(try test.configuration(), channels: ["plain"])
        var events = listener.events.makeAsyncIterator()
        #expect(await events.next() == .listening)
        let own = try await listener.run(deadline: .now + hangLimit) {
            try $0.int("select pg_backend_pid()")
        }
        let count = 100
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...count * 3 {
                group.addTask {
                    try await listener.run(deadline: .now + hangLimit) { session in
                        let answer = try session.int("select $1::bigint", .int8(Int64(number)))
                        let pid = try session.int("select pg_backend_pid()")
                        return pid == own && answer == number ? 1 : 0
                    }
                }
            }
            for number in 1...count {
                try await database.run {
                    _ = try $0.query(Statement("select pg_notify('plain', $1)", .text("\(number)")))
                }
            }
            #expect(try await group.reduce(0, +) == count * 3)
        }
        for number in 1...count {
            #expect(await events.next() == .notification(channel: "plain", payload: "\(number)"))
        }
        listener.close()
        await database.close()
    }

    @Test(.timeLimit(.minutes(10)))
    func `while its session is lost a body is refused, and a later one has the next session`()
        async throws
    {
        let test = try await TestDatabase.make()
        let listener = Listener(try test.configuration(), channels: ["plain"])
        var events = listener.events.makeAsyncIterator()
        #expect(await events.next() == .listening)
        for _ in 1...3 {
            let lost = await databaseError {
                _ = try await listener.run(deadline: .now + hangLimit) {
                    try $0.int("select pg_terminate_backend(pg_backend_pid())::int")
                }
            }
            #expect(lost?.code == .connectionLost)
            while let event = await events.next(), event != .listening {}
            let one = try await listener.run(deadline: .now + hangLimit) { try $0.int("select 1") }
            #expect(one == 1)
        }
        listener.close()
        while await events.next() != nil {}
        let closed = await databaseError {
            _ = try await listener.run(deadline: .now + hangLimit) { try $0.int("select 1") }
        }
        #expect(closed?.code == .notConnected)
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
