import Synchronization
import Testing

@testable import Runner

@Suite(.timeLimit(.minutes(10))) struct WakeUpTests {
    /// Longer than any test may take: a wait of it that ends was ended by a wake-up.
    private static let forever = Duration.seconds(3600)

    @Test func `a wake-up before the wait is remembered, once`() async {
        let wakeUp = WakeUp()
        wakeUp.wake()
        wakeUp.wake()
        await wakeUp.wait(atMost: Self.forever)
        // Two wake-ups are one: the second wait lasts to its time.
        let start = ContinuousClock.now
        await wakeUp.wait(atMost: .milliseconds(30))
        #expect(ContinuousClock.now - start >= .milliseconds(30))
    }

    @Test func `a wake-up ends a wait that has begun`() async {
        let wakeUp = WakeUp()
        let waiting = Task { await wakeUp.wait(atMost: Self.forever) }
        await Task.yield()
        wakeUp.wake()
        await waiting.value
    }

    @Test func `cancellation ends a wait, before and after it has begun`() async {
        let wakeUp = WakeUp()
        for yields in [0, 1, 100] {
            let waiting = Task { await wakeUp.wait(atMost: Self.forever) }
            for _ in 0..<yields { await Task.yield() }
            waiting.cancel()
            await waiting.value
        }
    }

    @Test func `a wait ends at its time, and its timer wakes no later one`() async {
        let wakeUp = WakeUp()
        await wakeUp.wait(atMost: .milliseconds(5))
        let start = ContinuousClock.now
        await wakeUp.wait(atMost: .milliseconds(50))
        #expect(ContinuousClock.now - start >= .milliseconds(50))
    }

    @Test func `in 10,000 rounds no wake-up is lost`() async {
        let there = WakeUp()
        let back = WakeUp()
        let echo = Echo()
        let partner = Task {
            for _ in 0..<10_000 {
                await there.wait(atMost: Self.forever)
                echo.add()
                back.wake()
            }
        }
        for round in 1...10_000 {
            there.wake()
            // Spurious wake-ups are allowed, lost ones would wait for ever.
            while echo.count < round { await back.wait(atMost: Self.forever) }
        }
        await partner.value
        #expect(echo.count == 10_000)
    }

    @Test func `wake-ups from many tasks wake the one that waits`() async {
        let wakeUp = WakeUp()
        let echo = Echo()
        let listener = Task {
            while echo.count < 4000 { await wakeUp.wait(atMost: Self.forever) }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        echo.add()
                        wakeUp.wake()
                    }
                }
            }
        }
        await listener.value
    }
}

private final class Echo: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
}
