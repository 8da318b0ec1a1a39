import Basics
import JSON
import JobFiles
import Postgres
import TestJobFiles
import Testing

@testable import Reading

/// Fields whose values stand at no one place of a record.
@Suite struct MadeFieldTests {
    private func values(_ field: String, _ records: String) throws -> [FieldValue?] {
        let entity = try entity(
            fields: "{ id: { at: id, type: text, required: true }, it: { \(field) } }")
        return try RecordReader(entity).read(try node(#"{"videos": [\#(records)]}"#))
            .rows.map { $0[1] }
    }

    @Test func `the first place with a value that is not null counts`() throws {
        let found = try values(
            "at: [a.b, c], type: int, default: 9",
            #"{"id": "1", "a": {"b": 1}, "c": 2}, {"id": "2", "a": {"b": null}, "c": 2}, {"id": "3", "c": 3}, {"id": "4"}"#
        )
        #expect(found == [.int(1), .int(2), .int(3), .int(9)])
    }

    @Test func `a constant is in every record`() throws {
        #expect(try values("value: 7, type: int", #"{"id": "1", "it": 1}"#) == [.int(7)])
        #expect(
            try values(#"value: "2026-01-01T00:00:00Z", type: timestamp"#, #"{"id": "1"}"#)
                == [.timestamp(1_767_225_600_000_000)])
    }

    @Test func `joined values are a text, and none where one is missing`() throws {
        let found = try values(
            #"join: { of: [a, id], with: "-" }, type: text"#,
            #"{"id": "1", "a": 5}, {"id": "2", "a": "x"}, {"id": "3", "a": null}, {"id": "4", "a": [1]}"#
        )
        #expect(found == [.text("5-1"), .text("x-2"), nil, nil])
    }

    @Test func `a hash tells a null, a text and a number apart, and not the order of members`()
        throws
    {
        let found = try values(
            "hash: [a, b], type: text",
            #"{"id": "1", "a": 1, "b": 2}, {"id": "2", "a": "1", "b": 2}, {"id": "3", "b": 2}, {"id": "4", "a": null, "b": 2}, {"id": "5", "a": {"x": 1, "y": 2}}, {"id": "6", "a": {"y": 2, "x": 1}}"#
        )
        #expect(found[0] != found[1] && found[1] != found[2])
        #expect(found[2] == found[3])
        #expect(found[4] == found[5])
        guard case .text(let digits)? = found[0] else {
            Issue.record("no text")
            return
        }
        #expect(digits.utf8.count == 64)
    }

    @Test
    func
        `a record is kept by what no column holds, and one whose value there can't be read is incompatible`()
        throws
    {
        let entity = try entity(
            fields: "{ id: { at: id, type: text, required: true } }",
            keepIf:
                "[{ at: kind.name, in: [bug, task] }, { at: gone, type: bool, present: false }, { at: rank, type: int, gte: 2, missing: keep }]"
        )
        let batch = try RecordReader(entity).read(
            try node(
                #"{"videos": [{"id": "1", "kind": {"name": "bug"}, "rank": 2}, {"id": "2", "kind": {"name": "epic"}, "rank": 2}, {"id": "3", "kind": {"name": "task"}, "gone": true}, {"id": "4"}, {"id": "5", "kind": {"name": "task"}, "rank": 1}, {"id": "6", "kind": {"name": "task"}}, {"id": "7", "kind": {"name": 7}}]}"#
            ))
        #expect(batch.rows == [[.text("1")], [.text("6")]])
        #expect(batch.counts == PageCounts(fetched: 7, skippedIncompatible: 1, filtered: 4))
        #expect(batch.misfit == "kind.name" && !batch.isWhole)
    }

    @Test func `a hash that a record must have is missing where all of its places are`() throws {
        let entity = try entity(
            fields: "{ id: { hash: [a, b], type: text, required: true } }")
        let batch = try RecordReader(entity).read(
            try node(#"{"videos": [{"a": 1}, {"b": 1}, {"c": 1}, {"c": 2}, "x", "y"]}"#))
        #expect(batch.rows.count == 2)
        #expect(batch.counts.skippedIncompatible == 4)
    }

    @Test func `a part that can't be joined is told, and one that is missing is none`() throws {
        let entity = try entity(
            fields:
                "{ id: { at: id, type: text, required: true }, it: { join: { of: [a, b] }, type: text } }"
        )
        let batch = try RecordReader(entity).read(
            try node(
                #"{"videos": [{"id": "1", "a": {}, "b": 1}, {"id": "2", "b": 1}, {"id": "3", "a": "x\u0000", "b": 1}]}"#
            ))
        #expect(batch.rows.map { $0[1] } == [nil, nil, nil])
        #expect(batch.unread["it"]?.count == 2)
    }

    @Test func `pages of other records are other pages, whatever their keys are made of`() throws {
        let reader = RecordReader(
            try entity(
                fields:
                    "{ id: { at: shop, type: text, required: true }, h: { hash: [n], type: text, required: true } }",
                key: "[id, h]"))
        let one = try reader.keysHash(try node(#"{"videos": [{"shop": "a", "n": 1}]}"#))
        let other = try reader.keysHash(try node(#"{"videos": [{"shop": "a", "n": 2}]}"#))
        #expect(one != other)
    }

    @Test
    func
        `what no column holds is read like a field: by the outer record, once, and in the source's zone`()
        throws
    {
        let entity = try entity(
            at: "groups[].videos[]", fields: "{ id: { at: id, type: text, required: true } }",
            keepIf:
                "[{ at: parent.kind, eq: a }, { at: t, type: timestamp, gte: \"2026-01-01T00:00:00Z\", missing: keep }]"
        )
        let zone = TimeZone(named: "Europe/Berlin")
        let batch = try RecordReader(entity, zone: zone).read(
            try node(
                #"{"groups": [{"kind": "a", "videos": [{"id": "1"}, {"id": "2", "t": "2026-01-01 00:30:00"}, {"id": "3", "t": "x", "t": "y"}]}, {"kind": "b", "videos": [{"id": "4"}]}]}"#
            ))
        #expect(batch.rows == [[.text("1")]])
        #expect(batch.counts == PageCounts(fetched: 4, skippedIncompatible: 1, filtered: 2))
    }

    @Test func `a time of the file is written plainly, whatever form the source has`() throws {
        let entity = try entity(
            fields:
                "{ id: { at: id, type: text, required: true }, at: { at: at, type: timestamp, format: epoch_ms } }",
            keepIf: "[{ field: at, gte: \"2026-01-01T00:00:00Z\" }]")
        let batch = try RecordReader(entity).read(
            try node(
                #"{"videos": [{"id": "1", "at": 1767225600000}, {"id": "2", "at": 1767225599000}]}"#
            ))
        #expect(batch.rows.map { $0[0] } == [.text("1")])
    }
}
