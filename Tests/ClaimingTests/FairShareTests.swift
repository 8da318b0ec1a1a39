import Testing

@testable import Claiming

/// As many jobs of each tenant are known as anybody could want.
private func plenty(_: Int64) -> Int { .max }

/// Slots that are shared out by `FairShare` alone, with a clock of its own.
private struct SlotsOfTime {
    private var share: FairShare
    private let slots: Int
    private var running: [(tenant: Int64, began: Double, ends: Double)] = []
    private(set) var now = 0.0
    private(set) var ends: [Int64: Int] = [:]
    private(set) var held: [Int64: Double] = [:]
    /// Seconds from when a tenant was named to its first run.
    private(set) var waited: [Int64: Double] = [:]
    private var namedAt: [Int64: Double] = [:]
    /// What is left of each tenant; nil: it never ends.
    private var left: [Int64: Int] = [:]

    init(slots: Int, reserved: Int = 0) {
        self.slots = slots
        share = FairShare(capacity: slots, reserved: reserved)
    }

    mutating func add(_ tenant: Int64, weight: Int = 1, jobs: Int? = nil) {
        left[tenant] = jobs
        namedAt[tenant] = now
        share.name(tenant, weight: weight, at: now)
    }

    /// Goes on until so many runs have ended, or so much time has passed.
    mutating func run(
        ends most: Int = .max, seconds: Double = .infinity, lasting span: (Int64) -> Double
    ) {
        let endOfTime = now + seconds
        var count = 0
        while count < most, now < endOfTime {
            fill(span)
            guard let next = running.indices.min(by: { running[$0].ends < running[$1].ends })
            else { return }
            let run = running.remove(at: next)
            now = max(now, run.ends)
            share.ended(run.tenant, began: run.began, at: now)
            ends[run.tenant, default: 0] += 1
            count += 1
            held[run.tenant, default: 0] += now - run.began
        }
    }

    private mutating func fill(_ span: (Int64) -> Double) {
        while running.count < slots {
            let before = running.count
            for candidate in share.candidates(for: slots - running.count, at: now, known: plenty) {
                let wanted = min(candidate.share, slots - running.count)
                let taken = min(wanted, left[candidate.tenant] ?? wanted)
                for _ in 0..<taken {
                    share.began(candidate.tenant, at: now)
                    running.append((candidate.tenant, now, now + span(candidate.tenant)))
                    waited[candidate.tenant] =
                        waited[candidate.tenant] ?? now - (namedAt[candidate.tenant] ?? now)
                }
                if let rest = left[candidate.tenant] { left[candidate.tenant] = rest - taken }
                if taken < wanted { share.foundEmpty(candidate.tenant) }
            }
            guard running.count > before else { return }
        }
    }
}

@Suite("Fair shares")
struct FairShareTests {
    @Test func `half of the slots are left for two seconds to tenants that were not seen yet`() {
        var share = FairShare(capacity: 1000)
        #expect(share.reserving(500, since: 0, at: 1) == 500)
        #expect(share.reserving(1000, since: 0, at: 1) == 500)
        #expect(share.reserving(1000, since: 0, at: 2.5) == 1000)
        for _ in 1...300 { share.began(1, at: 1) }
        #expect(share.reserving(500, since: 0, at: 1) == 200)
    }

    @Test func `of a thousand equal tenants each ends 5 to 15 of ten thousand runs in 8 slots`() {
        var slots = SlotsOfTime(slots: 8)
        for tenant in 1...1000 { slots.add(Int64(tenant)) }
        var noise = SystemRandomNumberGenerator()
        slots.run(ends: 10_000) { _ in Double.random(in: 0.001...0.02, using: &noise) }
        #expect(slots.ends.count == 1000)
        #expect(slots.ends.values.allSatisfy { (5...15).contains($0) })
    }

    @Test(arguments: [6, 30, 300])
    func `weights of 1, 2 and 4 get their share of the slots' time within 10 %`(_ each: Int) {
        var slots = SlotsOfTime(slots: 8)
        for number in 0..<each { slots.add(Int64(number), weight: [1, 2, 4][number % 3]) }
        slots.run(seconds: 2000) { [0.3, 0.7, 1.1][Int($0 / 3) % 3] }
        let total = slots.held.values.reduce(0, +)
        for (place, weight) in [1, 2, 4].enumerated() {
            let held = slots.held.filter { Int($0.key) % 3 == place }.values.reduce(0, +)
            let ideal = Double(weight) / 7
            #expect(abs(held / total / ideal - 1) < 0.1, "weight \(weight): \(held / total)")
        }
    }

