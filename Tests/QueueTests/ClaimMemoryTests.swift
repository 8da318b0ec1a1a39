import Testing

@testable import Queue

/// A worker's slots and its memory, before a server that is none, with a clock of their own.
private struct Play {
    var server = FakeClaims()
    var memory: ClaimMemory
    let slots: Int
    private(set) var running: [(user: Int64, tenant: Int64, began: Double, ends: Double)] = []
    private(set) var claimed: [ClaimedJob] = []
    var seconds = 0.0
    /// How long a look at a gap takes.
    var lookSpan = 0.0
    var noise: SplitMix

    init(slots: Int, remembered: Int = 200_000, seed: UInt64 = 1) {
        self.slots = slots
        memory = ClaimMemory(
            due: DueJobs(most: remembered), share: FairShare(capacity: slots))
        noise = SplitMix(state: seed)
    }

    var free: Int { slots - running.count }

    /// All that it has claimed or remembers of tenants 0 to 69.
    var seen: [Int64] {
        (0..<70).flatMap { memory.due.next(10_000, of: $0) }.map(\.position.user)
            + claimed.map(\.claim.userID)
    }

    /// A worker of 8 slots before 7,000 jobs of 70 tenants, half a second apart, of which it has begun to look at the oldest.
    static func begun(rank: Int, of workers: Int, lookSpan: Double) -> Play {
        var play = Play(slots: 8)
        play.server.haste = 100
        play.lookSpan = lookSpan
        play.memory.walk.note(rank: rank, of: workers)
        for number in 0..<7000 {
            play.server.add(
                tenant: Int64(number % 70), at: play.server.now - Int64(number + 20) * 500_000)
        }
        for _ in 0..<3 {
            let ticket = play.memory.ticket(0, at: play.seconds)
            _ = play.memory.note(play.server.answer(ticket), by: ticket, at: play.seconds)
        }
        return play
    }

    /// Time passes and runs end; then a claim.
    mutating func step(_ span: Double = 0.01, lasting: ClosedRange<Double> = 0.01...0.05) {
        seconds += span
        server.now += Int64(span * 1e6)
        for run in running where run.ends <= seconds {
            memory.noteEnd(run.tenant, .due, began: run.began, at: seconds)
            server.end(user: run.user)
        }
        running.removeAll { $0.ends <= seconds }
        _ = memory.noteWritten()
        claim(lasting)
    }

    /// As `Claimer.claim`.
    private mutating func claim(_ lasting: ClosedRange<Double>) {
        for _ in 0..<40 {
            let ticket = memory.ticket(free, at: seconds)
            if ticket.look == .gap {
                seconds += lookSpan
                server.now += Int64(lookSpan * 1e6)
            }
            let helping = server.answer(ticket)
            for job in helping.jobs {
                let span = Double.random(in: lasting, using: &noise)
                running.append((job.claim.userID, job.tenantID, seconds, seconds + span))
                claimed.append(job)
            }
            let hadSlots = ticket.limit > 0
            guard memory.note(helping, by: ticket, at: seconds), !hadSlots || free > 0 else {
                return
            }
        }
    }
}

/// The same numbers for the same seed.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}

@Suite("What a worker remembers between its claims")
struct ClaimMemoryTests {
    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `whatever becomes due is claimed, whoever moves, takes or commits it late`(_ seed: UInt64)
    {
        var play = Play(slots: 8, remembered: [40, 400, 200_000][Int(seed % 3)], seed: seed)
        play.server.haste = 100
        // Every other worker is one of seven, and its looks take time.
        if seed % 2 == 0 {
            play.memory.walk.note(rank: Int(seed % 7), of: 7)
            play.lookSpan = 0.001
        }
        let tenants = Int64([1, 7, 60][Int(seed / 3 % 3)])
        for step in 0..<1500 {
            disturb(&play, tenants, step)
            play.step()
        }
        // No more comes; what is due is claimed while slots are free, but for what commits late.
        for step in 0..<1500 {
            // What was held when its turn came is looked for again, as by one worker in turn.
            if step % 500 == 0 { play.memory.walk.lookBehind(at: play.seconds) }
            play.step()
        }
        let left = play.server.waiting.filter { $0.time <= play.server.now }
        #expect(left.isEmpty, "\(left.count) left")
        #expect(play.memory.due.isEmpty)
    }

