import Basics
import JobQueue
import Sync
import Testing

@testable import Runner

/// A claim that differs from others by its fence.
func claim(_ fence: Int64) -> Claim {
    Claim(userID: fence, name: "app.refresh", fence: fence, nonce: Array(repeating: 0, count: 16))
}

@Suite(.timeLimit(.minutes(10))) struct SlotsTests {
    /// A run that ends only when it is cancelled.
    private func endless() -> Task<Void, Never> {
        Task { try? await Task.sleep(for: .seconds(3600)) }
    }

    @Test func `a slot is taken by a claim and freed by it, once`() {
        let slots = Slots(capacity: 2)
        _ = slots.take(claim(1), of: 1)
        _ = slots.take(claim(2), of: 1)
        _ = slots.take(claim(3), of: 1)
        #expect(slots.count == 3 && slots.free == 0)
        slots.leave(claim(1))
        slots.leave(claim(1))
        slots.leave(claim(9))
        #expect(slots.count == 2 && slots.free == 0)
        #expect(slots.claims.contains(claim(2)) && !slots.claims.contains(claim(1)))
        slots.leave(claim(2))
        #expect(slots.free == 1)
    }

    @Test func `a stop before the run begins cancels it as it begins`() async {
        let slots = Slots(capacity: 1)
        let control = slots.take(claim(1), of: 1)
        slots.stopAll(.shutdown)
        let run = endless()
        slots.begin(claim(1), run)
        await run.value
        #expect(control.stopReason == .shutdown)
    }

    @Test func `a closed worker stops every run that begins later`() async {
        let slots = Slots(capacity: 1)
        slots.close(.shutdown)
        let control = slots.take(claim(1), of: 1)
        let run = endless()
        slots.begin(claim(1), run)
        await run.value
        #expect(control.stopReason == .shutdown)
    }

    @Test func `the run that is longest at work makes room, and another when that one hangs`() {
        let slots = Slots(capacity: 4)
        let controls = (1...3).map { slots.take(claim(Int64($0)), of: 1) }
        let other = slots.take(claim(4), of: 2)
        let start = ContinuousClock.now
        slots.yield([1: 1], at: start)
        #expect(!controls.contains { $0.isToYield })
        for second in [2, 3, 6] {
            slots.yield([1: 1], at: start + .seconds(second))
            #expect(controls.map(\.isToYield) == [true, false, false])
        }
        slots.yield([1: 1], at: start + .seconds(8))
        #expect(controls.map(\.isToYield) == [true, true, false])
        slots.yield([1: 2], at: start + .seconds(9))
        #expect(controls.map(\.isToYield) == [true, true, true])
        #expect(!other.isToYield)
    }

    @Test func `the first reason stays`() {
        let slots = Slots(capacity: 1)
        let control = slots.take(claim(1), of: 1)
        slots.stopAll(.database)
        slots.close(.shutdown)
        #expect(control.stopReason == .database)
    }

    @Test func `a run that ended before it was noted leaves nothing behind`() {
        let slots = Slots(capacity: 1)
        _ = slots.take(claim(1), of: 1)
        slots.leave(claim(1))
        slots.begin(claim(1), endless())
        #expect(slots.count == 0)
    }

    @Test func `a close that comes at any moment of a start reaches the run`() async {
        for fence in 1...2000 as ClosedRange<Int64> {
            let slots = Slots(capacity: 1)
            let closing = Task.detached { slots.close(.shutdown) }
            let control = slots.take(claim(fence), of: 1)
            let run = endless()
            slots.begin(claim(fence), run)
            await closing.value
            // Hangs to the suite's limit when neither saw the other.
            await run.value
            #expect(control.stopReason == .shutdown)
        }
    }
}

@Suite struct BackoffTests {
    @Test func `a pause is short, and a cancelled one says so`() async {
        var backoff = Backoff.untilDatabaseAnswers
        let start = ContinuousClock.now
        #expect(await backoff.pause())
        #expect(ContinuousClock.now - start >= .milliseconds(1))
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var backoff = Backoff.untilDatabaseAnswers
            return await backoff.pause()
        }
        #expect(await cancelled.value == false)
    }

    @Test func `waits grow to two seconds and no further`() async {
        let ceilings = await Task {
            // Cancelled, so that nothing is waited for.
            withUnsafeCurrentTask { $0?.cancel() }
            var backoff = Backoff.untilDatabaseAnswers
            var seen = [backoff.ceilingMilliseconds]
            for _ in 0..<8 {
                _ = await backoff.pause()
                seen.append(backoff.ceilingMilliseconds)
            }
            return seen
        }.value
        #expect(ceilings == [50, 100, 200, 400, 800, 1600, 2000, 2000, 2000])
    }
}
