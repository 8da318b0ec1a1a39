import Testing

@testable import JobQueue

@Suite("How workers walk what is due together")
struct DueWalkTests {
    @Test func `what seven workers are behind they walk in parts, and together see all of it`() {
        var seen: [Set<Int64>] = []
        for rank in 0..<7 {
            var play = Play(slots: 8)
            play.server.haste = 100
            play.lookSpan = 0.001
            play.memory.walk.note(rank: rank, of: 7)
            for number in 0..<7000 {
                play.server.add(
                    tenant: Int64(number % 70), at: play.server.now - Int64(number) * 500_000)
            }
            for _ in 0..<20 { play.step(0.001, lasting: 1000...1000) }
            let remembered = (0..<70).flatMap { play.memory.due.next(7000, of: $0) }
            seen.append(
                Set(remembered.map(\.position.user)).union(play.claimed.map(\.claim.userID)))
            #expect(!play.memory.walk.isBehind)
        }
        #expect(seen.allSatisfy { $0.count < 1300 }, "\(seen.map(\.count))")
        #expect(seen.reduce(Set()) { $0.union($1) }.count == 7000)
    }

    @Test(arguments: [1, 7])
    func `what becomes due in a burst while parts are walked is parted as well`(_ workers: Int) {
        var seen: Set<Int64> = []
        for rank in 0..<workers {
            // To walk its part takes it longer than it looks back.
            var play = Play.begun(rank: rank, of: workers, lookSpan: 1)
            for number in 0..<700 {
                // After all that its walk began with.
                play.server.add(
                    tenant: Int64(number % 70), at: play.server.now + Int64(1 + number * 30))
            }
            for _ in 0..<20 { play.step(0.03, lasting: 1000...1000) }
            #expect(!play.memory.walk.isBehind)
            seen.formUnion(play.seen)
        }
        #expect(seen.count == 7700, "\(seen.count)")
    }

    /// Whether others' parts are left, and however long it walked its own.
    @Test(arguments: [1, 2])
    func `what nobody told of is found by a look behind while a backlog waits and after it`(
        _ workers: Int
    ) {
        var play = Play.begun(rank: 0, of: workers, lookSpan: 1)
        for _ in 0..<20 { play.step(0.03, lasting: 10_000...10_000) }
        #expect(!play.memory.walk.isBehind)
        play.server.add(tenant: 5, at: play.server.now - 3_400_000_000)
        for _ in 0..<20 { play.step(0.03, lasting: 10_000...10_000) }
        #expect(!play.seen.contains(7000))
        play.memory.walk.lookBehind(at: play.seconds)
        play.lookSpan = 0.001
        for _ in 0..<20 { play.step(0.03, lasting: 10_000...10_000) }
        #expect(play.seen.contains(7000))
        #expect(workers == 1 || Set(play.seen).count < 4000, "\(Set(play.seen).count)")
        // Once more: the first walk of all of it does not put this one off.
        play.server.add(tenant: 5, at: play.server.now - 3_400_000_000)
        for _ in 0..<20 { play.step(0.5, lasting: 10_000...10_000) }
        play.memory.walk.lookBehind(at: play.seconds)
        for _ in 0..<20 { play.step(0.03, lasting: 10_000...10_000) }
        #expect(play.seen.contains(7001))
    }

    /// What was claimed stays in the index as dead entries, which no look counts: all at once they would hold claims up.
    @Test func `a look behind comes in pieces`() {
        var play = Play.begun(rank: 0, of: 1, lookSpan: 0.001)
        for _ in 0..<100 { play.step(0.03, lasting: 10_000...10_000) }
        #expect(!play.memory.walk.isBehind)
        play.memory.walk.lookBehind(at: play.seconds)
        var spans: [Int64] = []
        for _ in 0..<100 {
            let ticket = play.memory.ticket(0, at: play.seconds)
            if ticket.look == .gap, let end = ticket.end {
                spans.append(end.time - max(ticket.start.time, play.server.now - 3_520_000_000))
            }
            _ = play.memory.note(play.server.answer(ticket), by: ticket, at: play.seconds)
        }
        #expect(!play.memory.walk.isBehind && spans.count >= 16, "\(spans.count)")
        #expect(spans.allSatisfy { $0 < 300_000_000 }, "\(spans)")
    }

    /// It has claimed all that it remembered, and what others walk can wait.
    @Test func `a worker without a free slot asks for nothing that it could not claim`() {
        var play = Play(slots: 8)
        play.server.haste = 100
        play.lookSpan = 0.04
        play.memory.walk.note(rank: 1, of: 2)
        for number in 0..<400 {
            play.server.add(tenant: 1, at: play.server.now - Int64(400 - number) * 1_000_000)
        }
        for _ in 0..<4000 where play.claimed.count < 390 {
            let before = play.statements
            play.step(0.01, lasting: 0.05...0.5)
            #expect(play.statements - before < 40, "at \(play.seconds) s")
        }
        #expect(play.claimed.count >= 390)
    }

    /// Each claim comes long after the last, and the first statement fills its slots.
    @Test func `a worker walks on though the front has jobs for all its slots`() {
        var play = Play.begun(rank: 0, of: 1, lookSpan: 0.03)
        for _ in 0..<400 {
            play.step(0.05, lasting: 0.01...0.01)
        }
        #expect(!play.memory.walk.isBehind)
    }

