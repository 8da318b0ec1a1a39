import Basics
import JSON
import JobFiles
import Postgres
import TestJobFiles
import Testing

@testable import Reading

@Suite struct RecordReaderTests {
    private static let fields = """
        { id: { at: id, type: text, required: true }, seq: { at: seq, type: int }, \
        state: { at: state, type: text, default: new, one_of: [new, old] } }
        """

    private func read(
        _ json: String, mode: String = "overwrite", at: String = "videos[]",
        keepIf: String? = nil
    ) throws -> RecordBatch {
        let newer = mode == "newest_wins" ? ", newer_by: seq" : ""
        let entity = try entity(
            at: at, fields: Self.fields, keepIf: keepIf,
            write: "{ table: video, mode: \(mode)\(newer) }")
        return try RecordReader(entity).read(try node(json))
    }

    @Test func `a record inside a record takes values of the outer one by parent`() throws {
        let entity = try entity(
            at: "orders[].lines[]",
            fields: """
                { order: { at: parent.id, type: text, required: true }, \
                line: { at: id, type: int, required: true } }
                """, key: "[order, line]")
        let batch = try RecordReader(entity).read(
            try node(
                """
                {"orders": [{"id": "a", "lines": [{"id": 1}, {"id": 2}]}, {"id": "b", "lines": []},
                {"lines": [{"id": 3}]}]}
                """))
        #expect(batch.rows == [[.text("a"), .int(1)], [.text("a"), .int(2)]])
        #expect(batch.counts == PageCounts(fetched: 3, skippedIncompatible: 1))
    }

    @Test(arguments: [
        ("epoch_s", "1767322800", 1_767_322_800_000_000), ("epoch_s", "1.5", 1_500_000),
        ("epoch_ms", "1767322800123", 1_767_322_800_123_000),
        ("epoch_ms", "9223372036854775807", nil), ("epoch_s", "1e300", nil),
        ("epoch_s", "true", nil),
    ]) func `times as numbers are read in their unit, and absurd ones refused`(
        _ format: String, _ json: String, _ microseconds: Int64?
    ) throws {
        let entity = try entity(
            fields: "{ id: { at: id, type: text, required: true }, "
                + "at: { at: at, type: timestamp, format: \(format) } }")
        let batch = try RecordReader(entity).read(
            try node(#"{"videos": [{"id": "a", "at": \#(json)}]}"#))
        #expect(batch.rows.first?[1] == microseconds.map { .timestamp($0) })
        #expect(batch.unread["at"]?.count == (microseconds == nil ? 1 : nil))
    }

    @Test
    func
        `a record without a required value, or with one of another type, is incompatible, and an odd optional one is null`()
        throws
    {
        let batch = try read(
            """
            {"videos": [{"id": "a", "seq": 1}, {"seq": 2}, {"id": null}, {"id": 7}, {"id": "b", "seq": "2"},
            {"id": "c", "state": "gone"}, 5, "x", null, [], {"id": "d", "state": null}]}
            """)
        #expect(
            batch.rows == [
                [.text("a"), .int(1), .text("new")], [.text("b"), nil, .text("new")],
                [.text("d"), nil, .text("new")],
            ])
        #expect(batch.counts == PageCounts(fetched: 11, skippedIncompatible: 8))
        #expect(batch.unread["seq"] == UnreadValues(count: 1, example: "\"2\""))
        #expect(batch.unread["id"] == UnreadValues(count: 1, example: "7"))
    }

    @Test(arguments: [
        ("insert_new", ["1", "9"]), ("overwrite", ["3", "9"]), ("newest_wins", ["5", "9"]),
    ]) func `of two records with one key the mode says which stays`(
        _ mode: String, _ seqs: [String]
    )
        throws
    {
        let batch = try read(
            """
            {"videos": [{"id": "a", "seq": 1}, {"id": "b", "seq": 9}, {"id": "a", "seq": 5},
            {"id": "a", "seq": 3}]}
            """, mode: mode)
        #expect(batch.rows.compactMap { $0[1]?.watermarkText }.sorted() == seqs)
        #expect(batch.counts.duplicate == 2)
    }

    @Test func `keys that only look alike are different records`() throws {
        let twoKeys = try entity(
            fields: """
                { a: { at: a, type: text, required: true }, b: { at: b, type: text, required: true } }
                """, key: "[a, b]")
        let batch = try RecordReader(twoKeys).read(
            try node(
                """
                {"videos": [{"a": "x\\u001fty", "b": "z"}, {"a": "x", "b": "y\\u001ftz"},
                {"a": "\\u00e9", "b": ""}, {"a": "e\\u0301", "b": ""}, {"a": "", "b": "\\u00e9"}]}
                """))
        #expect(batch.rows.count == 5)
        #expect(batch.counts.duplicate == 0)
    }

    @Test func `keys are equal as the server compares them`() throws {
        let entity = try entity(
            fields: "{ id: { at: id, type: double, required: true } }", key: "[id]")
        let batch = try RecordReader(entity).read(
            try node(#"{"videos": [{"id": 0}, {"id": -0.0}, {"id": 1}, {"id": 1.0}, {"id": 1e0}]}"#)
        )
        #expect(batch.rows.count == 2)
        #expect(batch.counts.duplicate == 3)
    }

    @Test func `a page of tombstones undoes what came before and is undone by what comes after`()
        throws
    {
        let entity = try entity(
            fields: "{ id: { at: id, type: text, required: true }, n: { at: n, type: int } }",
            write:
                "{ table: video, mode: overwrite, deletes: { flag_at: gone, tombstones: delete } }")
        let batch = try RecordReader(entity).read(
            try node(
                """
                {"videos": [{"id": "a", "n": 1}, {"id": "b", "n": 2}, {"id": "a", "gone": true},
                {"id": "a", "gone": true}, {"id": "c", "gone": true}, {"id": "c", "n": 3},
                {"id": "b", "gone": true}, {"id": "b", "n": 4}, {"id": "d", "gone": true}, {"gone": true}]}
                """))
        #expect(batch.rows == [[.text("c"), .int(3)], [.text("b"), .int(4)]])
        #expect(batch.rows(.tombstone) == [[.text("a"), nil], [.text("d"), nil]])
        #expect(
            batch.counts == PageCounts(fetched: 10, skippedIncompatible: 1, duplicate: 5))
    }

    @Test func `a record that is refused half-way leaves nothing of itself in any column`() throws {
        let batch = try read(
            """
            {"videos": [{"id": "a", "seq": 1, "state": "gone"}, {"id": "b", "seq": 2, "state": "old"},
            {"id": "c", "seq": 3, "state": 7, "x": 1}, {"seq": 9}, {"id": "d", "seq": null, "state": "new"}]}
            """)
        #expect(
            batch.rows == [
                [.text("b"), .int(2), .text("old")], [.text("c"), .int(3), .text("new")],
                [.text("d"), nil, .text("new")],
            ])
        #expect(batch.columns.allSatisfy { $0.count == 3 })
    }

