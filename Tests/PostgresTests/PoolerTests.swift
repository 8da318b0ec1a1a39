import TestSupport
import Testing

@testable import Postgres

/// pgbouncer lends its sessions for a transaction: nothing of a session lasts, and any two are of different servers.
@Suite(.timeLimit(.minutes(10))) struct PoolerTests {
    private func withPooler(
        lanes: Int = 1, isPooled: Bool = true, _ lines: String = "default_pool_size = 1",
        change: (inout DatabaseConfiguration) -> Void = { _ in },
        _ body: (Database) async throws -> Void
    ) async throws {
        let pooler = try Pooler(to: TestCluster.shared.url, lines)
        var configuration = try DatabaseConfiguration(
            conninfo: pooler.url, applicationName: "jobrunner-test", lanes: lanes)
        configuration.isPooled = isPooled
        configuration.reconnectTimeout = .zero
        change(&configuration)
        try await Database.withSessions(configuration, body)
        try pooler.stop()
    }

    private static let settings = """
        select concat_ws(' ', current_setting('statement_timeout'), current_setting('lock_timeout'), \
        current_setting('search_path'), current_setting('TimeZone'), current_setting('jit'), \
        current_setting('transaction_isolation'), current_setting('bytea_output'))
        """
    private static let expected = "1234ms 2s public UTC off read committed hex"

    @Test func `each transaction brings its settings, and leaves none behind`() async throws {
        try await withPooler(change: { $0.statementTimeout = .milliseconds(1234) }) {
            database async throws in
            let statement = Statement(Self.settings)
            let found = try await database.run { session in
                [
                    try session.query(statement).only().text(0),
                    try session.pipeline([statement])[0].only().text(0),
                    try session.transactionTurn([statement])[0].only().text(0),
                    try session.transaction { try $0.query(statement).only().text(0) },
                ]
            }
            #expect(found == Array(repeating: Self.expected, count: 4))
            // The server's session, which the next of any program gets.
            let left = try await database.run { session in
                try session.script("select 1")
                return try session.int("select count(*) from pg_prepared_statements")
            }
            #expect(left == 0)
        }
        try await withPooler(change: { $0.statementTimeout = .milliseconds(1234) }) {
            database async throws in
            try await database.run { _ = try $0.int("select 1") }
            // A text of its own begins no transaction that would bring settings.
            try await database.run { session in
                try session.script(
                    "do $$ begin if current_setting('statement_timeout') <> '0' then raise 'left'; end if; end $$"
                )
            }
        }
    }

    @Test func `options of the connection string hold in each transaction as well`() async throws {
        let pooler = try Pooler(to: TestCluster.shared.url)
        var configuration = try DatabaseConfiguration(
            conninfo: pooler.url
                + "?options=-c%20statement_timeout%3D7s%20-c%20search_path%3Dpg_temp",
            applicationName: "jobrunner-test", lanes: 1)
        configuration.isPooled = true
        try await Database.withSessions(configuration) { database in
            let found = try await database.run {
                try $0.query(Statement(Self.settings)).only().text(0)
            }
            #expect(found.hasPrefix("7s 2s public UTC"))
        }
        try pooler.stop()
    }

    @Test func `more lanes than sessions of the server serve one another's turn`() async throws {
        try await withPooler(lanes: 8) { database async throws in
            let sums = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 1...200 {
                    group.addTask {
                        try await database.run { session in
                            try session.int("select $1::bigint * 2", .int8(Int64(number)))
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(sums == 200 * 201)
        }
    }

    @Test func `an error is told of the caller's statement, and nothing of its turn is kept`()
        async throws
    {
        try await withPooler { database in
            try await database.run { session in
                try session.script("create table if not exists public.pooled (n int primary key)")
                try session.script("truncate public.pooled")
            }
            let insert = Statement("insert into public.pooled values ($1)", .int4(1))
            let failing = Statement("select 1 / $1", .int4(0))
            let piped = await databaseError {
                _ = try await database.run { try $0.pipeline([insert, failing]) }
            }
            #expect(piped?.code == .server("22012"))
            #expect(piped?.statementIndex == 1)
            let alone = await databaseError { _ = try await database.run { try $0.query(failing) } }
            #expect(alone?.code == .server("22012"))
            #expect(alone?.statementIndex == nil)
            #expect(alone?.statement == failing.sql)
            #expect(
                try await database.run { try $0.int("select count(*) from public.pooled") } == 0)
            let inside = await databaseError {
                do {
                    try await database.run { session in
                        try session.transaction {
                            _ = try $0.query(insert)
                            _ = try $0.query(failing)
                        }
                    }
                } catch let error as TransactionError { throw error.databaseError ?? error }
            }
            #expect(inside?.code == .server("22012"))
            #expect(
                try await database.run { try $0.int("select count(*) from public.pooled") } == 0)
            try await database.run { try $0.script("drop table public.pooled") }
        }
    }

    @Test func `a body whose deadline passes is cancelled by nobody, and its session is left`()
        async throws
    {
        try await withPooler(change: { $0.statementTimeout = .seconds(5) }) {
            database async throws in
            let error = await databaseError {
                _ = try await database.run(deadline: .now + .milliseconds(100)) {
                    try $0.int("select 1 from pg_sleep(60)")
                }
            }
            #expect(error?.code == .connectionLost)
            #expect(try await database.run { try $0.int("select 2") } == 2)
        }
    }

    @Test(arguments: ["default_pool_size = 1", "ignore_startup_parameters = options"])
    func `who takes a pooler for the database is told where to name it`(_ line: String) async throws
    {
        try await withPooler(isPooled: false, line) { database async throws in
            let error = await databaseError {
                _ = try await database.run { try $0.int("select 1") }
            }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains("JOBRUNNER_DIRECT_URL") == true)
        }
    }

    @Test func `a pooler that leads to a server that was replaced is refused before it writes`()
        async throws
    {
        let timelines = ServerTimelines()
        try await withPooler(change: { $0.timelines = timelines }) { database async throws in
            timelines.note(ServerIdentity(system: 1, timeline: 1))
            #expect(try await database.run { try $0.int("select 1") } == 1)
            timelines.note(ServerIdentity(system: 1, timeline: 9))
            for turn in ["query", "turn", "transaction"] {
                let error = await databaseError {
                    do {
                        try await database.run { session in
                            switch turn {
                            case "query": _ = try session.int("select 1")
                            case "turn": _ = try session.transactionTurn([Statement("select 1")])
                            default: try session.transaction { _ = try $0.int("select 1") }
                            }
                        }
                    } catch let error as TransactionError { throw error.databaseError ?? error }
                }
                #expect(error?.code == .notConnected, "\(turn)")
                #expect(error?.message.contains("was replaced") == true, "\(turn)")
            }
        }
    }

    @Test func `a pooler that is gone before it has answered a commit leaves it open`() async throws
    {
        let pooler = try Pooler(to: TestCluster.shared.url)
        var configuration = try DatabaseConfiguration(
            conninfo: pooler.url, applicationName: "jobrunner-test", lanes: 1)
        configuration.isPooled = true
        configuration.reconnectTimeout = .zero
        try await Database.withSessions(configuration) { database in
            async let error = databaseError {
                _ = try await database.run {
                    try $0.transactionTurn([Statement("select 1 from pg_sleep(3)")])
                }
            }
            try await eventually("the turn is under way") {
                try await shared.run {
                    try $0.int(
                        """
                        select count(*) from pg_stat_activity
                        where query = 'select 1 from pg_sleep(3)' and state = 'active'
                        """)
                } > 0
            }
            try pooler.stop()
            #expect(await error?.code == .commitUnknown)
        }
    }
}
