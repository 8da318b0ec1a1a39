import Basics
import JSON
import JobFiles
import TestJobFiles
import Testing

@testable import Reading

/// Records without a name and lists that go on: what came is not absent.
@Suite struct NamedRecordsTests {
    private static let fields = """
        { id: { at: id, type: text, required: true }, seq: { at: seq, type: int }, \
        state: { at: state, type: text, default: new, one_of: [new, old] } }
        """

    private func read(_ json: String) throws -> RecordBatch {
        try RecordReader(try entity(fields: Self.fields)).read(try node(json))
    }

    private func nested(
        _ json: String, at: String = "data[].lines.data[]",
        deletes: String = ", deletes: { sweep: after_full_pass }"
    ) throws -> RecordBatch {
        let entity = try entity(
            at: at, fields: "{ id: { at: id, type: text, required: true } }",
            write: "{ table: video, mode: overwrite\(deletes) }")
        return try RecordReader(entity).read(try node(json))
    }

    @Test(arguments: [
        #""has_more": true"#, #""pageInfo": {"hasNextPage": true}"#, #""next": "/l?p=2""#,
        #""total_count": 3"#,
    ])
    func `an inner list that says that it goes on spoils what absence proves`(_ sign: String) throws
    {
        let batch = try nested(
            #"{"data": [{"lines": {"data": [{"id": "a"}]}}, {"lines": {"data": [{"id": "b"}, {"id": "c"}], \#(sign)}}]}"#
        )
        #expect(batch.counts.fetched == 3 && batch.listed == 2 && batch.isWhole)
        #expect(batch.cut.count == 1)
        #expect(!batch.provesAbsence && batch.cut.example.contains("lines.data goes on ("))
    }

    @Test(arguments: [
        #""has_more": false"#, #""total_count": 1"#, #""next": null"#, #""note": "more""#,
    ])
    func `an inner list that is whole proves absence`(_ words: String) throws {
        let batch = try nested(#"{"data": [{"lines": {"data": [{"id": "a"}], \#(words)}}]}"#)
        #expect(batch.provesAbsence)
    }

    @Test func `what stands beside a list on the record itself is no sign of the list`() throws {
        let batch = try nested(
            #"{"data": [{"lines": [{"id": "a"}], "total": 1999, "has_more": true}], "total": 30}"#,
            at: "data[].lines[]")
        #expect(batch.provesAbsence)
    }

    @Test(arguments: ["null", "7", "\"\\u0000\"", "[]"])
    func `a record that can't be named forbids a sweep, and stops no position`(_ id: String) throws
    {
        let json = #"{"data": [{"lines": {"data": [{"id": "a"}, {"id": \#(id)}, {}]}}]}"#
        let batch = try nested(json)
        #expect(batch.isWhole && batch.unnamed == 2)
        #expect(!batch.provesAbsence)
        // Nothing is deleted by absence, so that nobody needs to know.
        #expect(try nested(json, deletes: "").provesAbsence)
    }

    @Test func `a key may have a default for records without a part of it, but not for an odd one`()
        throws
    {
        let entity = try entity(
            fields:
                "{ id: { at: id, type: text, required: true }, no: { at: no, type: int, default: 0 } }",
            key: "[id, no]",
            write: "{ table: video, mode: overwrite, deletes: { sweep: after_full_pass } }")
        let batch = try RecordReader(entity).read(
            try node(
                #"{"videos": [{"id": "a"}, {"id": "a", "no": null}, {"id": "a", "no": 1}, {"id": "a", "no": "x"}]}"#
            ))
        #expect(batch.rows == [[.text("a"), .int(0)], [.text("a"), .int(1)]])
        #expect(batch.counts.duplicate == 1 && batch.unnamed == 1)
    }

    @Test func `a member that stands twice makes its record incompatible, and is named`() throws {
        let batch = try read(
            #"{"videos": [{"id": "a", "seq": 1, "seq": 2}, {"id": "b", "x": 1, "x": 2}, {"id": "c", "id": "c"}]}"#
        )
        #expect(batch.rows == [[.text("b"), nil, .text("new")]])
        #expect(batch.misfit == "seq, which stands twice")
        #expect(batch.counts.skippedIncompatible == 2)
    }

    @Test func `a mark of deletion that stands twice says nothing`() throws {
        let entity = try entity(
            write:
                "{ table: video, mode: overwrite, deletes: { flag_at: gone, sweep: after_full_pass } }"
        )
        let batch = try RecordReader(entity).read(
            try node(#"{"videos": [{"id": "a", "gone": false, "gone": true}, {"id": "b"}]}"#))
        #expect(batch.rows == [[.text("b")]] && batch.rows(.shown) == [[.text("a")]])
        #expect(batch.misfit == "flag_at gone, which stands twice" && batch.provesAbsence)
    }
}
