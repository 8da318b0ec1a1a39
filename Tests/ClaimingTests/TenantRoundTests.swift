import Testing

@testable import Claiming

@Suite("A round of the tenants")
struct TenantRoundTests {
    /// Tenants of which some have dead entries, so many a second before now.
    private struct Server {
        var tenants: [Int64]
        var deadEachSecond: [Int64: Double] = [:]
        var now: Int64 = 1_000_000_000_000
        /// Dead entries begin so long ago, in seconds.
        var age = 86_400.0
        /// What was asked of each tenant: spans of microseconds.
        var asked: [Int64: [ClosedRange<Int64>]] = [:]
        var questions = 0
        var longest = 0.0

        /// A microsecond for each dead entry, and a second at most, as a statement has.
        mutating func answer(_ round: inout TenantRound) {
            guard let question = round.next else { return }
            questions += 1
            let ids = tenants.filter { $0 > question.after }.prefix(question.count)
            let (since, until) = (question.since, min(question.until, now))
            let seconds = Double(max(0, until - max(since, now - Int64(age * 1e6)))) / 1e6
            let took = ids.reduce(0) { $0 + (deadEachSecond[$1] ?? 0) * seconds * 1e-6 }
            guard took <= 1 else { return round.failed(at: now) }
            longest = max(longest, took)
            if since <= until { for id in ids { asked[id, default: []].append(since...until) } }
            round.asked(upTo: ids.last, isCut: ids.count == question.count, took: took)
        }
    }

    @Test(arguments: [0, 1, 499, 500, 999, 1000, 2000] as [Int64])
    func `it comes round to every tenant once, wherever it began`(_ start: Int64) {
        var server = Server(tenants: Array(1...1000))
        var round = TenantRound()
        #expect(!round.isUnderWay && round.next == nil)
        for turn in 1...3 {
            round.begin()
            #expect(round.isToBePlaced == (turn == 1))
            if round.isToBePlaced { round.place(after: start) }
            for _ in 0..<13 where round.isUnderWay { server.answer(&round) }
            #expect(!round.isUnderWay && server.asked.count == 1000)
            #expect((10...12).contains(round.questionsOfLast))
            // A few are asked twice where the end is met.
            #expect(server.asked.values.allSatisfy { (turn...2 * turn).contains($0.count) })
        }
    }

    @Test func `without a tenant it is over at once`() {
        var server = Server(tenants: [])
        var round = TenantRound()
        round.place(after: 0)
        round.begin()
        round.place(after: 0)
        server.answer(&round)
        #expect(!round.isUnderWay)
    }

    /// What is heard of a tenant that was asked already.
    @Test func `a round that begins anew asks those again that it has asked`() {
        var server = Server(tenants: Array(1...300))
        var round = TenantRound()
        round.place(after: 0)
        round.begin()
        for _ in 0..<2 { server.answer(&round) }
        round.begin()
        for _ in 0..<5 where round.isUnderWay { server.answer(&round) }
        #expect(!round.isUnderWay)
        #expect((1...200).allSatisfy { server.asked[$0]?.count == 2 })
        #expect(server.asked[201]?.isEmpty == false)
    }

    /// A day of dead entries, a hundred thousand a second: a look at all of them would take two hours.
    @Test func `a tenant with too many dead entries is looked at in slices, the youngest first`() {
        let tenants = (1...500 as ClosedRange<Int64>).map { $0 * 10 }
        var server = Server(tenants: tenants, deadEachSecond: [2500: 100_000])
        var round = TenantRound()
        round.place(after: 0)
        round.begin()
        for _ in 0..<200_000 where round.isUnderWay { server.answer(&round) }
        #expect(!round.isUnderWay && server.asked.count == 500)
        let slices = server.asked[2500] ?? []
        #expect(slices.first?.upperBound == server.now && slices.last?.lowerBound == .min)
        for (newer, older) in zip(slices, slices.dropFirst()) {
            #expect(older.upperBound == newer.lowerBound - 1)
        }
        #expect(server.longest < 0.6, "\(server.longest)")
        // The others were asked whole.
        #expect(server.asked[2490] == [.min...server.now])
    }

    /// Something is heard of it while it is looked at: its youngest part was asked before.
    @Test func `a tenant in slices is asked once more where a round begins anew`() {
        var server = Server(tenants: [10, 20, 30], deadEachSecond: [20: 100_000])
        var round = TenantRound()
        round.place(after: 0)
        round.begin()
        while server.asked[20] == nil { server.answer(&round) }
        server.now += 5_000_000
        round.begin()
        for _ in 0..<200_000 where round.isUnderWay { server.answer(&round) }
        #expect(!round.isUnderWay)
        #expect(server.asked[20]?.contains { $0.upperBound == server.now } == true)
    }

    @Test func `where a tenant in slices is removed the next one is asked whole`() {
        var server = Server(tenants: [10, 20, 30], deadEachSecond: [20: 100_000])
        var round = TenantRound()
        round.place(after: 0)
        round.begin()
        while server.asked[20] == nil { server.answer(&round) }
        server.tenants = [10, 30]
        for _ in 0..<100 where round.isUnderWay { server.answer(&round) }
        #expect(!round.isUnderWay)
        #expect(server.asked[30]?.last == .min...server.now)
    }

    @Test func `a moment with too many dead entries is passed by, and the rest is asked for`() {
        var round = TenantRound()
        round.place(after: 0)
        round.begin()
        let (now, moment) = (1_000_000_000_000 as Int64, 999_999_500_000 as Int64)
        var seen: [ClosedRange<Int64>] = []
        for _ in 0..<10_000 {
            guard let question = round.next else { break }
            let (since, until) = (question.since, min(question.until, now))
            if since <= moment, moment <= until {
                round.failed(at: now)
            } else {
                if since <= until { seen.append(since...until) }
                round.asked(upTo: question.after < 7 ? 7 : nil, isCut: false, took: 0.001)
            }
        }
        #expect(!round.isUnderWay)
        let left = zip(seen, seen.dropFirst()).filter { $1.upperBound < $0.lowerBound - 1 }
        #expect(left.count == 1 && left[0].0.lowerBound - left[0].1.upperBound <= 2 * 1_000)
    }

    @Test func `a tenant of whom every moment takes too long is left in the end`() {
        var round = TenantRound()
        round.place(after: 0)
        round.begin()
        let now: Int64 = 1_000
        for _ in 0..<100 {
            guard let question = round.next else { break }
            if question.since > question.until {
                round.asked(upTo: 7, isCut: false, took: 0)
            } else {
                round.failed(at: now)
            }
        }
        #expect(!round.isUnderWay)
    }
}
