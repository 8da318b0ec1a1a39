import JobQueue
import Testing

@testable import Runner

@Suite struct ClaimNotesTests {
    private func claims(_ nonce: UInt8, from first: Int64, count: Int64) -> [Claim] {
        (first..<first + count).map { fence in
            Claim(userID: fence, name: "job", fence: fence, nonce: [nonce])
        }
    }

    @Test
    func
        `a claim's note goes when thousands of runs are over, and never while one of its runs is not`()
    {
        let notes = ClaimNotes()
        let batches = (0..<5).map { claims(UInt8($0), from: Int64($0) * 1000 + 1, count: 500) }
        for claims in batches { notes.claimed(claims) }
        // The last run of the first claim goes on.
        #expect(!notes.ended(batches[0].dropLast()))
        for claims in batches[1..<4] { #expect(!notes.ended(claims)) }
        #expect(notes.takeMany().isEmpty)
        #expect(notes.ended(batches[4]))
        #expect(notes.takeMany() == (1...4).map { $0 * 1000 + 1 })
        // Nothing is told twice, of a claim of another worker nothing.
        #expect(notes.takeMany().isEmpty)
        #expect(!notes.ended(batches[1]))
        #expect(!notes.ended(claims(99, from: 1, count: 500)))
    }

    @Test func `claims of which a run is never heard of do not add up without end`() {
        let notes = ClaimNotes()
        func claim(_ number: Int64) -> Claim {
            Claim(
                userID: 1, name: "job", fence: number * 1000 + 1,
                nonce: (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
        }
        notes.claimed([claim(0)])
        for number in 1...20_000 as ClosedRange<Int64> { notes.claimed([claim(number)]) }
        // The first ones are left to the chore, the last is known.
        for number in 0...2000 as ClosedRange<Int64> { #expect(!notes.ended([claim(number)])) }
        #expect(!notes.ended([claim(20_000)]))
        #expect(notes.takeMany().isEmpty)
    }

    @Test func `claims of one thousand numbers are told apart`() {
        let notes = ClaimNotes()
        let (some, others) = (claims(1, from: 501, count: 500), claims(2, from: 1001, count: 2000))
        notes.claimed(some + others)
        #expect(!notes.ended(some.dropLast()))
        #expect(notes.ended(others))
        #expect(notes.takeMany() == [1001])
    }
}
