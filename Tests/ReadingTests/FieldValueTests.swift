import JSON
import JobFiles
import TestJobFiles
import Testing

@testable import Reading

@Suite struct FieldValueTests {
    /// One JSON value of each kind; nil marks a value of another type.
    private static let table: [(Field.Kind, [(String, FieldValue?)])] = [
        (
            .text,
            [("\"a\"", .text("a")), ("\"\"", .text("")), ("1", nil), ("true", nil), ("[]", nil)]
        ),
        (.url, [("\"https://a\"", .text("https://a")), ("1", nil), ("{}", nil)]),
        (
            .timestamp,
            [
                ("\"1970-01-01T00:00:01Z\"", .timestamp(1_000_000)), ("\"now\"", nil), ("0", nil),
                ("false", nil), ("[\"1970-01-01\"]", nil),
            ]
        ),
        (
            .int,
            [
                ("7", .int(7)), ("-0", .int(0)), ("9223372036854775807", .int(.max)),
                ("-9223372036854775808", .int(.min)), ("9223372036854775808", nil),
                ("1.0", .int(1)), ("1e3", .int(1000)), ("1.5", nil), ("1e-1", nil), ("\"7\"", nil),
                ("true", nil), ("[7]", nil),
            ]
        ),
        (
            .double,
            [
                ("7", .double(7)), ("-2.5e3", .double(-2500)), ("1e999", nil), ("\"7\"", nil),
                ("false", nil), ("{}", nil), ("1e-999", .double(0)),
            ]
        ),
        (
            .decimal,
            [
                ("7.50", .decimal("7.5")),
                ("18446744073709551616", .decimal("18446744073709551616")),
                ("1e999", .decimal("1" + String(repeating: "0", count: 999))), ("1e1000", nil),
                ("\"7\"", nil),
                ("true", nil),
            ]
        ),
        (.bool, [("true", .bool(true)), ("false", .bool(false)), ("1", nil), ("\"true\"", nil)]),
        (
            .json,
            [
                ("{\"a\":[1]}", .json("{\"a\":[1]}")), ("1", .json("1")), ("\"x\"", .json("\"x\"")),
                ("\"\\u0000\"", nil), ("{\"a\":\"\\ud800\"}", nil),
            ]
        ),
    ]

    @Test func `every type takes its own JSON kinds and no other`() throws {
        for (kind, cases) in Self.table {
            let field = try field("f", kind)
            for (text, expected) in cases {
                let read: FieldValue?? = FieldValue.read(try node(text), as: field)
                #expect(read == expected.map { .some($0) }, "\(kind) \(text)")
            }
        }
    }

    @Test(arguments: Field.Kind.allCases)
    func `null and absence are a null of any type`(_ kind: Field.Kind) throws {
        let field = try field("f", kind)
        #expect(FieldValue.read(nil, as: field) == .some(nil))
        #expect(FieldValue.read(try node("null"), as: field) == .some(nil))
    }

    @Test(arguments: [
        ("90", 90.0), ("1.5", 1.5), ("\"1:30\"", 90), ("\"90\"", 90), ("-1", nil), ("1e999", nil),
        ("\"soon\"", nil), ("true", nil), ("[]", nil), ("\"999999999999999999:00\"", 6e19),
    ]) func `a malformed duration is none (MH20)`(
        _ text: String, _ seconds: Double?
    ) throws {
        let read: FieldValue?? = FieldValue.read(try node(text), as: try field("f", .duration))
        #expect(read == seconds.map { .some(.double($0)) })
    }

    @Test func `a text that no PostgreSQL text can hold is a value of another type`() throws {
        let read: FieldValue?? = FieldValue.read(
            try node("\"a\\u0000\""), as: try field("f", .text))
        #expect(read == FieldValue??.none)
    }

    @Test func `a default is read as its field's type`() throws {
        #expect(
            FieldValue.fallback(of: try field("f", .double, defaultValue: .number("0")))
                == .double(0))
        #expect(
            FieldValue.fallback(of: try field("f", .text, defaultValue: .string("x"))) == .text("x")
        )
        #expect(FieldValue.fallback(of: try field("f", .text)) == nil)
    }
}

@Suite struct KeepTestTests {
    @Test(arguments: [
        ("duration", "gte", "60", "60", true), ("duration", "gte", "60", "59.9", false),
        ("int", "gt", "3", "3", false), ("int", "gt", "3", "4", true),
        ("int", "lte", "3", "3", true), ("int", "lte", "3", "4", false),
        ("int", "lt", "3", "2", true), ("int", "lt", "3", "3", false),
        ("text", "eq", "a", "\"a\"", true), ("text", "eq", "a", "\"b\"", false),
        ("text", "ne", "a", "\"b\"", true), ("text", "ne", "a", "\"a\"", false),
        ("text", "in", "[a, b]", "\"b\"", true), ("text", "in", "[a, b]", "\"c\"", false),
        ("int", "in", "[1, 2]", "2", true), ("int", "in", "[1]", "null", false),
        ("int", "present", "true", "0", true), ("int", "present", "true", "null", false),
        ("int", "present", "false", "0", false), ("int", "present", "false", "null", true),
        ("bool", "eq", "true", "true", true), ("bool", "ne", "true", "true", false),
        (
            "timestamp", "gte", "\"2025-01-01T00:00:00Z\"", "\"2025-01-01T01:00:00+01:00\"", true
        ),
        ("timestamp", "lt", "\"2025-01-01T00:00:00Z\"", "\"2025-01-01T00:00:00Z\"", false),
        // A null is kept by ne only.
        ("int", "gte", "3", "null", false), ("int", "lt", "3", "null", false),
        ("int", "eq", "3", "null", false), ("int", "ne", "3", "null", true),
    ]) func `a record is kept when its field compares so`(
        _ kind: String, _ comparison: String, _ value: String, _ candidate: String, _ isKept: Bool
    ) throws {
        let records = try entity(
            fields: "{ f: { at: f, type: \(kind) } }", key: nil,
            keepIf: "[{ field: f, \(comparison): \(value) }]"
        ).records
        let field = records.fields[0]
        let test = try #require(KeepTest(records.keepIf[0], of: field))
        let read = try #require(FieldValue.read(try node(candidate), as: field))
        #expect(test.keeps(read) == isKept)
    }
}
