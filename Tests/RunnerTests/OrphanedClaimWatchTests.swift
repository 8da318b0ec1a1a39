import Testing

@testable import Runner

@Suite struct OrphanedClaimWatchTests {
    @Test
    func
        `orphaned claims are looked for at once after a failure, then each second, then each lease`()
    {
        let start = ContinuousClock.now
        var watch = OrphanedClaimWatch()
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
    func
        `all workers look for orphaned claims in a fiftieth of the time, each in ten leases at the latest`()
    {
        let start = ContinuousClock.now
        var watch = OrphanedClaimWatch()
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
    @Test
    func `after a failure orphaned claims are looked for each second, however long a look took`() {
        let start = ContinuousClock.now
        var watch = OrphanedClaimWatch()
        watch.noteFailure(at: start)
        watch.noteLook(from: start, at: start + .seconds(4))
        #expect(watch.isDue(.seconds(3), at: start + .milliseconds(5_100)))
    }

    /// Its jobs had slots when the look saw them.
    @Test func `a failure during a look for orphaned claims is looked for by the next`() {
        let start = ContinuousClock.now
        var watch = OrphanedClaimWatch()
        watch.noteFailure(at: start + .seconds(1))
        watch.noteLook(from: start, at: start + .seconds(2))
        #expect(watch.isLikely && watch.isDue(.seconds(3), at: start + .seconds(2)))
        watch.noteLook(from: start + .seconds(2), at: start + .seconds(3))
        #expect(!watch.isLikely)
    }
}
