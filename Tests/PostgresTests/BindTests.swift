import Postgres
import TestSupport
import Testing

struct BindTests {
    private func roundTrip<T: Sendable>(
        _ bind: Bind, _ read: @escaping @Sendable (Row) throws -> T
    ) async throws -> T {
        try await shared.run { session in
            try read(try session.query(Statement("select $1 as v", bind)).only())
        }
    }

    @Test func `every scalar comes back as it went`() async throws {
        #expect(try await roundTrip(.bool(true)) { try $0.bool("v") })
        #expect(try await roundTrip(.bool(false)) { try $0.bool("v") } == false)
        for value in [Int32.min, -1, 0, .max] {
            #expect(try await roundTrip(.int4(value)) { try $0.int("v") } == Int(value))
        }
        for value in [Int64.min, -1, 0, .max] {
            #expect(try await roundTrip(.int8(value)) { try $0.int("v") } == Int(value))
        }
        for value in [-0.5, 1e308, .infinity, 0] {
            #expect(try await roundTrip(.double(value)) { try $0.double("v") } == value)
        }
        for value in ["", "a", "ü🐘\n\"'\\", String(repeating: "x", count: 100_000)] {
            #expect(try await roundTrip(.text(value)) { try $0.text("v") } == value)
        }
        for value: [UInt8] in [[], [0, 255, 0]] {
            #expect(try await roundTrip(.bytes(value)) { try $0.bytes("v") } == value)
        }
        let id = [UInt8](0..<16)
        #expect(try await roundTrip(.uuid(id)) { try $0.uuid("v") } == id)
        #expect(try await roundTrip(.json(#"{"a": 1}"#)) { try $0.json("v") } == #"{"a": 1}"#)
        #expect(try await roundTrip(.interval(-1_500_000)) { try $0.interval("v") } == -1_500_000)
    }

    @Test(arguments: [0, 1, -1, 946_684_800_000_000, 1_700_000_000_123_456, .max, .min])
    func `times keep their microseconds and infinities`(time: Int64) async throws {
        #expect(try await roundTrip(.timestamptz(time)) { try $0.timestamp("v") } == time)
    }

    @Test func `the server reads the time that was meant`() async throws {
        let text = try await shared.run { session in
            let statement = Statement(
                "select to_char($1, 'YYYY-MM-DD HH24:MI:SS.US') as t", .timestamptz(1_500_000))
            return try session.query(statement).only().text("t")
        }
        #expect(text == "1970-01-01 00:00:01.500000")
    }

    @Test func `every array comes back as it went`() async throws {
        let texts: [String?] = ["a", nil, "", "ü,\"{}"]
        #expect(try await roundTrip(.textArray(texts)) { try $0.textArray("v") } == texts)
        #expect(try await roundTrip(.textArray([])) { try $0.textArray("v") } == [])
        #expect(try await roundTrip(.int4Array([1, -2])) { try $0.intArray("v") } == [1, -2])
        #expect(
            try await roundTrip(.int8Array([.max, .min])) { try $0.intArray("v") } == [.max, .min])
        #expect(try await roundTrip(.doubleArray([0.5])) { try $0.doubleArray("v") } == [0.5])
        #expect(
            try await roundTrip(.boolArray([true, false])) { try $0.boolArray("v") }
                == [true, false])
        let times: [Int64?] = [0, nil, .max]
        #expect(
            try await roundTrip(.timestamptzArray(times)) { try $0.timestampArray("v") } == times)
    }

    @Test func `arrays unnest on the server`() async throws {
        let row = try await shared.run { session in
            try session.query(
                Statement(
                    """
                    select count(*) as n, sum(i) as total, max(u::text) as u
                    from unnest($1::bigint[], $2::uuid[]) as t(i, u)
                    """,
                    .optionalInt8Array([1, nil, 3]), .uuidArray([[UInt8](repeating: 1, count: 16)]))
            ).only()
        }
        #expect(try row.int("n") == 3)
        #expect(try row.int("total") == 4)  // a numeric
        #expect(try row.text("u") == "01010101-0101-0101-0101-010101010101")
    }

    @Test func `null fits any type and reads as nil`() async throws {
        let row = try await shared.run { session in
            try session.query(
                Statement("select $1::bigint as i, $2::text as t", .null, .optional(nil, Bind.text))
            ).only()
        }
        #expect(try row.optionalInt("i") == nil)
        #expect(try row.optionalText(1) == nil)
        #expect(try row.isNull("t"))
        let error = #expect(throws: DatabaseError.self) { try row.int("i") }
        #expect(error?.code == .decoding)
        #expect(error?.message.contains("i is null") == true)
    }

    @Test func `text with a NUL byte is refused and never truncated`() async throws {
        for bind in [Bind.text("abc\0def"), .textArray(["abc\0def"])] {
            let error = await #expect(throws: DatabaseError.self) {
                try await roundTrip(bind) { try $0.isNull("v") }
            }
            #expect(error?.code == .server("22021"))
            #expect(error?.isDataError == true)
        }
    }

    @Test func `values that have no wire form are misuse`() async throws {
        for bind in [Bind.uuid([1]), .uuidArray([[1]]), .timestamptz(.min + 1)] {
            let error = await #expect(throws: DatabaseError.self) {
                try await roundTrip(bind) { try $0.isNull("v") }
            }
            #expect(error?.code == .misuse)
        }
    }

    @Test func `an unexpected type names its column`() async throws {
        let row = try await shared.run {
            try $0.query(Statement("select 'x'::text as name")).only()
        }
        let error = #expect(throws: DatabaseError.self) { try row.int("name") }
        #expect(error?.description.contains("column name is not an integer") == true)
        #expect(throws: DatabaseError.self) { try row.text("nobody") }
        #expect(throws: DatabaseError.self) { try row.text(1) }
    }

    @Test(arguments: [
        "0", "1", "-1", "10000", "123456789.000100", "0.00001234", "-0.5", "100000000000000000000",
        "NaN", "Infinity", "99990000.0000",
    ])
    func `numerics print as the server prints them`(number: String) async throws {
        let text = try await shared.run { session in
            try session.query(.unprepared("select '\(number)'::numeric as n")).only().text("n")
        }
        #expect(text == number)
    }

    @Test func `intervals count days and months as the server compares them`() async throws {
        let row = try await shared.run { session in
            try session.query(
                Statement(
                    """
                    select i, (extract(epoch from i) * 1000000)::bigint as e
                    from (select interval '2 mons -3 days 04:05:06.7' as i) as t
                    """)
            ).only()
        }
        #expect(try row.interval("i") == Int64(row.int("e")))
    }

    @Test func `rows tell their columns, count and tag`() async throws {
        let rows = try await shared.run { session in
            try session.query(Statement("select i as a, -i as b from generate_series(1, 3) as i"))
        }
        #expect(rows.columns == ["a", "b"])
        #expect(rows.count == 3)
        #expect(rows.affected == 3)
        #expect(rows.commandTag == "SELECT 3")
        #expect(try rows.map { try $0.int(1) } == [-1, -2, -3])
    }
}
