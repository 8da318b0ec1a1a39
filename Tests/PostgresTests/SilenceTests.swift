import TestSupport
import Testing

@testable import Postgres

/// Connections that are open and pass nothing on.
@Suite(.timeLimit(.minutes(10))) struct SilenceTests {
    private func withRelay(
        lanes: Int, _ body: (Database, FaultyRelay) async throws -> Void
    ) async throws {
        let relay = try FaultyRelay(to: TestCluster.shared.url)
        var configuration = try DatabaseConfiguration(
            conninfo: relay.url, applicationName: "jobrunner-test", lanes: lanes)
        configuration.statementTimeout = .milliseconds(500)
        let database = Database(configuration)
        try await body(database, relay)
        await database.close()
    }

    @Test
    func `a turn that is not answered loses its session a little after its statement timeout`()
        async throws
    {
        try await withRelay(lanes: 1) { database, relay in
            _ = try await database.run { try $0.int("select 1") }
            relay.silencePresent()
            let start = ContinuousClock.now
            let error = await databaseError {
                _ = try await database.run { try $0.int("select 2") }
            }
            let took = ContinuousClock.now - start
            #expect(error?.code == .connectionLost)
            #expect(error?.isTransient == true)
            #expect(took >= .milliseconds(500) && took < hangLimit, "\(took)")
            #expect(try await database.run { try $0.int("select 3") } == 3)
            #expect(database.counts.connects == 2)
        }
    }

    @Test func `lanes that all fall silent at once all serve again`() async throws {
        try await withRelay(lanes: 4) { database, relay in
            @Sendable func ask(_ number: Int) async throws -> Int {
                try await database.run { session in
                    try session.int("select $1 from pg_sleep(0.02)", .int(number))
                }
            }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 1...8 { group.addTask { try await ask(number) } }
                try await group.waitForAll()
            }
            #expect(database.counts.connects == 4)
            relay.silencePresent()
            let lost = await withTaskGroup(of: Bool.self) { group in
                for number in 1...4 { group.addTask { (try? await ask(number)) == nil } }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(lost == 4)
            for number in 1...4 { #expect(try await ask(number) == number) }
        }
    }

    @Test func `a transaction turn that is not answered leaves its commit unknown`() async throws {
        try await withRelay(lanes: 1) { database, relay in
            _ = try await database.run { try $0.int("select 1") }
            relay.silencePresent()
            let error = await databaseError {
                _ = try await database.run { try $0.transactionTurn([Statement("select 2")]) }
            }
            #expect(error?.code == .commitUnknown)
        }
    }

    @Test(
        arguments: [
            ("", nil), ("-c statement_timeout=3s", Duration.seconds(3)),
            ("-c jit=off --statement-timeout=1500 -c statement_timeout=2min", .seconds(120)),
            ("-cstatement_timeout=250ms", .milliseconds(250)), ("-c statement_timeout=0", .zero),
            ("-c idle_in_transaction_session_timeout=5s", nil), ("-c statement_timeout=soon", nil),
        ] as [(String, Duration?)])
    func `the options of a connection string say how long a statement may take`(
        options: String, limit: Duration?
    ) {
        #expect(statementTimeoutGiven(options) == limit)
    }

    @Test func `who sets no statement timeout sets no limit`() throws {
        var configuration = try DatabaseConfiguration(
            conninfo: "options='-c statement_timeout=0'", applicationName: "test", lanes: 1)
        #expect(configuration.turnLimit == nil)
        configuration = try DatabaseConfiguration(
            conninfo: "", applicationName: "test", lanes: 1)
        #expect(configuration.turnLimit == .seconds(32))
    }
}
