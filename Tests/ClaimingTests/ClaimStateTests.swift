import JobQueue
import Testing

@testable import Claiming

@Suite("What a worker remembers between its claims")
struct ClaimStateTests {
    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `whatever becomes due is claimed, whoever takes, holds, releases or commits it late`(
        _ seed: UInt64
    ) {
        var play = Play(slots: 8, seed: seed)
        play.server.lookMax = [10, 100, 1000][Int(seed % 3)]
        // Every other worker is one of seven, and its looks take time.
        if seed % 2 == 0 {
            play.state.rank = Int(seed % 7)
            play.state.share.workers = 7
            play.lookSpan = 0.001
        }
        let tenants = Int64([1, 7, 60][Int(seed / 3 % 3)])
        // What is told of the past while a statement is under way, its answer does not know.
        play.meanwhile = { play in
            guard Double.random(in: 0..<1, using: &play.noise) < 0.02 else { return }
            let time = play.server.now - Int64.random(in: 0...60_000_000, using: &play.noise)
            let owner = Int64.random(in: 1...tenants, using: &play.noise)
            let isOfTenant = Bool.random(using: &play.noise)
            play.server.add(tenant: owner, at: time, lane: isOfTenant ? .due : .asked)
            play.state.hear(
                .announced(Announcement(since: time, tenant: isOfTenant ? owner : nil)),
                at: play.seconds)
        }
        for step in 0..<1000 {
            disturb(&play, tenants, step)
            play.step()
        }
        // No more comes; what is due is claimed while slots are free.
        play.meanwhile = { _ in }
        for step in 0..<1000 {
            // What was held when its turn came is looked for again, as by one worker in turn.
            if step % 500 == 0 { play.state.hear(.rescan, at: play.seconds) }
            play.step()
        }
        let left = play.server.waiting.filter { $0.time <= play.server.now }
        #expect(left.isEmpty, "\(left.count) left")
        #expect(play.state.backlog.isEmpty)
    }

    private func disturb(_ play: inout Play, _ tenants: Int64, _ step: Int) {
        let now = play.server.now
        func chance(_ part: Double) -> Bool { Double.random(in: 0..<1, using: &play.noise) < part }
        func tenant() -> Int64 { Int64.random(in: 1...tenants, using: &play.noise) }
        func anyJob() -> Int? { play.server.jobs.indices.randomElement(using: &play.noise) }
        func lane() -> Lane { chance(0.2) ? .asked : chance(0.1) ? .new : .due }
        if chance(0.3) { play.server.add(tenant: tenant(), at: now, lane: lane()) }
        // Many at the very same time.
        if step % 400 == 100 {
            let owner = chance(0.5) ? tenant() : 0
            for _ in 0..<500 { play.server.add(tenant: owner == 0 ? tenant() : owner, at: now) }
        }
        if chance(0.05) {
            let late = Int64.random(in: 0...1_900_000, using: &play.noise)
            play.server.add(tenant: tenant(), at: now, visibleAt: now + late)
        }
        if chance(0.02) {
            let time = now - Int64.random(in: 0...60_000_000, using: &play.noise)
            let owner = tenant()
            play.server.add(tenant: owner, at: time)
            play.state.hear(
                .announced(Announcement(since: time, tenant: chance(0.5) ? owner : nil)),
                at: play.seconds)
        }
        if chance(0.1), let job = anyJob(), play.server.isWaiting(job) {
            play.server.take(job)
            if chance(0.3) {
                play.server.release(job)
                play.state.hear(
                    .announced(Announcement(since: play.server.jobs[job].time, tenant: nil)),
                    at: play.seconds)
            }
        }
        if chance(0.1), let job = anyJob(), play.server.isWaiting(job) {
            play.server.hold(job, until: now + Int64.random(in: 0...500_000, using: &play.noise))
        }
        if chance(0.02) { play.server.limit(tenant(), to: chance(0.5) ? nil : 3) }
        if chance(0.01) {
            let owner = tenant()
            if play.server.paused.remove(owner) == nil {
                play.server.paused.insert(owner)
            } else {
                play.state.hear(
                    .announced(Announcement(since: .min, tenant: owner)), at: play.seconds)
            }
        }
        if step == 999 {
            play.server.paused = []
            for owner in 0...tenants {
                play.server.limit(owner, to: nil)
                play.state.hear(
                    .announced(Announcement(since: .min, tenant: owner)), at: play.seconds)
            }
        }
    }

