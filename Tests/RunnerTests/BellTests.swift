import Synchronization
import Testing

@testable import Runner

@Suite(.timeLimit(.minutes(5))) struct BellTests {
    /// Longer than any test may take: a wait of it that ends was ended by a ring.
    private static let forever = Duration.seconds(3600)

    @Test func `a ring before the wait is remembered, once`() async {
        let bell = Bell()
        bell.ring()
        bell.ring()
        await bell.wait(atMost: Self.forever)
        // Two rings are one: the second wait lasts to its time.
        let start = ContinuousClock.now
        await bell.wait(atMost: .milliseconds(30))
        #expect(ContinuousClock.now - start >= .milliseconds(30))
    }

    @Test func `a ring ends a wait that has begun`() async {
        let bell = Bell()
        let waiting = Task { await bell.wait(atMost: Self.forever) }
        await Task.yield()
        bell.ring()
        await waiting.value
    }

    @Test func `cancellation ends a wait, before and after it has begun`() async {
        let bell = Bell()
        for yields in [0, 1, 100] {
            let waiting = Task { await bell.wait(atMost: Self.forever) }
            for _ in 0..<yields { await Task.yield() }
            waiting.cancel()
            await waiting.value
        }
    }

    @Test func `a wait ends at its time, and its timer rings for no later one`() async {
        let bell = Bell()
        await bell.wait(atMost: .milliseconds(5))
        let start = ContinuousClock.now
        await bell.wait(atMost: .milliseconds(50))
        #expect(ContinuousClock.now - start >= .milliseconds(50))
    }

    @Test func `in 10,000 rounds no wake-up is lost`() async {
        let there = Bell()
        let back = Bell()
        let echo = Echo()
        let partner = Task {
            for _ in 0..<10_000 {
                await there.wait(atMost: Self.forever)
                echo.add()
                back.ring()
            }
        }
        for round in 1...10_000 {
            there.ring()
            // Spurious wake-ups are allowed, lost ones would wait for ever.
            while echo.count < round { await back.wait(atMost: Self.forever) }
        }
        await partner.value
        #expect(echo.count == 10_000)
    }

    @Test func `rings from many tasks wake the one that waits`() async {
        let bell = Bell()
        let echo = Echo()
        let listener = Task {
            while echo.count < 4000 { await bell.wait(atMost: Self.forever) }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        echo.add()
                        bell.ring()
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
