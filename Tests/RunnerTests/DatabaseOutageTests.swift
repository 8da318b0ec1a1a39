import Testing

@testable import Runner

private struct Refusal: Error, CustomStringConvertible { let description: String }

@Suite struct DatabaseOutageTests {
    @Test func `trouble is told at first and then each minute, with its number and last words`() {
        let outage = DatabaseOutage()
        let start = ContinuousClock.now - .seconds(200)
        func note(_ words: String, at seconds: Int) -> DatabaseOutage.Report? {
            outage.observe(Refusal(description: words), at: start + .seconds(seconds))
        }
        #expect(note("first", at: 0)?.failures == 1)
        #expect(note("second", at: 2) == nil)
        #expect(note("third", at: 59) == nil)
        let again = note("fourth", at: 61)
        #expect(again?.failures == 4 && again?.error == "fourth")
        #expect(note("fifth", at: 120) == nil)
        #expect(note("sixth", at: 121)?.failures == 6)
        #expect(outage.report(lasting: .seconds(190))?.error == "sixth")
        #expect(outage.report(lasting: .seconds(300)) == nil)
        #expect(outage.end() != nil && outage.end() == nil)
        #expect(note("anew", at: 130)?.failures == 1)
    }
}
