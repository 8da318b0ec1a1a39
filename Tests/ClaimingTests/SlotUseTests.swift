import Testing

@testable import Claiming

@Suite("How long tenants held slots")
struct SlotUseTests {
    @Test func `use is told of the last five minutes, runs that are under way included`() {
        var use = SlotUse()
        #expect(use.report([], at: 0) == nil)
        use.add(1, 30, at: 30)
        use.add(2, 10, at: 90)
        let first = use.report([(2, 5)], at: 100)
        #expect(first?.tenants.map(\.id) == [1, 2])
        #expect(first?.tenants.map(\.seconds) == [30, 15])
        #expect(use.report([], at: 301)?.tenants.map(\.id) == [2])
        // What is over is told once.
        #expect(use.report([], at: 500)?.tenants.isEmpty == true)
        #expect(use.report([], at: 510) == nil)
    }

    @Test func `of a run that is longer than the five minutes these are told`() {
        var use = SlotUse()
        use.add(1, 3600, at: 4000)
        #expect(use.report([], at: 4000)?.tenants.map(\.seconds) == [300])
    }

    @Test func `of more than a thousand tenants those that had most are told by name`() {
        var use = SlotUse()
        for tenant in 1...1500 { use.add(Int64(tenant), Double(tenant) / 8, at: 1) }
        let report = use.report([], at: 1)
        #expect(report?.tenants.count == 1000 && report?.tenants.first?.id == 1500)
        #expect(report?.others == Double((1...500).reduce(0, +)) / 8)
    }
}
