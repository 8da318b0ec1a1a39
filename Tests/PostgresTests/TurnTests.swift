import Postgres
import TestSupport
import Testing

struct TurnTests {
    @Test func `a pipeline is one turn and all its rows come back in order`() async throws {
        try await withPool(lanes: 1) { database in
            _ = try await database.run { try $0.int("select 0") }
            let before = database.counts
            let values = try await database.run { session in
                try session.pipeline((0..<50).map { Statement("select $1 as v", .int($0)) })
                    .map { try $0.only().int("v") }
            }
            #expect(values == Array(0..<50))
            #expect(database.counts.roundTrips - before.roundTrips == 1)
            #expect(database.counts.statements - before.statements == 50)
            #expect(database.counts.connects == 1)
        }
    }

    @Test func `an empty pipeline asks nothing`() async throws {
        #expect(try await shared.run { try $0.pipeline([]).count } == 0)
    }

    @Test func `the first error of a pipeline wins, carries its index and undoes the rest`()
        async throws
    {
        try await withTestDatabase { database in
            try await database.run { try $0.script("create table t (i int primary key)") }
            let error = await databaseError {
                try await database.run { session in
                    _ = try session.pipeline([
                        Statement("insert into t values ($1)", .int4(1)),
                        Statement("insert into t values ($1)", .int4(2)),
                        Statement("insert into t values ($1)", .int4(1)),
                        Statement("select 1 / $1", .int4(0)),
                    ])
                }
            }
            #expect(error?.code == .server("23505"))
            #expect(error?.statementIndex == 2)
            #expect(error?.constraint == "t_pkey")
            #expect(error?.table == "t")
            #expect(error?.statement == "insert into t values ($1)")
            #expect(error?.isDataError == false)
            #expect(error?.isTransient == false)
            let count = try await database.run { try $0.int("select count(*) from t") }
            #expect(count == 0)
        }
    }

    @Test func `a statement that can't be prepared fails with its index and position`() async throws
    {
        let error = await databaseError {
            try await shared.run { session in
                _ = try session.pipeline([Statement("select 1"), Statement("selec 2")])
            }
        }
        #expect(error?.code == .server("42601"))
        #expect(error?.statementIndex == 1)
        #expect(error?.position == 1)
    }

    @Test func `a deferred constraint fails the pipeline at its end, without an index`()
        async throws
    {
        try await withTestDatabase { database in
            try await database.run { session in
                try session.script(
                    "create table t (i int primary key deferrable initially deferred)")
            }
            let insert = Statement("insert into t values (1)")
            let error = await databaseError {
                try await database.run { _ = try $0.pipeline([insert, insert]) }
            }
            #expect(error?.code == .server("23505"))
            #expect(error?.statementIndex == nil)
            let inTurn = await databaseError {
                try await database.run { _ = try $0.transactionTurn([insert, insert]) }
            }
            #expect(inTurn?.code == .server("23505"))
            #expect(inTurn?.statementIndex == nil)
            #expect(try await database.run { try $0.int("select count(*) from t") } == 0)
        }
    }

    @Test func `a transaction turn is one round trip and keeps what it did`() async throws {
        try await withTestDatabase(lanes: 1) { database in
            try await database.run { try $0.script("create table t (i int)") }
            let before = database.counts
            let rows = try await database.run { session in
                try session.transactionTurn([
                    Statement("insert into t values ($1)", .int4(1)),
                    Statement("select count(*) as n from t"),
                ])
            }
            #expect(database.counts.roundTrips - before.roundTrips == 1)
            #expect(rows.count == 2)
            #expect(rows[0].affected == 1)
            #expect(try rows[1].only().int("n") == 1)
            #expect(try await database.run { try $0.int("select count(*) from t") } == 1)
        }
    }

    @Test func `a failed transaction turn keeps nothing and numbers the caller's statements`()
        async throws
    {
        try await withTestDatabase(lanes: 1) { database in
            try await database.run { try $0.script("create table t (i int)") }
            let error = await databaseError {
                try await database.run { session in
                    _ = try session.transactionTurn([
                        Statement("insert into t values (1)"), Statement("select 1 / 0"),
                    ])
                }
            }
            #expect(error?.code == .server("22012"))
            #expect(error?.statementIndex == 1)
            #expect(try await database.run { try $0.int("select count(*) from t") } == 0)
            #expect(database.counts.connects == 1)
        }
    }

    @Test func `a changed table gets a new plan by itself`() async throws {
        try await withTestDatabase(lanes: 1) { database in
            let columns = try await database.run { session in
                try session.script("create table t (i int)")
                _ = try session.query(Statement("select * from t"))
                try session.script("alter table t add column j int")
                return try session.query(Statement("select * from t")).columns
            }
            #expect(columns == ["i", "j"])
        }
    }