    private func disturb(_ play: inout Play, _ tenants: Int64, _ step: Int) {
        let now = play.server.now
        func chance(_ part: Double) -> Bool { Double.random(in: 0..<1, using: &play.noise) < part }
        func tenant() -> Int64 { Int64.random(in: 1...tenants, using: &play.noise) }
        func anyJob() -> Int? {
            play.server.jobs.indices.randomElement(using: &play.noise)
        }
        if chance(0.3) { play.server.add(tenant: tenant(), at: now, isAsked: chance(0.2)) }
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
            play.server.add(tenant: tenant(), at: time)
            play.memory.walk.lookAgain(from: time)
        }
        if chance(0.1), let job = anyJob(), play.server.isWaiting(job) {
            play.server.steal(job)
        }
        if chance(0.1), let job = anyJob(), play.server.isWaiting(job) {
            play.server.hold(job, until: now + Int64.random(in: 0...500_000, using: &play.noise))
        }
        play.server.contends = chance(0.02)
        if chance(0.05), let job = anyJob(), play.server.isWaiting(job) {
            play.server.move(job)
            play.memory.walk.lookAgain(from: play.server.jobs[job].time)
        }
    }

    @Test func `no slot is free while something is due that one claim could find`() {
        var play = Play(slots: 8, remembered: 100)
        play.server.haste = 100
        for number in 0..<3000 { play.server.add(tenant: Int64(number % 13), at: play.server.now) }
        for _ in 0..<2000 where play.claimed.count < 3000 {
            play.step()
            #expect(play.free == 0 || play.claimed.count == 3000, "at \(play.seconds) s")
        }
        #expect(Set(play.claimed.map(\.claim.userID)).count == 3000)
    }

    @Test(arguments: [30, 200_000])
    func `of each tenant the oldest due job is claimed first, and those asked for before all`(
        _ remembered: Int
    ) {
        var play = Play(slots: 4, remembered: remembered)
        play.server.haste = 100
        for number in 0..<600 {
            play.server.add(
                tenant: Int64(number % 3), at: play.server.now - Int64(number * 7919 % 600),
                isAsked: number % 50 < 3)
        }
        for _ in 0..<2000 where play.claimed.count < 600 { play.step() }
        for (_, jobs) in Dictionary(grouping: play.claimed, by: \.tenantID) {
            let asked = jobs.filter(\.isAsked)
            // What is not seen yet can't be first: the looks take some claims.
            #expect(jobs.prefix(asked.count + 40).count(where: \.isAsked) == asked.count)
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

    @Test func `tenants get slots by weight, also when few of their jobs are remembered`() {
        var play = Play(slots: 8, remembered: 60)
        play.server.haste = 100
        play.server.weights = [2: 2, 3: 4]
        for tenant in 1...3 as ClosedRange<Int64> {
            for _ in 0..<4000 { play.server.add(tenant: tenant, at: play.server.now) }
        }
        for _ in 0..<1500 { play.step(0.05, lasting: 0.1...0.5) }
        let counts = Dictionary(grouping: play.claimed, by: \.tenantID).mapValues(\.count)
        let all = Double(play.claimed.count)
        for (tenant, weight) in [(1, 1.0), (2, 2.0), (3, 4.0)] as [(Int64, Double)] {
            let share = Double(counts[tenant] ?? 0) / all
            #expect(abs(share / (weight / 7) - 1) < 0.1, "\(counts)")
        }
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

    @Test func `while nothing is due a claim walks from where the last one ended`() {
        var play = Play(slots: 8)
        play.step()
        let before = play.server.now
        play.step()
        let ticket = play.memory.ticket(8, at: play.seconds)
        #expect(ticket.look == .take)
        #expect(ticket.start.time >= before - 2_000_000)
        #expect(ticket.offers.isEmpty)
    }

    @Test func `of what one statement has found and taken a claim asks no second time`() {
        var play = Play(slots: 8)
        play.step()
        play.server.add(tenant: 1, at: play.server.now)
        let ticket = play.memory.ticket(8, at: play.seconds)
        let helping = play.server.answer(ticket)
        #expect(helping.jobs.count == 1)
        let goesOn = play.memory.note(helping, by: ticket, at: play.seconds)
        #expect(!goesOn)
    }

    @Test func `one statement is offered a hundred jobs, also of a hundred tenants`() {
        var play = Play(slots: 100)
        for number in 0..<3000 {
            play.server.add(tenant: Int64(number), at: play.server.now - Int64(number))
        }
        // All that is due is seen, and runs that end make room.
        for _ in 0..<20 { play.step(0.01, lasting: 0.05...0.05) }
        play.step(0.1, lasting: 1000...1000)
        let ticket = play.memory.ticket(100, at: play.seconds)
        #expect(ticket.offers.reduce(0) { $0 + $1.jobs.count } == 100)
    }

    @Test func `of what a claim passed by, and of nothing else, the next one locks the rows`() {
        var play = Play(slots: 8)
        for number in 0..<30 {
            play.server.add(tenant: 1, at: play.server.now - Int64(1000 - number))
        }
        let look = play.memory.ticket(8, at: 0)
        _ = play.memory.note(play.server.answer(look), by: look, at: 0)
        for user in [2, 5] { play.server.hold(user, until: play.server.now + 1) }
        let first = play.memory.ticket(8, at: 0)
        #expect(!first.locks)
        let goesOn = play.memory.note(play.server.answer(first), by: first, at: 0)
        #expect(goesOn)
        let second = play.memory.ticket(2, at: 0)
        #expect(second.locks)
        #expect(second.offers.flatMap(\.jobs).prefix(2).map(\.position.user) == [2, 5])
        _ = play.memory.note(play.server.answer(second), by: second, at: 0)
        let third = play.memory.ticket(2, at: 0)
        #expect(!third.locks)
    }
}
