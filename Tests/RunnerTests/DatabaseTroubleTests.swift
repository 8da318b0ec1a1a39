import Testing

@testable import Runner

private struct Refusal: Error, CustomStringConvertible { let description: String }

@Suite struct DatabaseTroubleTests {
    @Test func `trouble is told at first and then each minute, with its number and last words`() {
        let trouble = DatabaseTrouble()
        let start = ContinuousClock.now - .seconds(200)
        func note(_ words: String, at seconds: Int) -> DatabaseTrouble.Report? {
            trouble.note(Refusal(description: words), at: start + .seconds(seconds))
        }
        #expect(note("first", at: 0)?.failures == 1)
        #expect(note("second", at: 2) == nil)
        #expect(note("third", at: 59) == nil)
        let again = note("fourth", at: 61)
        #expect(again?.failures == 4 && again?.error == "fourth")
        #expect(note("fifth", at: 120) == nil)
        #expect(note("sixth", at: 121)?.failures == 6)
        #expect(trouble.report(lasting: .seconds(190))?.error == "sixth")
        #expect(trouble.report(lasting: .seconds(300)) == nil)
        #expect(trouble.end() != nil && trouble.end() == nil)
        #expect(note("anew", at: 130)?.failures == 1)
    }

    @Test func `strays are looked for at once after a failure, then each second, then each lease`()
    {
        let start = ContinuousClock.now
        var watch = StrayWatch()
        let lease = Duration.seconds(15)
        func isDue(_ seconds: Double) -> Bool {
            watch.isDue(lease, at: start + .milliseconds(Int(seconds * 1000)))
        }
        watch.noteLook(at: start)
        #expect(!isDue(14.9) && isDue(15))
        watch.noteFailure(at: start + .seconds(20))
        #expect(isDue(20) && watch.isLikely)
        watch.noteLook(at: start + .seconds(20))
        #expect(!isDue(20.9) && isDue(21) && !watch.isLikely)
        watch.noteLook(at: start + .seconds(29))
        #expect(!isDue(31) && isDue(44))
    }
}
