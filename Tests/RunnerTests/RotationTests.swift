import Testing

@testable import Runner

@Suite struct RotationTests {
    private func fleet(_ count: Int) -> [Rotation] {
        (0..<count).map { rank in
            let turns = Rotation()
            turns.update(rank: rank, of: count, at: 1000)
            return turns
        }
    }

    @Test(arguments: [1, 2, 7, 200])
    func `each turn is one worker's, however often they ask`(_ count: Int) {
        let fleet = fleet(count)
        for second in 0..<450 {
            let time = 1_700_000_000 + Double(second)
            var had = 0
            for part in [0.0, 0.4, 0.9] {
                had += fleet.count { $0.isOurs(each: .seconds(1), at: time + part) }
            }
            #expect(had == 1)
        }
    }

    @Test func `turns of different spans do not take one another's place`() {
        let turns = Rotation()
        #expect(turns.isOurs(each: .seconds(1), at: 100))
        #expect(turns.isOurs(each: .seconds(10), at: 100))
        #expect(!turns.isOurs(each: .seconds(1), at: 100.5))
        #expect(turns.isOurs(each: .seconds(1), at: 101))
    }

    @Test func `who looks up a little too seldom has the turn that went by, and none twice`() {
        let fleet = fleet(3)
        var had = [Int](repeating: 0, count: 3)
        // 0.7 s, then 0.5: turns of half a second go by unseen, of each worker others.
        for step in 0..<60 {
            let time = 1_700_000_000 + 1.2 * Double(step / 2) + (step % 2 == 0 ? 0 : 0.7)
            for (rank, turns) in fleet.enumerated()
            where turns.isOurs(each: .milliseconds(500), at: time) {
                had[rank] += 1
            }
        }
        // 36 s are 72 turns.
        #expect(had.allSatisfy { (23...24).contains($0) }, "\(had)")
    }

    @Test func `a worker that stood still for long has one turn, not all that went by`() {
        let turns = Rotation()
        turns.update(rank: 1, of: 3, at: 0)
        _ = turns.isOurs(each: .seconds(1), at: 100)
        #expect(turns.isOurs(each: .seconds(1), at: 100_000))
        #expect(!turns.isOurs(each: .seconds(1), at: 100_000.9))
    }

    @Test func `a clock that is set back keeps nobody from a turn`() {
        let turns = Rotation()
        #expect(turns.isOurs(each: .seconds(1), at: 5000))
        #expect(turns.isOurs(each: .seconds(1), at: 1000))
        #expect(!turns.isOurs(each: .seconds(1), at: 1000.5))
        #expect(turns.isOurs(each: .seconds(1), at: 1001))
    }

    @Test func `at most eight of many workers listen, and one of them is first`() {
        let fleet = fleet(200)
        let listeners = fleet.filter(\.isListener)
        #expect(listeners.count == 8)
        for minute in 0..<20 {
            let delays = listeners.map { $0.delay(at: Double(minute) * 60) }
            #expect(delays.count { $0 == .zero } == 1)
            #expect(delays.max() ?? .zero <= .milliseconds(56))
        }
        #expect(Rotation().delay(at: 5) == .zero)
    }

    @Test func `the others go on when the first of them has died`() {
        let turns = Rotation()
        turns.update(rank: 1, of: 2, at: 0)
        let had = (0..<20).count { turns.isOurs(each: .milliseconds(500), at: Double($0) / 2) }
        #expect(had == 10)
    }

    @Test func `as many workers answer as there are jobs, and one more`() {
        for (jobs, answer) in [(1, 2), (3, 4), (100, 8)] {
            let fleet = fleet(200).filter(\.isListener)
            #expect(fleet.count { $0.answers(jobs, at: 5) } == answer)
        }
        #expect(fleet(200).filter(\.isListener).allSatisfy { $0.answers(nil, at: 5) })
    }

    @Test func `who leaves one job after another to others comes to look, too`() {
        let fleet = fleet(8)
        for _ in 0..<6 { for turns in fleet { _ = turns.answers(1, at: 5) } }
        #expect(fleet.allSatisfy { $0.answers(1, at: 5) })
        #expect(fleet.count { $0.answers(1, at: 5.2) } == 2)
    }
}
