import Postgres
import Testing

@testable import JobQueue

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

    /// Or the next tenant that runs dry would have the same looked at once more.
    @Test func `a look for a tenant that runs dry serves all who lack what it finds`() throws {
        var due = DueJobs(most: 8)
        let jobs = (1...12).map { number in
            DueJobs.Job(
                position: DueJobs.Position(time: Int64(number), user: 1),
                place: RowPlace(UInt64(number)), lane: .due)
        }
        for (number, job) in jobs.enumerated() { due.add(job, of: Int64(number % 2)) }
        #expect(due.count(of: 0) == 4 && due.count(of: 1) == 4 && !due.isDry)
        _ = due.drop(due.next(3, of: 0), of: 0)
        _ = due.drop(due.next(1, of: 1), of: 1)
        #expect(due.isDry)
        let start = try #require(due.refillStart)
        let found = jobs.enumerated().filter { $0.element.position > start }
            .map { (tenant: Int64($0.offset % 2), job: $0.element) }
        #expect(due.refill(found, from: start, upTo: nil).isEmpty)
        #expect(due.count(of: 0) == 3 && due.count(of: 1) == 4 && !due.isDry)
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

    @Test func `of a tenant that has a limit jobs are locked at once, until it has none`() {
        var play = Play(slots: 8)
        play.server.limit(1, to: 20)
        for number in 0..<200 {
            play.server.add(tenant: 1, at: play.server.now - Int64(1000 - number))
        }
        for _ in 0..<5 { play.step() }
        let before = (play.statements, play.claimed.count)
        for _ in 0..<5 { play.step(0.1) }
        #expect(play.claimed.count - before.1 == 40)
        #expect(play.statements - before.0 == 5)

        play.server.limit(1, to: nil)
        play.step(0.1)
        #expect(!play.memory.ticket(1, at: play.seconds).locks)
    }

    @Test func `a run's end is worth a claim where its tenant was at its limit, and not below it`()
    {
        var play = Play(slots: 8)
        for number in 0..<200 {
            play.server.add(tenant: 1, at: play.server.now - Int64(1000 - number))
        }
        func isWorthAClaim() -> Bool {
            while play.memory.noteWritten() {
                _ = play.memory.ticket(0, at: play.seconds)
            }
            play.memory.noteEnd(1, .due, began: play.seconds, at: play.seconds)
            return play.memory.noteWritten()
        }
        for (most, isFull) in [(20, false), (4, true), (20, false)] {
            play.server.limit(1, to: most)
            for _ in 0..<3 { play.step(0.1, lasting: 0.05...0.05) }
            #expect(isWorthAClaim() == isFull, "\(most)")
        }
    }

    @Test
    func `a tenant that is found full after its run's outcome was written is asked again at once`()
    {
        var play = Play(slots: 8)
        play.server.limit(1, to: 4)
        for number in 0..<200 {
            play.server.add(tenant: 1, at: play.server.now - Int64(1000 - number))
        }
        for _ in 0..<3 { play.step(0.1, lasting: 1...1) }
        // One of the four ends: a claim under way still counts it.
        let ended = play.running[0]
        play.seconds += 0.1
        let ticket = play.memory.ticket(4, at: play.seconds)
        let helping = play.server.answer(ticket)
        #expect(helping.full == [1])
        play.memory.noteEnd(1, .due, began: ended.began, at: play.seconds)
        play.server.end(user: ended.user)
        _ = play.memory.noteWritten()
        _ = play.memory.note(helping, by: ticket, at: play.seconds)
        #expect(!play.memory.ticket(5, at: play.seconds).offers.isEmpty)
    }
}