    @Test func `a filtered record counts for the watermark, an incompatible one does not`() throws {
        let batch = try read(
            """
            {"videos": [{"id": "a", "seq": 10}, {"id": "b", "seq": 90}, {"seq": 95}, {"id": "c"}]}
            """, mode: "newest_wins", keepIf: "[{ field: seq, lt: 50 }]")
        #expect(batch.maxSeen == .int(90))
        #expect(batch.rows.count == 1)
        #expect(
            batch.counts == PageCounts(fetched: 4, skippedIncompatible: 1, filtered: 2))
    }

    @Test(arguments: [
        ("videos[]", "{}"), ("videos[]", "{\"videos\": null}"), ("videos[]", "{\"videos\": {}}"),
        ("videos[]", "{\"videos\": \"none\"}"), ("videos[]", "[]"), ("videos[]", "5"),
        ("[]", "{}"), ("a.videos[]", "{\"a\": []}"), ("a[].b[]", "{\"a\": [{}]}"),
        ("a[].b[]", "{\"a\": [{\"b\": null}]}"), ("a[].b[]", "{\"a\": [{\"b\": 1}, {\"b\": []}]}"),
        ("a[].b[]", "{\"a\": [1, 2]}"),
    ]) func `a page without its array is malformed, never empty`(_ at: String, _ json: String)
        throws
    {
        #expect {
            try read(json, at: at)
        } throws: { error in
            (error as? PageError)?.word == "malformed"
        }
    }

    @Test(arguments: [
        ("videos[]", "{\"videos\": []}", 0), ("[]", "[{\"id\": \"a\"}]", 1),
        ("a.videos[]", "{\"a\": {\"videos\": [{\"id\": \"a\"}]}}", 1),
        ("a[].b[]", "{\"a\": []}", 0), ("a[].b[]", "{\"a\": [{\"b\": []}, {\"b\": []}]}", 0),
        (
            "a[].b[]",
            "{\"a\": [{\"b\": [{\"id\": \"1\"}, {\"id\": \"2\"}]}, {}, {\"b\": null}, {\"b\": [{\"id\": \"3\"}]}]}",
            3
        ),
        ("[].b[].c[]", "[{\"b\": [{\"c\": [{\"id\": \"1\"}]}, {\"c\": []}]}]", 1),
    ]) func `records are found at the end of nested arrays`(
        _ at: String, _ json: String, _ count: Int
    ) throws { #expect(try read(json, at: at).rows.count == count) }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `counts add up for any page`(_ seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let values = [
            "\"a\"", "\"b\"", "\"c\"", "1", "-9223372036854775808", "1e999", "null", "[]",
        ]
        let records = (0..<Int.random(in: 0...40, using: &random)).map { _ in
            let members = ["id", "seq", "state"].filter { _ in
                Int.random(in: 0...9, using: &random) > 0
            }
            .map { "\"\($0)\": \(values.randomElement(using: &random) ?? "1")" }
            return "{\(members.joined(separator: ", "))}"
        }
        for mode in ["insert_new", "overwrite", "newest_wins"] {
            let batch = try read(
                "{\"videos\": [\(records.joined(separator: ", "))]}", mode: mode,
                keepIf: "[{ field: seq, ne: 1 }]")
            let counts = batch.counts
            #expect(counts.fetched == records.count)
            #expect(
                counts.fetched
                    == batch.rows.count + counts.skippedIncompatible + counts.filtered
                    + counts.duplicate)
            #expect(Set(batch.rows.map { $0[0]?.watermarkText ?? "" }).count == batch.rows.count)
        }
    }

    @Test(arguments: [
        ("\"https://a.example/x\"", "https://a.example/x"), ("\"HTTP://a\"", "HTTP://a"),
        ("\"https://ü.example/é\"", "https://ü.example/é"), ("\"\"", nil), ("null", nil),
    ]) func `a url is an http or https address, and an empty text none`(
        _ json: String, _ expected: String?
    ) throws {
        let batch = try read(url: json)
        #expect(batch.rows.first?[1] == expected.map { .text($0) })
        #expect(batch.counts.skippedIncompatible == 0)
    }

    @Test(arguments: [
        "javascript:alert(1)", "ftp://a.example/x", "//a.example/x", "/x", "https://", "https:///x",
        "https://a b", "https://a\\nb", "httpsx://a", "data:text/html,x", "https://?x",
    ]) func `a url that is no web address is not kept`(_ text: String) throws {
        let batch = try read(url: "\"\(text)\"")
        #expect(batch.rows == [[.text("a"), nil]])
        #expect(batch.unread["u"]?.count == 1)
    }

    private func read(url json: String) throws -> RecordBatch {
        let entity = try entity(
            fields: "{ id: { at: id, type: text, required: true }, u: { at: u, type: url } }")
        return try RecordReader(entity).read(try node(#"{"videos": [{"id": "a", "u": \#(json)}]}"#))
    }

    @Test(arguments: [
        ("1e131071", true), ("1E+309", true), ("1e-309", true), ("[{\"a\": 1e0999}]", true),
        ("1e308", false), ("-1e-308", false), ("1e00007", false),
        ("\"\(String(repeating: "x", count: 1 << 19))\"", false),
        (
            "[\(String(repeating: "\"\(String(repeating: "x", count: 99_997))\",", count: 11))1]",
            true
        ),
    ])
    func `JSON that is stored small and read large, or over 1 MiB, is not kept`(
        _ json: String, _ isRefused: Bool
    ) throws {
        let entity = try entity(
            fields: "{ id: { at: id, type: text, required: true }, raw: { at: raw, type: json } }")
        let batch = try RecordReader(entity).read(
            try node(#"{"videos": [{"id": "a", "raw": \#(json)}, {"id": "b", "raw": 1}]}"#))
        #expect(batch.rows.count == 2)
        #expect(batch.unread["raw"]?.count == (isRefused ? 1 : nil))
    }

    @Test func `a page of more than 100,000 records is malformed`() throws {
        func page(_ count: Int) throws -> JSONNode {
            try node("{\"videos\": [\(String(repeating: "1,", count: count - 1))1]}")
        }
        let reader = RecordReader(try entity())
        #expect(try reader.read(page(100_000)).counts.fetched == 100_000)
        #expect { try reader.read(page(100_001)) } throws: {
            ($0 as? PageError)?.word == "malformed"
        }
    }
}
