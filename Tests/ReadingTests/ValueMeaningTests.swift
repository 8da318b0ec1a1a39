import Basics
import JSON
import JobFiles
import TestJobFiles
import Testing

@testable import Reading

/// Values are read by what they mean: numbers, lists and marks of deletion.
@Suite struct ValueMeaningTests {
    private static let fields = """
        { id: { at: id, type: text, required: true }, seq: { at: seq, type: int }, \
        state: { at: state, type: text, default: new, one_of: [new, old] } }
        """

    @Test func `a list of plain texts or numbers makes rows`() throws {
        for (kind, json) in [("text", #"["x", "y", "x"]"#), ("int", "[1, 2.0, 1]")] {
            let entity = try entity(
                at: "items[].tags[]",
                fields:
                    "{ item: { at: parent.id, type: int, required: true }, tag: { at: \"\", type: \(kind), required: true } }",
                key: "[item, tag]")
            let batch = try RecordReader(entity).read(
                try node(#"{"items": [{"id": 1, "tags": \#(json)}, {"id": 2, "tags": []}]}"#))
            #expect(batch.rows.count == 2 && batch.counts.skippedIncompatible == 0, "\(batch.rows)")
        }
    }

    @Test func `a list that is left out is empty where the file says so`() throws {
        func read(_ json: String, _ absent: String) throws -> RecordBatch {
            let entity = try entity(
                at: "data.items[]", fields: Self.fields, records: absent)
            return try RecordReader(entity).read(try node(json))
        }
        for json in [
            "{}", #"{"data": null}"#, #"{"data": {}}"#, #"{"data": {"items": null}}"#,
            #"{"errors": []}"#,
        ] {
            #expect(try read(json, "absent: empty").counts == PageCounts())
            #expect(throws: PageError.self) { try read(json, "") }
        }
        for json in [#"{"error": "x"}"#, #"{"errors": [1]}"#, "[]", #"{"data": {"items": 1}}"#] {
            #expect(throws: PageError.self) { try read(json, "absent: empty") }
        }
    }

    @Test func `whole numbers are whole however they are written, and decimals keep their digits`()
        throws
    {
        let entity = try entity(
            fields: """
                { id: { at: id, type: decimal, required: true }, n: { at: n, type: int }, amount: { at: amount, type: decimal }, \
                on: { at: on, type: bool, format: number } }
                """)
        let batch = try RecordReader(entity).read(
            try node(
                """
                {"videos": [{"id": 18446744073709551615, "n": 3.0, "amount": 12345678901234.567, "on": 1},
                {"id": 18446744073709551614.0, "n": 1e3, "amount": -0.10e1, "on": 0.0},
                {"id": 7, "n": 3.5, "amount": "1", "on": true}, {"id": 7.0, "n": -0, "on": 2}]}
                """))
        #expect(
            batch.rows == [
                [
                    .decimal("18446744073709551615"), .int(3), .decimal("12345678901234.567"),
                    .bool(true),
                ],
                [.decimal("18446744073709551614"), .int(1000), .decimal("-1"), .bool(false)],
                [.decimal("7"), .int(0), nil, nil],
            ])
        #expect(batch.counts.duplicate == 1)
        #expect(batch.unread["n"]?.count == 1 && batch.unread["amount"]?.count == 1)
    }

    @Test
    func `a number with more digits than a double keeps is told, one that a double wrote is not`()
        throws
    {
        let entity = try entity(
            fields:
                "{ id: { at: id, type: text, required: true }, amount: { at: amount, type: double } }"
        )
        func unread(_ amount: String) throws -> UnreadValues? {
            try RecordReader(entity).read(
                try node(#"{"videos": [{"id": "a", "amount": \#(amount)}]}"#)
            )
            .unread["amount is rounded"]
        }
        for amount in ["12345678901234.567", "9007199254740993", "0.1234567890123456789"] {
            #expect(try unread(amount)?.kind == .rounded)
        }
        for amount in [
            "0.30000000000000004", "1.7976931348623157e308", "1000000000000000000000",
            "1.50000000000000000000",
        ] {
            #expect(try unread(amount) == nil)
        }
    }

    @Test(arguments: [
        ("\"0001-01-01T00:00:00Z\"", true), ("\"1970-01-01T00:00:00Z\"", true),
        ("\"1900-01-01T00:00:00Z\"", true),
        ("\"0000-00-00 00:00:00\"", true), ("null", true), ("\"2026-01-01T00:00:00Z\"", false),
        ("\"9999-12-31T00:00:00Z\"", false),
    ])
    func `a soft mark of a time by which sources write never is none`(
        _ json: String, _ isNull: Bool
    ) throws {
        let entity = try entity(
            fields:
                "{ id: { at: id, type: text, required: true }, gone: { at: gone, type: timestamp } }",
            write: "{ table: video, mode: overwrite, deletes: { soft_field: gone } }")
        let batch = try RecordReader(entity).read(
            try node(#"{"videos": [{"id": "a", "gone": \#(json)}]}"#))
        #expect(batch.rows.count == 1)
        #expect((batch.rows.first?[1] == nil) == isNull)
    }

    @Test(
        arguments: [
            // flag_is, what stands there, deleted; nil: unclear
            ("time", "\"0001-01-01T00:00:00Z\"", false),
            ("time", "\"1970-01-01T00:00:00Z\"", false),
            ("time", "\"1900-01-01T00:00:00\"", false), ("time", "\"0000-00-00\"", false),
            ("time", "0", false),
            ("time", "\"9999-12-31T23:59:59Z\"", false),
            ("time", "\"2999-01-01T00:00:00Z\"", false),
            ("time", "253402300799", false), ("time", "1767322800000", true),
            ("time", "1767322800", true),
            ("time", "\"2026-01-01T00:00:00Z\"", true), ("time", "1", true),
            ("time", "\"soon\"", nil),
            ("[cancelled, removed]", "\"Cancelled\"", true),
            ("[cancelled, removed]", "\"confirmed\"", false),
            ("[cancelled, removed]", "null", false), ("[cancelled, removed]", "{}", nil),
            ("present", "{\"reason\": \"changed\"}", true), ("present", "{}", true),
            ("present", "null", false),
            ("present", "false", false), ("truth", "1.0", true),
        ] as [(String, String, Bool?)])
    func `a mark of deletion is read by its meaning`(
        _ rule: String, _ json: String, _ isDeleted: Bool?
    ) throws {
        let entity = try entity(
            fields: "{ id: { at: id, type: text, required: true } }",
            write: "{ table: video, mode: overwrite, deletes: { flag_at: gone, flag_is: \(rule) } }"
        )
        let now = Timestamp.microseconds("2026-11-26T00:00:00Z") ?? 0
        let batch = try RecordReader(entity).read(
            try node(#"{"videos": [{"id": "a", "gone": \#(json)}]}"#), now: now)
        let found: Bool? = batch.actions.first.map { $0 == .tombstone }
        #expect(found == isDeleted)
    }

    @Test func `a column of JSON that holds a list which goes on is told`() throws {
        let entity = try entity(
            fields: """
                { id: { at: id, type: text, required: true }, lines: { at: lines, type: json }, \
                list: { at: lines.data, type: json } }
                """)
        func unread(_ lines: String) throws -> [String: UnreadValues] {
            try RecordReader(entity).read(
                try node(#"{"videos": [{"id": "a", "lines": \#(lines)}]}"#)
            ).unread
        }
        let cut = try unread(#"{"data": [1], "has_more": true}"#)
        #expect(cut["lines goes on"]?.kind == .cut && cut["list goes on"]?.example == "has_more")
        #expect(
            try unread(#"{"data": [1], "has_more": false, "next": "x"}"#)["lines goes on"] == nil)
        #expect(try unread(#"{"has_more": true}"#).isEmpty)
    }
}
