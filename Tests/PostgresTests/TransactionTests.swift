import Postgres
import TestSupport
import Testing

private struct Oops: Error {}

struct TransactionTests {
    private func transactionError<R: Sendable>(
        _ database: Database, _ body: @escaping @Sendable (Session) throws -> R
    ) async -> TransactionError? {
        await #expect(throws: TransactionError.self) {
            _ = try await database.run { try $0.transaction(body) }
        }
    }

    @Test func `a transaction keeps what its body did`() async throws {
        try await withTestDatabase { database in
            try await database.run { session in
                try session.transaction { session in
                    try session.script("create table t (i int)")
                    _ = try session.query(Statement("insert into t values (1)"))
                }
            }
            #expect(try await database.run { try $0.int("select count(*) from t") } == 1)
        }
    }

    @Test func `a body that throws is rolled back and its error kept`() async throws {
        try await withTestDatabase(lanes: 1) { database in
            let error = await transactionError(database) { session in
                try session.script("create table t (i int)")
                throw Oops()
            }
            #expect(error?.body is Oops)
            #expect(error?.begin == nil && error?.commit == nil && error?.rollback == nil)
            let table = try await database.run {
                try $0.query(Statement("select to_regclass('t')::text as t")).only()
                    .optionalText("t")
            }
            #expect(table == nil)
            #expect(database.counts.connects == 1)
        }
    }

    @Test func `a swallowed failure is found by the tag ROLLBACK`() async throws {
        let error = await transactionError(shared) { session in
            _ = try? session.int("select 1 / 0")
        }
        #expect(error?.commit?.code == .rolledBackAtCommit)
        #expect(error?.databaseError?.code == .rolledBackAtCommit)
    }

    @Test func `a deferred constraint is an error of the commit`() async throws {
        try await withTestDatabase { database in
            let error = await transactionError(database) { session in
                try session.script(
                    """
                    create table t (i int primary key deferrable initially deferred);
                    insert into t values (1), (1)
                    """)
            }
            #expect(error?.commit?.code == .server("23505"))
        }
    }

    @Test func `a rollback that fails is told beside the body's error`() async throws {
        try await withPool(lanes: 1) { database in
            let error = await transactionError(database) { session in
                _ = try session.query(Statement("select pg_terminate_backend(pg_backend_pid())"))
            }
            #expect((error?.body as? DatabaseError)?.code == .connectionLost)
            #expect((error?.body as? DatabaseError)?.sqlstate == "57P01")
            #expect(error?.rollback == nil)  // there was no connection left to roll back on
            let value = try await database.run { try $0.int("select 1") }
            #expect(value == 1)
        }
    }

    @Test func `a transaction inside a transaction is misuse`() async throws {
        let error = await transactionError(shared) { session in
            try session.transaction { _ in }
        }
        #expect((error?.body as? TransactionError)?.begin?.code == .misuse)
        let turn = await transactionError(shared) { session in
            _ = try session.transactionTurn([Statement("select 1")])
        }
        #expect((turn?.body as? DatabaseError)?.code == .misuse)
    }

    @Test func `a connection lost at commit leaves the commit unknown`() async throws {
        try await withTestDatabase { database in
            try await database.run { session in
                try session.script(
                    """
                    create table t (i int);
                    create function die() returns trigger language plpgsql as
                    $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
                    create constraint trigger die after insert on t
                    deferrable initially deferred for each row execute function die();
                    """)
            }
            let insert = Statement("insert into t values (1)")
            let error = await transactionError(database) { _ = try $0.query(insert) }
            #expect(error?.commit?.code == .commitUnknown)
            let turn = await databaseError {
                _ = try await database.run { try $0.transactionTurn([insert]) }
            }
            #expect(turn?.code == .commitUnknown)
        }
    }

    @Test func `a commit whose reply is lost on the way is unknown and may have happened`()
        async throws
    {
        let test = try await TestDatabase.make()
        let direct = Database(try test.configuration())
        try await direct.run { try $0.script("create table t (i int)") }
        let insert = Statement("insert into t values (1)")

        for isTurn in [true, false] {
            // The statement's text: a session asks for "read committed" at its start.
            let relay = try ReplyEater(to: test.url, after: "commit\0")
            let database = Database(
                try DatabaseConfiguration(
                    conninfo: relay.url, applicationName: "test", lanes: 1))
            let code = try await database.run { session -> DatabaseError.Code? in
                do {
                    if isTurn {
                        _ = try session.transactionTurn([insert])
                    } else {
                        try session.transaction { _ = try $0.query(insert) }
                    }
                    return nil
                } catch let error as DatabaseError {
                    return error.code
                } catch let error as TransactionError {
                    return error.commit?.code
                }
            }
            #expect(code == .commitUnknown)
            await database.close()
        }
        #expect(try await direct.run { try $0.int("select count(*) from t") } == 2)
        await direct.close()
    }

    @Test func `a connection lost before commit was reached is no commit`() async throws {
        let error = await databaseError {
            try await shared.run { session in
                _ = try session.transactionTurn([
                    Statement("select pg_terminate_backend(pg_backend_pid())")
                ])
            }
        }
        #expect(error?.code == .connectionLost)
        #expect(error?.sqlstate == "57P01")
        #expect(error?.isTransient == true)
        #expect(error?.isConnectionFailure == true)
    }

    @Test func `a transaction left open by a body is rolled back and told`() async throws {
        try await withTestDatabase(lanes: 1) { database in
            let error = await databaseError {
                _ = try await database.run { try $0.script("begin; create table t (i int)") }
            }
            #expect(error?.code == .misuse)
            let table = try await database.run {
                try $0.query(Statement("select to_regclass('t')::text as t")).only()
                    .optionalText("t")
            }
            #expect(table == nil)
        }
    }
}
