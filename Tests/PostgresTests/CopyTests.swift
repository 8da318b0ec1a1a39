import Postgres
import TestSupport
import Testing

struct CopyTests {
    @Test func `text and binary rows arrive and are counted`() async throws {
        try await withTestDatabase(lanes: 1) { database in
            let counts = try await database.run { session in
                try session.script("create table t (i bigint, s text)")
                let text = try session.copyIn(
                    "copy t from stdin", rows: (0..<5000).map { Array("\($0)\tü\n".utf8) })
                let binary = try session.copyIn(
                    "copy t from stdin (format binary)",
                    values: (0..<1000).map { [Bind.int($0), $0 % 2 == 0 ? .text("a") : .null] })
                let found = try session.query(
                    Statement("select count(*) as n, count(s) as s, sum(i) as total from t")
                ).only()
                #expect(try found.int("n") == 6000)
                #expect(try found.int("s") == 5500)
                #expect(try found.int("total") == 4999 * 2500 + 999 * 500)
                return [text, binary]
            }
            #expect(counts == [5000, 1000])
        }
    }

    @Test func `a bad row refuses the whole copy and the session lives on`() async throws {
        try await withTestDatabase(lanes: 1) { database in
            try await database.run { session in
                try session.script("create table t (i bigint)")
                let error = #expect(throws: DatabaseError.self) {
                    try session.copyIn("copy t from stdin", rows: [Array("1\n".utf8), [65, 10]])
                }
                #expect(error?.code == .server("22P02"))
                #expect(try session.int("select count(*) from t") == 0)
            }
        }
    }

    @Test func `a copy obeys its deadline`() async throws {
        try await withTestDatabase(lanes: 1) { database in
            try await database.run { try $0.script("create table t (i bigint)") }
            let error = await databaseError {
                _ = try await database.run(deadline: .now + .milliseconds(100)) { session in
                    let endless = sequence(first: Array("1\n".utf8)) { $0 }
                    return try session.copyIn("copy t from stdin", rows: endless)
                }
            }
            #expect(error?.code == .timedOut)
            #expect(try await database.run { try $0.int("select count(*) from t") } == 0)
            #expect(database.counts.connects == 1)
        }
    }

    @Test func `copy in the wrong place is misuse and never hangs`() async throws {
        try await withTestDatabase(lanes: 1) { database in
            try await database.run { try $0.script("create table t (i bigint)") }
            for sql in ["copy t from stdin", "copy t to stdout"] {
                let query = await databaseError {
                    _ = try await database.run { try $0.query(Statement(sql)) }
                }
                #expect(query?.code == .misuse)
                let script = await databaseError { try await database.run { try $0.script(sql) } }
                #expect(script?.code == .misuse)
            }
            let error = await databaseError {
                _ = try await database.run { try $0.copyIn("select 1", rows: []) }
            }
            #expect(error?.code == .misuse)
            #expect(try await database.run { try $0.int("select 1") } == 1)
        }
    }

    @Test func `a script stops at its first error and undoes itself`() async throws {
        try await withTestDatabase(lanes: 1) { database in
            let error = await databaseError {
                try await database.run { session in
                    try session.script("create table a (i int); create tabel b; create table c ()")
                }
            }
            #expect(error?.code == .server("42601"))
            #expect(error?.position == 32)
            let table = try await database.run {
                try $0.query(Statement("select to_regclass('a')::text as t")).only()
                    .optionalText("t")
            }
            #expect(table == nil)
        }
    }
}
