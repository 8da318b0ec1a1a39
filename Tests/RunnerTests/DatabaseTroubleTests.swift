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

    @Test
    func `strays are looked for at once after a failure, then each second, then each lease`() {
        let start = ContinuousClock.now
        var watch = StrayWatch()
        let lease = Duration.seconds(15)
        func isDue(_ seconds: Double) -> Bool {
            watch.isDue(lease, at: start + .milliseconds(Int(seconds * 1000)))
        }
        watch.noteLook(from: start, at: start)
        #expect(!isDue(14.9) && isDue(15))
        watch.noteFailure(at: start + .seconds(70))
        #expect(isDue(70) && watch.isLikely)
        watch.noteLook(from: start + .seconds(70), at: start + .seconds(70))
        #expect(!isDue(70.9) && isDue(71) && !watch.isLikely)
        watch.noteLook(from: start + .seconds(79), at: start + .seconds(79))
        #expect(!isDue(81) && isDue(94))
    }

    @Test
    func `all workers look for strays in a fiftieth of the time, each in ten leases at the latest`()
    {
        let start = ContinuousClock.now
        var watch = StrayWatch()
        let lease = Duration.seconds(3)
        watch.noteLook(from: start - .milliseconds(100), at: start)
        #expect(!watch.isDue(lease, at: start + .milliseconds(4_900)))
        #expect(watch.isDue(lease, at: start + .milliseconds(5_100)))
        #expect(!watch.isDue(lease, workers: 4, at: start + .milliseconds(19_900)))
        #expect(watch.isDue(lease, workers: 4, at: start + .milliseconds(20_100)))
        #expect(watch.isDue(lease, workers: 200, at: start + .milliseconds(30_100)))
        watch.noteLook(from: start - .seconds(4), at: start)
        #expect(!watch.isDue(lease, at: start + .milliseconds(29_900)))
        #expect(watch.isDue(lease, at: start + .milliseconds(30_100)))
    }

    /// A claim whose connection broke arrives when the next has been waited for.
    @Test func `after a failure strays are looked for each second, however long a look took`() {
        let start = ContinuousClock.now
        var watch = StrayWatch()
        watch.noteFailure(at: start)
        watch.noteLook(from: start, at: start + .seconds(4))
        #expect(watch.isDue(.seconds(3), at: start + .milliseconds(5_100)))
    }

    /// Its jobs had slots when the look saw them.
    @Test func `a failure during a look for strays is looked for by the next`() {
        let start = ContinuousClock.now
        var watch = StrayWatch()
        watch.noteFailure(at: start + .seconds(1))
        watch.noteLook(from: start, at: start + .seconds(2))
        #expect(watch.isLikely && watch.isDue(.seconds(3), at: start + .seconds(2)))
        watch.noteLook(from: start + .seconds(2), at: start + .seconds(3))
        #expect(!watch.isLikely)
    }
}