    @Test(arguments: [0.001, 1])
    func
        `a thousand tenants have as many of ten thousand runs as their weights say, but for a part of one`(
            _ span: Double
        )
    {
        var slots = SlotsOfTime(slots: 8)
        for number in 0..<1000 { slots.add(Int64(number), weight: [1, 2, 4][number % 3]) }
        slots.run(ends: 10_000) { _ in span }
        // Thirty runs for each three of them: 4.3, 8.6 and 17.1.
        for (place, most) in [4...5, 8...9, 17...18].enumerated() {
            let ends = (0..<1000).filter { $0 % 3 == place }.map { slots.ends[Int64($0)] ?? 0 }
            #expect(ends.allSatisfy { most.contains($0) })
            let ideal = Double([1, 2, 4][place]) * 30 / 7
            let mean = Double(ends.reduce(0, +)) / Double(ends.count)
            #expect(abs(mean / ideal - 1) < 0.1, "weight \([1, 2, 4][place]): \(mean)")
        }
    }

    @Test func `a tenant of slow runs holds no more of the slots than one of quick runs`() {
        var slots = SlotsOfTime(slots: 8)
        slots.add(1)
        slots.add(2)
        slots.run(seconds: 1000) { $0 == 1 ? 60 : 0.2 }
        let (slow, quick) = (slots.held[1] ?? 0, slots.held[2] ?? 0)
        #expect(abs(slow / quick - 1) < 0.1, "\(slow) \(quick)")
    }

    @Test func `what one tenant can't use goes to the others in the same claim`() {
        var share = FairShare(capacity: 40)
        share.name(1, weight: 1000, at: 0)
        share.name(2, at: 0)
        let candidates = share.candidates(for: 40, at: 0, known: plenty)
        #expect(Set(candidates.map(\.tenant)) == [1, 2])
        #expect(candidates.reduce(0) { $0 + $1.share } >= 40)
        for _ in 0..<2 { share.began(1, at: 0) }
        share.foundEmpty(1)
        for _ in 0..<(candidates.first { $0.tenant == 2 }?.share ?? 0) { share.began(2, at: 0) }
        let rest = share.candidates(for: 30, at: 0, known: plenty)
        #expect(rest.map(\.tenant) == [2] && rest.first?.share ?? 0 >= 30)
    }

    /// Its run began when nobody else had anything, and ends when others have.
    @Test func `a run's time from before a quiet moment is forgotten with all use`() {
        var share = FairShare(capacity: 8)
        share.name(1, at: 0)
        share.began(1, at: 0)
        share.foundEmpty(1)
        for tenant in [1, 2] as [Int64] { share.name(tenant, at: 300) }
        #expect(share.running(at: 301).map(\.seconds) == [1])
        share.ended(1, began: 0, at: 301)
        share.began(2, at: 301)
        share.ended(2, began: 301, at: 303)
        // One second against two.
        #expect(share.candidates(for: 1, at: 303, known: plenty).first?.tenant == 1)
        share.began(1, at: 303)
        #expect(share.running(at: 305).map(\.seconds) == [2])
    }

    @Test func `a tenant that comes late waits for one end, and is not given what it missed`() {
        var slots = SlotsOfTime(slots: 8)
        for tenant in 1...100 { slots.add(Int64(tenant)) }
        slots.run(seconds: 100) { _ in 0.5 }
        slots.add(1000)
        let before = slots.held
        slots.run(seconds: 50) { _ in 0.5 }
        #expect(slots.waited[1000] ?? .infinity <= 0.5)
        let others = (1...100).map { (slots.held[$0] ?? 0) - (before[$0] ?? 0) }
        let mean = others.reduce(0, +) / 100
        #expect(slots.held[1000] ?? .infinity < 1.5 * mean + 1, "\(mean)")
    }