    @Test func `statements deallocated behind our back are prepared again`() async throws {
        let value = try await shared.run { session in
            _ = try session.int("select 41")
            try session.script("deallocate all")
            return try session.int("select 41")
        }
        #expect(value == 41)
    }

    @Test func `a null and a value of the same parameter use fitting plans`() async throws {
        let values = try await shared.run { session in
            try [Bind.null, .int8(7), .null, .int4(8)].map { bind in
                try session.query(Statement("select $1::bigint as v", bind)).only().optionalInt("v")
            }
        }
        #expect(values == [nil, 7, nil, 8])
    }

    @Test func `the statement cache is bounded and the server's too`() async throws {
        var configuration = try await TestDatabase.make().configuration()
        configuration.statementCacheSize = 5
        let database = Database(configuration)
        let prepared = try await database.run { session in
            for round in 0..<3 {
                for number in 0..<20 {
                    let statement = Statement("select \(number) + $1", .int4(Int32(round)))
                    _ = try session.query(statement)
                }
            }
            return try session.query(
                .unprepared("select count(*) as n from pg_prepared_statements")
            ).only().int("n")
        }
        #expect(prepared == 5)
        await database.close()
    }

    @Test func `unprepared statements leave nothing behind`() async throws {
        try await withPool(lanes: 1) { database in
            let prepared = try await database.run { session in
                _ = try session.query(.unprepared("select $1", .int(1)))
                return try session.query(
                    .unprepared("select count(*) as n from pg_prepared_statements")
                ).only().int("n")
            }
            #expect(prepared == 0)
        }
    }

    @Test func `a session speaks UTC and has its timeouts without asking`() async throws {
        try await withPool(lanes: 1) { database in
            let row = try await database.run { session in
                try session.query(
                    Statement(
                        """
                        select current_setting('TimeZone') as zone,
                            current_setting('client_encoding') as encoding,
                            current_setting('application_name') as name,
                            current_setting('statement_timeout') as statement,
                            current_setting('lock_timeout') as lock,
                            current_setting('idle_in_transaction_session_timeout') as idle
                        """)
                ).only()
            }
            #expect(try row.text("zone") == "UTC")
            #expect(try row.text("encoding") == "UTF8")
            #expect(try row.text("name") == "jobrunner-test")
            #expect(try row.text("statement") == "30s")
            #expect(try row.text("lock") == "2s")
            #expect(try row.text("idle") == "10s")
            #expect(database.counts.roundTrips == 1)
        }
    }

    @Test func `what a role or a database has for defaults changes no session of ours`()
        async throws
    {
        let test = try await TestDatabase.make()
        let hostile = [
            "default_transaction_isolation": "serializable", "search_path": "elsewhere, pg_catalog",
            "DateStyle": "German", "IntervalStyle": "sql_standard", "TimeZone": "Asia/Kolkata",
            "bytea_output": "escape", "standard_conforming_strings": "off",
            "extra_float_digits": "-15", "statement_timeout": "1", "lock_timeout": "1",
            "idle_in_transaction_session_timeout": "1", "idle_session_timeout": "1", "jit": "on",
        ]
        let ours = [
            "default_transaction_isolation": "read committed", "search_path": "public",
            "DateStyle": "ISO, MDY", "IntervalStyle": "postgres", "TimeZone": "UTC",
            "bytea_output": "hex", "standard_conforming_strings": "on", "extra_float_digits": "1",
            "statement_timeout": "30s", "lock_timeout": "2s",
            "idle_in_transaction_session_timeout": "10s", "idle_session_timeout": "0", "jit": "off",
        ]
        let database = Database(try test.configuration())
        try await database.run { session in
            for (name, value) in hostile {
                let value = name == "search_path" ? value : "'\(value)'"
                try session.script(
                    "alter role current_user in database \"\(test.name)\" set \(name) = \(value)")
            }
            // What a role chooses to lose in a crash of the server, or may not write, is its own.
            try session.script(
                """
                alter database "\(test.name)" set synchronous_commit = off;
                alter database "\(test.name)" set default_transaction_read_only = on
                """)
        }
        await database.close()
        let later = Database(try test.configuration())
        for (name, value) in ours {
            let now = try await later.run { session in
                try session.query(Statement("select current_setting($1)", .text(name))).only()
                    .text(0)
            }
            #expect(now == value, "\(name)")
        }
        for name in ["synchronous_commit", "default_transaction_read_only"] {
            let now = try await later.run { session in
                try session.query(Statement("select current_setting($1)", .text(name))).only()
                    .text(0)
            }
            #expect(now == (name == "synchronous_commit" ? "off" : "on"))
        }
        await later.close()
    }
}
