import JobQueue
import Testing

@testable import Claiming

@Suite("How far a worker has looked")
struct DueFrontTests {
    private let now: Int64 = 1_000_000_000_000

    private func due(_ reached: Int64? = nil, now: Int64) -> DueTenants {
        DueTenants(
            reached: DuePosition(time: reached ?? now, user: reached == nil ? .max : 7),
            isCut: reached != nil, now: now)
    }

    private func begun() -> DueFront {
        var front = DueFront()
        _ = front.looked(due(now: now))
        return front
    }

    @Test func `what a look was cut off from is looked at from there on`() {
        var front = begun()
        let isForRound = front.looked(due(now + 10, now: now + 100))
        #expect(!isForRound && front.isBehind)
        #expect(front.next.start == DuePosition(time: now + 10, user: 7) && !front.next.isLong)
        let isSeen = front.looked(due(now: now + 200))
        #expect(!isSeen && !front.isBehind && front.next.start == .from(now + 200))
    }

    @Test func `after nine looks that were cut off, what is left is for a round of the tenants`() {
        var front = begun()
        for look in 1...9 as ClosedRange<Int64> {
            #expect(front.next.start < .end)
            let isForRound = front.looked(due(now + look, now: now + 1000))
            #expect(!isForRound)
        }
        // The time is asked, before the round: it then sees all that was due by then.
        #expect(front.next.start == .end && front.isBehind)
        let isForRound = front.looked(due(now: now + 2000))
        #expect(isForRound && !front.isBehind && front.next.start == .from(now + 2000))
    }

    @Test
    func `a look is cut off among what is new, or among what was seen before it was moved back`() {
        var front = begun()
        _ = front.looked(due(now + 10, now: now + 100))
        #expect(front.leavesNew)
        _ = front.looked(due(now: now + 200))
        front.moveBack(to: .from(now - 1_000_000))
        _ = front.looked(due(now - 500_000, now: now + 300))
        #expect(!front.leavesNew && front.isBehind)
        // It has come over all that was seen.
        _ = front.looked(due(now + 250, now: now + 300))
        #expect(front.leavesNew)
    }

    @Test func `where a round is long, so many looks come before it`() {
        var front = begun()
        front.cutsMax = 20
        for look in 1...20 as ClosedRange<Int64> {
            _ = front.looked(due(now + look, now: now + 1000))
        }
        #expect(front.next.start < .end)
        _ = front.looked(due(now + 21, now: now + 1000))
        #expect(front.next.start == .end)
    }

    /// Any login may send notifications: what each says is near by the last look, and not by the one before.
    @Test
    func `near is what is near the time of the last look, however far the front was moved back`() {
        var front = begun()
        for _ in 0..<10 where front.isNear(front.position.time - 4_000_000) {
            front.moveBack(to: .from(front.position.time - 4_000_000))
        }
        #expect(front.position == .from(now - 4_000_000))
    }

    @Test func `a look that takes too long is not made again, and what it meant is for a round`() {
        var front = begun()
        front.moveBack(to: .beginning)
        #expect(front.next == DueFront.Look(start: .beginning, isLong: true))
        front.lookFailed()
        #expect(front.next.start == .end && front.isBehind)
        let isForRound = front.looked(due(now: now + 10))
        #expect(isForRound && front.next == DueFront.Look(start: .from(now + 10), isLong: false))
    }

    @Test(arguments: [(1, 1.0), (12, 4.0)])
    func `the front is moved back over late commits, of many workers by three a second`(
        _ workers: Int, _ pace: Double
    ) {
        var front = begun()
        front.rewindForLateCommits(of: workers, at: 100)
        #expect(front.position == .from(now - 3_000_000))
        _ = front.looked(due(now: now))
        front.rewindForLateCommits(of: workers, at: 100 + pace - 0.1)
        #expect(front.position == .from(now))
        front.rewindForLateCommits(of: workers, at: 100 + pace)
        #expect(front.position == .from(now - 3_000_000))
    }

    @Test func `workers that start together move their fronts back one after the other`() {
        let moved = (0..<30).map { rank in
            var front = begun()
            front.rewindForLateCommits(rank: rank, of: 30, at: 100)
            _ = front.looked(due(now: now))
            // The next time.
            var second = 100.0
            while front.position == .from(now), second < 200 {
                second += 0.1
                front.rewindForLateCommits(rank: rank, of: 30, at: second)
            }
            return second
        }
        let gaps = zip(moved.sorted(), moved.sorted().dropFirst()).map { $1 - $0 }
        #expect(gaps.max()! < 0.5 && moved.max()! < 200, "\(moved)")
    }

    /// Else a worker that is behind might never come to the end.
    @Test func `a front that is behind is not moved back over late commits`() {
        var front = begun()
        _ = front.looked(due(now + 10, now: now + 100))
        front.rewindForLateCommits(of: 1, at: 100)
        #expect(front.position.time == now + 10)
    }

    @Test func `an old time is a long look, and a near one is not`() {
        var front = begun()
        #expect(front.isNear(now - 1_000_000) && !front.isNear(now - 3_600_000_000))
        front.moveBack(to: .from(now - 1_000_000))
        #expect(front.next == DueFront.Look(start: .from(now - 1_000_000), isLong: false))
        front.moveBack(to: .from(now - 3_600_000_000))
        front.moveBack(to: .from(now - 1_000_000))
        #expect(front.next == DueFront.Look(start: .from(now - 3_600_000_000), isLong: true))
    }

    @Test func `a server's clock that is set back takes the front with it`() {
        var front = begun()
        _ = front.looked(due(now: now - 3_600_000_000))
        #expect(front.position == .from(now - 3_600_000_000))
        #expect(DueFront().next.isLong)
    }
}
