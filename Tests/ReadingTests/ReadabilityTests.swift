import JSON
import JobFiles
import TestJobFiles
import Testing

@testable import Reading

@Suite struct ReadabilityTests {
    private func batch(_ fetched: Int, incompatible: Int, failures: Int = 0) throws -> RecordBatch {
        var batch = RecordBatch(try entity())
        batch.counts = PageCounts(fetched: fetched, skippedIncompatible: incompatible)
        batch.failures = (0..<failures).map {
            RecordFailure(code: "C", reason: "r", record: "\($0)", wait: nil)
        }
        return batch
    }

    @Test func `only a pass that showed records and not one that fits is worthless`() throws {
        let table: [(pages: [(Int, Int, Int)], full: Bool, changes: Bool)] = [
            ([(0, 0, 0)], false, false), ([(1, 1, 0)], true, false), ([(2, 2, 0)], true, false),
            ([(3, 3, 0)], true, true), ([(2, 2, 0), (0, 0, 0), (1, 1, 0)], true, true),
            ([(3, 3, 0), (1, 0, 0)], false, false), ([(1, 0, 0), (3, 3, 0)], false, false),
            // What the source itself could not give says nothing of the file.
            ([(3, 3, 3)], false, false), ([(4, 4, 3)], true, false),
        ]
        for (pages, full, changes) in table {
            var readability = Readability()
            for (fetched, incompatible, failures) in pages {
                readability.add(try batch(fetched, incompatible: incompatible, failures: failures))
            }
            #expect(readability.isWorthless(isFull: true) == full, "\(pages)")
            #expect(readability.isWorthless(isFull: false) == changes, "\(pages)")
        }
    }

    @Test func `a resumed pass goes on with what its earlier pages were like`() throws {
        var unreadable = Readability(resuming: true)
        #expect(unreadable.isWorthless(isFull: false) && unreadable.isUnreadable == true)
        unreadable.add(try batch(1, incompatible: 0))
        #expect(!unreadable.isWorthless(isFull: true) && unreadable.isUnreadable == false)
        var readable = Readability(resuming: false)
        readable.add(try batch(5, incompatible: 5))
        #expect(!readable.isWorthless(isFull: true) && readable.isUnreadable == false)
    }

    @Test func `a keyset's position is the greatest of all records, whatever becomes of them`()
        throws
    {
        let keyset = try entity(
            page: "{ style: keyset, by: seq, start: 0 }",
            request: "{ path: /feed, query: { after: \"{page.token}\" } }",
            fields: """
                { id: { at: id, type: text, required: true }, \
                seq: { at: seq, type: int, required: true } }
                """, keepIf: "[{ field: seq, lt: 5 }]")
        let batch = try RecordReader(keyset).read(
            try node(
                #"{"videos": [{"id": "a", "seq": 4}, {"id": "b", "seq": 7}, {"id": 3, "seq": 9}]}"#)
        )
        #expect(batch.counts == PageCounts(fetched: 3, skippedIncompatible: 1, filtered: 1))
        #expect(batch.positions.greatest == .int(9))
        #expect(batch.misfit == "id")
    }

    @Test(arguments: [
        ("int", "\"9223372036854775807\"", true), ("int", "12", true), ("int", "\"1.5\"", false),
        ("int", "\"\"", false), ("double", "\"1.5\"", true), ("double", "\"inf\"", false),
        ("double", "true", false),
    ]) func `numbers as texts are read where the file says so, and nothing that is no number`(
        _ type: String, _ json: String, _ isRead: Bool
    ) throws {
        let entity = try entity(
            fields: "{ id: { at: id, type: text, required: true }, "
                + "n: { at: n, type: \(type), format: text } }")
        let batch = try RecordReader(entity).read(
            try node(#"{"videos": [{"id": "a", "n": \#(json)}]}"#))
        #expect(batch.unread["n"]?.count == (isRead ? nil : 1))
        #expect(batch.counts.skippedIncompatible == 0)
    }
}