    /// Each claim comes long after the last, and the first statement fills its slots.
    @Test func `a tenant of whom few jobs are remembered runs on though the front has jobs enough`()
    {
        var play = Play(slots: 8, remembered: 100)
        for number in 0..<3000 {
            play.server.add(tenant: 1, at: play.server.now - Int64(number + 20) * 500_000)
        }
        for _ in 0..<600 {
            for tenant in 2...9 as ClosedRange<Int64> {
                play.server.add(tenant: tenant, at: play.server.now)
            }
            play.step(0.05, lasting: 0.01...0.01)
        }
        // A ninth of all.
        let ran = play.claimed.count(where: { $0.tenantID == 1 })
        #expect(ran >= 500, "\(ran)")
    }

    @Test func `a worker's part becomes others' when it dies, also when a burst came meanwhile`() {
        var play = Play.begun(rank: 0, of: 2, lookSpan: 0.001)
        for _ in 0..<20 { play.step(0.03, lasting: 1000...1000) }
        for number in 0..<100 {
            play.server.add(
                tenant: Int64(number % 70), at: play.server.now + Int64(1 + number * 30))
        }
        for _ in 0..<5 { play.step(0.03, lasting: 1000...1000) }
        #expect(Set(play.seen).count < 4000, "\(Set(play.seen).count)")
        play.memory.walk.note(rank: 0, of: 1)
        for _ in 0..<20 { play.step(0.001, lasting: 1000...1000) }
        #expect(Set(play.seen).count == 7100, "\(Set(play.seen).count)")
    }

    /// As after a verb that asked for all of a tenant's jobs, or a hand that wrote -infinity.
    @Test(arguments: [999_940_000_000, .min] as [Int64])
    func `what is due at one moment keeps all workers busy`(_ time: Int64) {
        var play = Play(slots: 8)
        play.server.haste = 100
        play.lookSpan = 0.02
        play.memory.walk.note(rank: 3, of: 7)
        for number in 0..<3000 { play.server.add(tenant: Int64(number % 13), at: time) }
        for _ in 0..<2500 where play.claimed.count < 3000 {
            play.step()
            #expect(play.free == 0 || play.claimed.count == 3000, "at \(play.seconds) s")
        }
        #expect(play.claimed.count == 3000)
    }

    /// Workers that start together know only after a moment how many they are; and one of them may die.
    @Test func `what was not seen yet is parted anew when there are more workers, or fewer`() {
        var play = Play.begun(rank: 0, of: 1, lookSpan: 0.01)
        #expect(100...300 ~= play.seen.count)
        play.memory.walk.note(rank: 2, of: 7)
        for _ in 0..<20 { play.step(0.001, lasting: 1000...1000) }
        // The oldest have the highest numbers.
        let part = Set(Int64(4050)..<4950)
        #expect(part.isSubset(of: play.seen) && play.seen.count < 1500, "\(play.seen.count)")

        // With all slots full it has enough, and looks at others' parts once in five seconds.
        let before = play.server.walked
        for _ in 0..<1000 { play.step(0.01, lasting: 1000...1000) }
        #expect(play.server.walked - before <= 300, "\(play.server.walked - before)")

        play.memory.walk.note(rank: 0, of: 1)
        for _ in 0..<20 { play.step(0.001, lasting: 1000...1000) }
        #expect(Set(play.seen).count == 7000, "\(Set(play.seen).count)")
    }

    /// Also when somebody made it look again, some way back, while it had the others' to walk.
    @Test(arguments: [false, true])
    func `a worker that has done its part goes on with the others' when it runs dry`(
        _ looksAgain: Bool
    ) {
        var play = Play(slots: 8)
        play.server.haste = 100
        play.lookSpan = 0.05
        play.memory.walk.note(rank: 3, of: 7)
        for number in 0..<3000 {
            play.server.add(
                tenant: Int64(number % 13), at: play.server.now - Int64(number) * 500_000)
        }
        for step in 0..<2500 where play.claimed.count < 3000 {
            if looksAgain, step == 50 {
                play.memory.walk.lookAgain(from: play.server.now - 10_000_000)
            }
            play.step()
            #expect(play.free == 0 || play.claimed.count == 3000, "at \(play.seconds) s")
        }
        #expect(play.claimed.count == 3000)
    }

    /// Of what five others walk a twentieth waits, all of it at the parts' ends.
    @Test func `a worker that has done its part leaves the others' alone while little is left`() {
        var play = Play(slots: 200)
        play.server.keepsDead = true
        play.server.haste = 10
        play.lookSpan = 0.02
        play.memory.walk.note(rank: 2, of: 6)
        // A second has a thousand, and the last is older than what is looked at again each second.
        let span = 15_600
        for number in 0..<12_000 {
            play.server.add(
                tenant: Int64(number % 70), at: play.server.now - Int64(span - number) * 1_000)
            let (part, place) = (6 * number / span, 6 * number % span)
            if part != 2, 20 * place < 19 * span { play.server.steal(number) }
        }
        let waiting = play.server.waiting.count
        for _ in 0..<100 { play.step(0.01, lasting: 0.01...0.02) }
        // Its own part, a hundred of each other's, and what is looked at in a fiftieth of the time.
        #expect(play.claimed.count >= 2_500)
        #expect(play.server.walked < 2_700 + 5 * 100 + 4_000, "\(play.server.walked)")
        // All of it is seen in the end.
        for _ in 0..<1000 where play.claimed.count < waiting { play.step(0.05) }
        #expect(play.claimed.count == waiting)
    }
}
