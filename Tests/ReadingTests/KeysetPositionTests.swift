import HTTP
import JSON
import JobFiles
import TestJobFiles
import Testing

@testable import Reading

/// A list that is paged by a value of its records, at a source that is played: nothing is left out, or the run fails.
@Suite struct KeysetPositionTests {
    /// A source with so many records at each time, which gives them from a time on, or those behind it.
    private struct List {
        var times: [Int64]
        var isInclusive: Bool
        var size: Int

        func page(_ asked: Int64) -> ArraySlice<Int64> {
            times.filter { isInclusive ? $0 >= asked : $0 > asked }.prefix(size)[...]
        }
    }

    private func page(size: Int, end: String = "") throws -> Page {
        try entity(
            page: "{ style: keyset, by: at, start: \"1970-01-01T00:00:00Z\", size: \(size)\(end) }",
            request: "{ path: /feed, query: { c: \"{page.token}\" } }",
            fields:
                "{ id: { at: id, type: text, required: true }, at: { at: at, type: timestamp, required: true } }"
        ).page
    }

    /// Reads the list from a position to its end; how often each time's records came at most, and the position reached.
    private func read(
        _ list: List, from start: String? = nil, end: String = ""
    ) throws -> (seen: [Int64: Int], requests: Int, reached: String?) {
        let page = try page(size: list.size, end: end)
        var position = page.firstPosition(persisted: start)
        var seen: [Int64: Int] = [:]
        var requests = 0
        while true {
            requests += 1
            try #require(requests < 1000)
            let found = list.page(try #require(position.flatMap { Timestamp.microseconds($0) }))
            for (time, records) in Dictionary(grouping: found, by: { $0 }) {
                seen[time] = max(seen[time] ?? 0, records.count)
            }
            var positions = SeenPositions()
            for time in found { positions.add(.timestamp(time)) }
            let facts = PageFacts(
                root: try node("{}"), response: HTTPResponse(status: 200, headers: []),
                url: "https://h.example/feed", position: position, recordCount: found.count,
                positions: positions)
            let next = try page.position(after: facts, signInName: nil)
            guard let following = next.next else { return (seen, requests, next.reached) }
            try #require(following != position)
            position = following
        }
    }

    /// Times in seconds, each so often.
    private func times(_ counts: [Int]) -> [Int64] {
        counts.enumerated().flatMap { second, count in
            [Int64](repeating: Int64(second + 1) * 1_000_000, count: count)
        }
    }

    @Test(arguments: [true, false])
    func `in a thousand lists every record comes, or the run fails by name`(isInclusive: Bool)
        throws
    {
        var dice = SystemRandomNumberGenerator()
        var failed = 0
        for _ in 0..<1000 {
            let size = Int.random(in: 2...8, using: &dice)
            let counts = (0..<Int.random(in: 0...12, using: &dice)).map { _ in
                Int.random(in: 1...10, using: &dice) > 8 ? Int.random(in: 1...9, using: &dice) : 1
            }
            let list = List(times: times(counts), isInclusive: isInclusive, size: size)
            for end in ["", ", end: short_page"] {
                do {
                    let found = try read(list, end: end)
                    let wanted = Dictionary(grouping: list.times) { $0 }.mapValues(\.count)
                    #expect(found.seen == wanted, "\(counts) of pages of \(size)\(end)")
                    if let last = list.times.last {
                        #expect(found.reached == Timestamp.iso8601(last))
                    }
                } catch let error as PageError {
                    failed += 1
                    // Only where one time's records fill a page.
                    #expect(
                        counts.contains { $0 >= size - 1 },
                        "\(counts) of pages of \(size): \(error)")
                }
            }
        }
        #expect(failed > 0)
    }

    @Test func `a sequence's numbers are asked for one behind the other, without coming back`()
        throws
    {
        let page = try entity(
            page: "{ style: keyset, by: seq, start: 0, size: 3 }",
            request: "{ path: /feed, query: { c: \"{page.token}\" } }",
            fields:
                "{ id: { at: id, type: text, required: true }, seq: { at: seq, type: int, required: true } }"
        ).page
        var positions = SeenPositions()
        for number: Int64 in [4, 5, 6] { positions.add(.int(number)) }
        let facts = PageFacts(
            root: try node("{}"), response: HTTPResponse(status: 200, headers: []),
            url: "https://h.example/feed", position: "3", recordCount: 3, positions: positions)
        #expect(
            try page.position(after: facts, signInName: nil)
                == NextPosition(next: "6", reached: "6"))
    }

    @Test(arguments: [[3, 2], [1, 2], [2, 3, 2]])
    func `records out of order, or from before the position, fail by name`(seconds: [Int64]) throws
    {
        var positions = SeenPositions()
        for second in seconds { positions.add(.timestamp(second * 1_000_000)) }
        let facts = PageFacts(
            root: try node("{}"), response: HTTPResponse(status: 200, headers: []),
            url: "https://h.example/feed", position: "1970-01-01T00:00:02Z",
            recordCount: seconds.count,
            positions: positions)
        let error = #expect(throws: PageError.self) {
            try page(size: 10).position(after: facts, signInName: nil)
        }
        #expect(error?.word == "malformed")
    }
}
