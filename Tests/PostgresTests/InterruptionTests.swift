import Postgres
import TestSupport
import Testing

private let sleepLong = Statement("select pg_sleep(600)")

struct InterruptionTests {
    /// Waits until a statement with this mark runs on the server.
    private func waitUntilRunning(_ mark: String) async throws {
        try await eventually("\(mark) runs") {
            try await shared.run { session in
                try session.int(
                    """
                    select count(*) from pg_stat_activity
                    where state = 'active' and query like $1 and pid <> pg_backend_pid()
                    """, .text("%\(mark)%")) > 0
            }
        }
    }

    @Test func `a deadline interrupts the statement and the session lives on`() async throws {
        try await withPool(lanes: 1) { database in
            _ = try await database.run { try $0.int("select 1") }
            let start = ContinuousClock.now
            let error = await databaseError {
                _ = try await database.run(deadline: start + .milliseconds(200)) {
                    try $0.query(sleepLong)
                }
            }
            let elapsed = start.duration(to: .now)
            #expect(error?.code == .timedOut)
            #expect(error?.statement == sleepLong.sql)
            #expect(elapsed >= .milliseconds(200))
            #expect(elapsed < hangLimit)
            #expect(try await database.run { try $0.int("select 2") } == 2)
            #expect(database.counts.connects == 1)
        }
    }

    @Test func `cancelling the task interrupts the statement and the session lives on`()
        async throws
    {
        try await withPool(lanes: 1) { database in
            let task = Task {
                try await database.run {
                    try $0.query(Statement("select pg_sleep(600) as cancelled_task"))
                }
            }
            try await waitUntilRunning("cancelled_task")
            task.cancel()
            let error = await databaseError { _ = try await task.value }
            #expect(error?.code == .cancelled)
            #expect(try await database.run { try $0.int("select 2") } == 2)
            #expect(database.counts.connects == 1)
        }
    }

    @Test func `no cancel ever hits a later statement`() async throws {
        try await withPool(lanes: 1) { database in
            _ = try await database.run { try $0.int("select 1") }
            var interrupted = 0
            for round in 0..<200 {
                // Every other one ends by itself at about the time the cancel arrives.
                let seconds = round % 2 == 0 ? 60 : 0.002
                do {
                    _ = try await database.run(deadline: .now + .milliseconds(1 + round % 3)) {
                        try $0.query(Statement("select pg_sleep($1)", .double(seconds)))
                    }
                } catch let error as DatabaseError {
                    #expect(error.code == .timedOut)
                    interrupted += 1
                }
                let value = try await database.run { session in
                    try session.int("select $1 from pg_sleep(0.0005)", .int(round))
                }
                #expect(value == round)
            }
            #expect(interrupted >= 100)
            #expect(database.counts.connects == 1)
        }
    }

    @Test func `an interrupted transaction is rolled back`() async throws {
        try await withTestDatabase(lanes: 1) { database in
            try await database.run { try $0.script("create table t (i int)") }
            let error = await #expect(throws: TransactionError.self) {
                _ = try await database.run(deadline: .now + .seconds(1)) { session in
                    try session.transaction { session in
                        _ = try session.query(Statement("insert into t values (1)"))
                        _ = try session.query(sleepLong)
                    }
                }
            }
            #expect(error?.databaseError?.code == .timedOut)
            #expect(error?.rollback == nil)
            let turn = await databaseError {
                _ = try await database.run(deadline: .now + .seconds(1)) {
                    try $0.transactionTurn([Statement("insert into t values (1)"), sleepLong])
                }
            }
            #expect(turn?.code == .timedOut)
            #expect(turn?.statementIndex == 1)
            #expect(try await database.run { try $0.int("select count(*) from t") } == 0)
            #expect(database.counts.connects == 1)
        }
    }

    @Test func `every later statement of an interrupted body throws at once`() async throws {
        try await withPool(lanes: 1) { database in
            _ = try await database.run { try $0.int("select 1") }
            let error = await databaseError {
                _ = try await database.run(deadline: .now + .milliseconds(50)) { session in
                    _ = try? session.query(sleepLong)
                    return try session.int("select 1")
                }
            }
            #expect(error?.code == .timedOut)
        }
    }

    @Test func `a deadline holds while waiting for a lane`() async throws {
        try await withPool(lanes: 1) { database in
            let busy = Task {
                try await database.run {
                    try $0.query(Statement("select pg_sleep(600) as holds_the_lane"))
                }
            }
            try await waitUntilRunning("holds_the_lane")
            let start = ContinuousClock.now
            let error = await databaseError {
                _ = try await database.run(deadline: start + .milliseconds(100)) {
                    try $0.int("select 1")
                }
            }
            #expect(error?.code == .timedOut)
            #expect(start.duration(to: .now) < hangLimit)
            busy.cancel()
            _ = await databaseError { _ = try await busy.value }
        }
    }

    @Test func `a task cancelled while waiting for a lane never runs`() async throws {
        try await withTestDatabase(lanes: 1) { database in
            let busy = Task {
                try await database.run {
                    try $0.query(Statement("select pg_sleep(600) as keeps_the_lane"))
                }
            }
            try await waitUntilRunning("keeps_the_lane")
            let waiting = Task {
                try await database.run { try $0.script("create table never (i int)") }
            }
            waiting.cancel()
            let error = await databaseError { try await waiting.value }
            #expect(error?.code == .cancelled)
            busy.cancel()
            _ = await databaseError { _ = try await busy.value }
            let table = try await database.run {
                try $0.query(Statement("select to_regclass('never')::text as t")).only()
                    .optionalText("t")
            }
            #expect(table == nil)
        }
    }

    @Test func `the server's own statement timeout keeps its SQLSTATE`() async throws {
        var configuration = try await TestDatabase.make().configuration()
        configuration.statementTimeout = .milliseconds(500)
        let database = Database(configuration)
        let error = await databaseError { _ = try await database.run { try $0.query(sleepLong) } }
        #expect(error?.code == .server("57014"))
        #expect(error?.isTransient == true)
        await database.close()
    }
}