    @Test func `no slot is free while something is due that one call could find`() {
        var play = Play(slots: 8)
        play.server.lookMax = 10
        for number in 0..<3000 {
            play.server.add(tenant: Int64(number % 13 + 1), at: play.server.now)
        }
        for step in 0..<2000 where play.claimed.count < 3000 {
            play.step()
            // At first half the slots are left to tenants that are yet to be found.
            #expect(
                play.free <= (step < 210 ? 4 : 0) || play.claimed.count == 3000,
                "step \(step) \(play.free) \(play.claimed.count)")
        }
        #expect(Set(play.claimed.map(\.claim.userID)).count == 3000)
    }

    @Test
    func `of each tenant the oldest due job is claimed first, and those asked for before all`() {
        var play = Play(slots: 4)
        for number in 0..<600 {
            play.server.add(
                tenant: Int64(number % 3 + 1), at: play.server.now - Int64(number * 7919 % 600),
                lane: number % 50 < 3 ? .asked : .due)
        }
        for _ in 0..<2000 where play.claimed.count < 600 { play.step() }
        for (_, jobs) in Dictionary(grouping: play.claimed, by: \.tenantID) {
            let asked = jobs.filter(\.isAsked)
            #expect(jobs.prefix(asked.count).count { $0.isAsked } == asked.count)
            let times = jobs.filter { !$0.isAsked }.map(\.scheduledAt)
            #expect(times == times.sorted())
        }
    }

    @Test func `a tenant with a limit holds no more slots, and nobody waits for it`() {
        var play = Play(slots: 8)
        play.server.limit(1, to: 2)
        for _ in 0..<400 { play.server.add(tenant: 1, at: play.server.now) }
        for _ in 0..<200 { play.server.add(tenant: 2, at: play.server.now) }
        for _ in 0..<4000 where play.claimed.count < 600 {
            play.step()
            #expect(play.server.running(of: 1) <= 2)
            if play.claimed.count(where: { $0.tenantID == 2 }) < 200 { #expect(play.free == 0) }
        }
        #expect(play.claimed.count == 600)
        #expect(play.seconds < 400 / 2 * 0.05 + 2)
    }

    @Test
    func `users who were added with many have half of the slots, and what was asked for goes on`() {
        var play = Play(slots: 8)
        for _ in 0..<50 { play.server.add(tenant: 1, at: play.server.now, lane: .new) }
        for _ in 0..<3 { play.step(0.1, lasting: 100...100) }
        #expect(play.claimed.count == 4)
        #expect(play.state.isHeldBack)
        for _ in 0..<3 { play.server.add(tenant: 1, at: play.server.now, lane: .asked) }
        play.step(0.1, lasting: 100...100)
        #expect(play.claimed.count == 7)
        for _ in 0..<2 { play.step(60, lasting: 100...100) }
        #expect(play.claimed.count(where: { $0.lane == .new }) == 8)
    }

    @Test func `tenants get slots by weight, and by a new weight from its announcement on`() {
        var play = Play(slots: 8)
        play.server.weights = [2: 2, 3: 4]
        for tenant in 1...3 as ClosedRange<Int64> {
            for _ in 0..<4000 { play.server.add(tenant: tenant, at: play.server.now) }
        }
        func shares(_ steps: Int) -> [Int64: Double] {
            let before = play.claimed.count
            for _ in 0..<steps { play.step(0.05, lasting: 0.1...0.5) }
            let new = play.claimed.dropFirst(before)
            return Dictionary(grouping: new, by: \.tenantID).mapValues {
                Double($0.count) / Double(new.count)
            }
        }
        for (tenant, weight) in [(1, 1.0), (2, 2.0), (3, 4.0)] as [(Int64, Double)] {
            let share = shares(500)[tenant] ?? 0
            #expect(abs(share / (weight / 7) - 1) < 0.1, "\(tenant) \(share)")
        }
        play.server.weights[1] = 8
        play.state.hear(
            .announced(Announcement(since: nil, tenant: 1, weight: 8)), at: play.seconds)
        let share = shares(500)[1] ?? 0
        #expect(abs(share / (8 / 14) - 1) < 0.1, "\(share)")
    }

    @Test func `a quiet tenant is found behind a long backlog of another's, also at the start`() {
        var play = Play(slots: 8)
        play.server.lookMax = 100
        play.lookSpan = 0.002
        for number in 0..<20_000 {
            play.server.add(tenant: 1, at: play.server.now - 3_600_000_000 + Int64(number))
        }
        play.server.add(tenant: 2, at: play.server.now - 60_000_000)
        for _ in 0..<100 where !play.claimed.contains(where: { $0.tenantID == 2 }) { play.step() }
        #expect(play.claimed.contains { $0.tenantID == 2 })
        #expect(play.server.looked < 3000, "\(play.server.looked)")
        // Of whom something is due is known then, and no more is looked at.
        for _ in 0..<20 { play.step() }
        #expect(!play.state.isBehind)
    }

    /// Each event of a trigger may announce a job that has waited for long.
    @Test func `news of the past that never end keep no quiet tenant from being found`() {
        var play = Play(slots: 8)
        play.server.lookMax = 100
        let old = play.server.now - 3_600_000_000
        for number in 0..<4000 { play.server.add(tenant: 1, at: old + Int64(number)) }
        for tenant in 2...3000 as ClosedRange<Int64> {
            play.server.add(tenant: tenant, at: play.server.now + 3_600_000_000)
        }
        play.server.add(tenant: 2500, at: play.server.now - 60_000_000)
        for _ in 0..<150 where !play.claimed.contains(where: { $0.tenantID == 2500 }) {
            play.state.hear(.announced(Announcement(since: old, tenant: nil)), at: play.seconds)
            play.step()
        }
        #expect(play.claimed.contains { $0.tenantID == 2500 })
    }

    @Test func `workers begin their first rounds at different tenants`() {
        let first = (0..<8).map { rank in
            var play = Play(slots: 8)
            play.state.rank = rank
            play.state.share.workers = 8
            play.server.lookMax = 10
            for number in 0..<400 {
                play.server.add(tenant: 1, at: play.server.now - Int64(1000 - number))
            }
            for tenant in 1...800 as ClosedRange<Int64> {
                play.server.add(tenant: 100 * tenant, at: play.server.now + 3_600_000_000)
            }
            for _ in 0..<50 where play.state.round.next == nil { play.step() }
            return play.state.round.next?.after
        }
        #expect(Set(first).count == 8)
    }

    @Test
    func
        `a worker without a free slot looks fifty times a second at most, however long the backlog`()
    {
        var play = Play(slots: 1)
        play.server.lookMax = 10
        for number in 0..<5000 {
            play.server.add(
                tenant: Int64(number + 1), at: play.server.now - Int64(number) * 1_000_000)
        }
        play.step(lasting: 1000...1000)
        #expect(play.state.isBehind)
        let before = play.statements
        for _ in 0..<1000 { play.step(0.001, lasting: 1000...1000) }
        // At the front and at what was not seen yet.
        #expect(play.statements - before <= 2 * 51 + 2)
    }

    /// A tenth of a second a look, as under a held snapshot; and the slots are never filled.
    @Test func `what is known is claimed while looks take all of a call's time`() {
        var play = Play(slots: 50)
        play.server.lookMax = 2
        play.lookSpan = 0.1
        for number in 0..<200 {
            play.server.add(
                tenant: Int64(number % 5 + 1), at: play.server.now - Int64(number) * 1_000_000)
        }
        for _ in 0..<3 { play.step(0.01, lasting: 1000...1000) }
        #expect(play.state.isBehind && !play.claimed.isEmpty)
    }

    @Test func `what nobody told of is found by a rescan, and costs a fiftieth of the time`() {
        var play = Play(slots: 8)
        play.lookSpan = 0.1
        play.step()
        play.server.add(tenant: 1, at: play.server.now - 3_600_000_000)
        for _ in 0..<5 { play.step(1) }
        #expect(play.claimed.isEmpty)
        play.state.hear(.rescan, at: play.seconds)
        for _ in 0..<5 { play.step() }
        #expect(play.claimed.count == 1)
        play.server.add(tenant: 1, at: play.server.now - 3_600_000_000)
        play.state.hear(.rescan, at: play.seconds)
        for _ in 0..<5 { play.step() }
        #expect(play.claimed.count == 1)
        play.step(5)
        play.state.hear(.rescan, at: play.seconds)
        for _ in 0..<5 { play.step() }
        #expect(play.claimed.count == 2)
    }

    /// Any login may send notifications, and one that is old may be of a transaction that lasted long.
    @Test
    func `an old notification makes a worker look at once, and many in a fiftieth of its time`() {
        var play = Play(slots: 8)
        play.lookSpan = 0.1
        play.step()
        play.server.add(tenant: 1, at: play.server.now - 60_000_000)
        play.state.hear(.notified(dueFrom: play.server.now - 60_000_000), at: play.seconds)
        for _ in 0..<2 { play.step() }
        #expect(play.claimed.count == 1)
        let before = play.statements
        for _ in 0..<400 {
            play.state.hear(.notified(dueFrom: .min), at: play.seconds)
            play.step()
        }
        #expect(play.statements - before <= 400 + 2)
    }

    @Test func `after the server's clock was set back, what becomes due is claimed as before`() {
        var play = Play(slots: 8)
        play.server.add(tenant: 1, at: play.server.now)
        play.step()
        play.server.now -= 3_600_000_000
        play.step()
        for _ in 0..<20 {
            play.server.add(tenant: 1, at: play.server.now)
            for _ in 0..<3 { play.step() }
        }
        for _ in 0..<200 { play.step() }
        #expect(play.claimed.count == 21)
    }

    @Test func `what became due and fits is one statement, and under a backlog a claim is two`() {
        var play = Play(slots: 8)
        play.step()
        var before = play.statements
        play.step()
        #expect(play.statements - before == 1)
        play.server.add(tenant: 1, at: play.server.now)
        before = play.statements
        play.step(lasting: 0.001...0.001)
        #expect(play.claimed.count == 1 && play.statements - before == 1)

        for _ in 0..<500 { play.server.add(tenant: 1, at: play.server.now) }
        play.step(lasting: 0.01...0.01)
        for _ in 0..<20 {
            before = play.statements
            play.step(0.05, lasting: 0.01...0.01)
            #expect(play.free == 0 && play.statements - before == 2)
        }
    }

    @Test func `one statement asks for a hundred jobs, also of a hundred tenants`() {
        var play = Play(slots: 100)
        for number in 0..<3000 {
            play.server.add(
                tenant: Int64(number + 1), at: play.server.now - 10_000_000 - Int64(number))
        }
        repeat { play.step(0.1, lasting: 0.05...0.05) } while play.state.isBehind
        let before = (play.statements, play.claimed.count)
        play.step(0.1, lasting: 1000...1000)
        #expect(play.claimed.count - before.1 == 100)
        #expect(play.statements - before.0 <= 2)
    }

    @Test func `a run's end is worth a claim where its tenant was at its limit, and not below it`()
    {
        var play = Play(slots: 8)
        for number in 0..<200 {
            play.server.add(tenant: 1, at: play.server.now - Int64(1000 - number))
        }
        for (most, isFull) in [(20, false), (4, true), (20, false)] {
            play.server.limit(1, to: most)
            for _ in 0..<4 { play.step(0.1, lasting: 0.25...0.25) }
            let waited = play.state.open(1)
            #expect(waited == isFull, "\(most)")
        }
    }

    @Test func `a paused tenant is forgotten, and goes on when that is announced`() {
        var play = Play(slots: 2)
        let due = play.server.now
        for _ in 0..<10 { play.server.add(tenant: 1, at: due) }
        play.step(lasting: 0.001...0.001)
        play.server.paused = [1]
        for _ in 0..<5 { play.step(1, lasting: 0.001...0.001) }
        #expect(play.claimed.count == 2 && play.state.backlog.isEmpty)
        play.server.paused = []
        play.state.hear(.announced(Announcement(since: due, tenant: 1)), at: play.seconds)
        for _ in 0..<5 { play.step(0.1, lasting: 0.001...0.001) }
        #expect(play.claimed.count == 10)
    }
}
