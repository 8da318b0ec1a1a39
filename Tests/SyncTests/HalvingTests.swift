import Testing

@testable import Sync

@Suite struct HalvingTests {
    /// Sends rows to a source that refuses every request which holds a guilty one, or more rows than it
    /// takes.
    private func send(
        _ halving: inout Halving<Int>, guilty: Set<Int> = [], most: Int = .max
    ) -> (requests: [Int], sent: [Int], refused: [Int]) {
        var (requests, sent, refused): ([Int], [Int], [Int]) = ([], [], [])
        while let part = halving.next() {
            requests.append(part.count)
            if part.count > most || part.contains(where: guilty.contains) {
                if let row = halving.applyRefused() { refused.append(row) }
                if halving.isHopeless { break }
            } else {
                halving.applyAccepted()
                sent += part
            }
        }
        return (requests, sent, refused)
    }

    private func logarithm(_ count: Int) -> Int {
        count <= 1 ? 0 : Int.bitWidth - (count - 1).leadingZeroBitCount
    }

    @Test(arguments: [1, 2, 3, 7, 60, 64, 199, 200])
    func `one guilty row is found in two requests a halving, wherever it is`(_ count: Int) {
        for guilty in 0..<count {
            var halving = Halving(Array(0..<count), sizeMax: 200)
            let story = send(&halving, guilty: [guilty])
            #expect(story.refused == [guilty])
            #expect(story.sent.sorted() == (0..<count).filter { $0 != guilty })
            #expect(story.requests.count <= 2 * logarithm(count) + 1)
            #expect(halving.sizeMax == 200)
        }
    }

    @Test(arguments: [2, 8, 50, 64]) func `two guilty rows are found for twice as much`(
        _ count: Int
    ) {
        for first in 0..<count {
            for second in first + 1..<count {
                var halving = Halving(Array(0..<count), sizeMax: 200)
                let story = send(&halving, guilty: [first, second])
                #expect(Set(story.refused) == [first, second])
                #expect(story.sent.count == count - 2)
                #expect(story.requests.count <= 4 * logarithm(count) + 1)
            }
        }
    }

    @Test
    func `what is refused whole and goes in halves was too large, and the halves' size is kept`() {
        var halving = Halving(Array(0..<200), sizeMax: 200)
        let story = send(&halving, most: 50)
        #expect(story.requests == [200, 100, 50, 50, 50, 50])
        #expect(story.sent.sorted() == Array(0..<200))
        #expect(story.refused == [])
        #expect(halving.sizeMax == 50)
        var later = Halving(Array(0..<120), sizeMax: halving.sizeMax)
        #expect(send(&later, most: 50).requests == [40, 40, 40])
    }

    @Test func `a guilty row in a batch that is too large as well is found`() {
        for guilty in 0..<200 {
            var halving = Halving(Array(0..<200), sizeMax: 200)
            let story = send(&halving, guilty: [guilty], most: 50)
            #expect(story.refused == [guilty])
            #expect(story.sent.count == 199)
            #expect(story.requests.count <= 2 * logarithm(200) + 4)
        }
    }

    @Test func `where nothing goes through the rows are not asked one by one`() {
        var halving = Halving(Array(0..<200), sizeMax: 200)
        let story = send(&halving, guilty: Set(0..<200))
        #expect(story.refused.count == 8)
        #expect(story.requests.count < 60)
        // The rows that speak against the request are from all over the batch.
        #expect(Set(story.refused.map { $0 / 50 }) == [0, 1, 2, 3])
        var few = Halving(Array(0..<8), sizeMax: 200)
        #expect(send(&few, guilty: Set(0..<8)).refused.count == 8)
        var first = Halving(Array(0..<200), sizeMax: 200)
        #expect(send(&first, guilty: Set(0..<20)).sent.count == 180)
    }

    @Test func `of no rows no request is made`() {
        var halving = Halving([Int](), sizeMax: 200)
        #expect(halving.next() == nil)
    }
}