    @Test
    func
        `a tenant at its limit is asked again after a rest, its own run's end, or when it is lifted`()
    {
        var share = FairShare(capacity: 8)
        func asks(_ time: Double) -> Bool {
            !share.candidates(for: 1, at: time, known: plenty).isEmpty
        }
        share.name(1, at: 0)
        share.began(1, at: 0)
        share.foundFull(1, at: 0)
        #expect(!asks(0.04))
        share.name(1, at: 0.04)
        #expect(!asks(0.04))
        share.foundFull(1, at: 1)
        #expect(!asks(1.04))
        #expect(asks(1.06))
        share.foundFull(1, at: 2)
        share.lift(1)
        #expect(asks(2))
    }

    @Test
    func
        `together twenty workers ask of a tenant at its limit as often as one, and each within a second`()
    {
        func rest(_ workers: Int, _ find: (inout FairShare) -> Void) -> Double? {
            var share = FairShare(capacity: 8)
            share.workers = workers
            share.name(1, at: 0)
            find(&share)
            return (1...200).map { Double($0) / 100 }.first { time in
                !share.candidates(for: 1, at: time, known: plenty).isEmpty
            }
        }
        for (workers, span) in [(1, 0.05), (8, 0.4), (200, 1)] {
            #expect(rest(workers) { $0.foundFull(1, at: 0) } == span)
        }
        for (workers, span) in [(1, 0.01), (8, 0.08), (200, 1)] {
            #expect(rest(workers) { $0.foundBusy(1, at: 0) } == span)
        }
    }

    @Test func `long runs leave the reserved slots to short ones, and all others are theirs`() {
        var slots = SlotsOfTime(slots: 8, reserved: 1)
        slots.add(1)
        slots.run(ends: 1) { $0 == 1 ? 50 : 0.05 }
        for tenant in 2...101 {
            slots.add(Int64(tenant), jobs: 1)
            slots.run(seconds: 0.5) { $0 == 1 ? 50 : 0.05 }
        }
        #expect((2...101).allSatisfy { slots.waited[$0] ?? .infinity <= 0.1 })
        #expect(slots.held[1] ?? 0 >= 7 * 50)
    }

    @Test func `nothing is reserved from who has short runs alone`() {
        var share = FairShare(capacity: 8, reserved: 2)
        share.name(1, at: 0)
        #expect(share.candidates(for: 8, at: 0, known: plenty).map(\.share) == [6])
        share.began(1, at: 0)
        share.ended(1, began: 0, at: 0.2)
        #expect(share.candidates(for: 8, at: 1, known: plenty).reduce(0) { $0 + $1.share } >= 8)
        // A run that has lasted longer than a second is a long one, before it ends.
        share.began(1, at: 1)
        #expect(share.candidates(for: 7, at: 3, known: plenty).map(\.share) == [5])
    }

    @Test func `who had most makes room for who waited a second, and nobody for who had more`() {
        var share = FairShare(capacity: 2)
        share.name(1, at: 0)
        for _ in 0..<2 { share.began(1, at: 0) }
        share.name(2, at: 5)
        #expect(share.yields(at: 5.9).isEmpty)
        #expect(share.yields(at: 6.1) == [1: 1])
        // Something of it runs.
        share.ended(1, began: 0, at: 7)
        share.began(2, at: 7)
        #expect(share.yields(at: 9).isEmpty)
        // It waits again, for a second at first.
        share.began(3, at: 20)
        share.ended(2, began: 7, at: 27)
        #expect(share.yields(at: 27.9).isEmpty)
        #expect(share.yields(at: 28.1) == [1: 1])

        var other = FairShare(capacity: 1)
        other.name(1, at: 0)
        other.began(1, at: 0)
        other.ended(1, began: 0, at: 30)
        other.name(2, at: 30)
        other.began(2, at: 30)
        #expect(other.yields(at: 40).isEmpty)
        #expect(other.yields(at: 61) == [2: 1])
    }

    @Test func `the more tenants rest at their limits, the longer they rest`() {
        var share = FairShare(capacity: 8)
        for tenant in 1...20_000 {
            share.name(Int64(tenant), at: 0)
            share.foundFull(Int64(tenant), at: 0)
        }
        var asked = 0
        for second in 1...10 {
            asked += share.candidates(for: 8, at: Double(second), known: plenty).count
        }
        #expect(asked <= 10 * 64)
        #expect(!share.candidates(for: 8, at: 17, known: plenty).isEmpty)
    }
}
