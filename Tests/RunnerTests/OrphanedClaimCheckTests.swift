import Testing

@testable import Runner

@Suite struct OrphanedClaimCheckTests {
    @Test
    func
        `orphaned claims are looked for at once after a failure, then each second, then each lease`()
    {
        let start = ContinuousClock.now
        var times = OrphanedClaimCheck.Times()
        let lease = Duration.seconds(15)
        func isDue(_ seconds: Double) -> Bool {
            times.isDue(lease, at: start + .milliseconds(Int(seconds * 1000)))
        }
        times.checked(from: start, at: start)
        #expect(!isDue(14.9) && isDue(15))
        times.claimFailed(at: start + .seconds(70))
        #expect(isDue(70))
        times.checked(from: start + .seconds(70), at: start + .seconds(70))
        #expect(!isDue(70.9) && isDue(71))
        times.checked(from: start + .seconds(79), at: start + .seconds(79))
        #expect(!isDue(81) && isDue(94))
    }

    @Test func `a failure during a check is checked by the next`() {
        let start = ContinuousClock.now
        var times = OrphanedClaimCheck.Times()
        times.claimFailed(at: start + .seconds(1))
        times.checked(from: start, at: start + .seconds(2))
        #expect(times.isDue(.seconds(3), at: start + .seconds(2)))
        times.checked(from: start + .seconds(2), at: start + .seconds(3))
        #expect(!times.isDue(.seconds(3), at: start + .seconds(3)))
    }
}
