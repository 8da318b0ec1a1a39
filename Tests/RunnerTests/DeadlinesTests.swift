import JobQueue
import Sync
import Testing

@testable import Runner

@Suite(.timeLimit(.minutes(10))) struct DeadlinesTests {
    private func claim(_ fence: Int64) -> Claim {
        Claim(userID: fence, name: "app.refresh", fence: fence, nonce: [])
    }

    @Test func `each run is stopped at its own deadline, in whatever order they began`() async {
        let slots = Slots(capacity: 100)
        let deadlines = Deadlines(slots)
        let keeper = Task { await deadlines.run() }
        let start = ContinuousClock.now
        let ends = await withTaskGroup(of: (Int64, Duration).self) { group in
            for fence: Int64 in [30, 10, 50, 20, 40] {
                let control = slots.take(claim(fence), of: 1)
                let run = Task { _ = try? await Task.sleep(for: .seconds(60)) }
                slots.begin(claim(fence), run)
                deadlines.add(fence, at: start + .milliseconds(fence * 5))
                group.addTask {
                    await run.value
                    #expect(control.stopReason == .deadline)
                    return (fence, ContinuousClock.now - start)
                }
            }
            return await group.reduce(into: [Int64: Duration]()) { $0[$1.0] = $1.1 }
        }
        for (fence, end) in ends { #expect(end >= .milliseconds(fence * 5), "\(fence)") }
        #expect(ends.count == 5)
        keeper.cancel()
        await keeper.value
    }

    @Test func `a run that goes on though it was stopped is told of once`() async {
        let slots = Slots(capacity: 10)
        let (told, tell) = AsyncStream.makeStream(of: Int64.self)
        let deadlines = Deadlines(slots, patience: .milliseconds(20)) { fence, _ in
            tell.yield(fence)
        }
        let keeper = Task { await deadlines.run() }
        for fence: Int64 in [1, 2] {
            _ = slots.take(claim(fence), of: 1)
            deadlines.add(fence, at: .now + .milliseconds(fence))
        }
        // Told after whatever else would be told of the two.
        _ = slots.take(claim(3), of: 1)
        deadlines.add(3, at: .now + .milliseconds(60))
        // The second ends in time.
        slots.leave(claim(2))
        var first = told.makeAsyncIterator()
        #expect(await first.next() == 1)
        #expect(await first.next() == 3)
        keeper.cancel()
        await keeper.value
    }

    @Test func `runs that have ended are forgotten long before their deadlines`() {
        let slots = Slots(capacity: 10)
        let deadlines = Deadlines(slots)
        for fence in Int64(1)...5000 {
            _ = slots.take(claim(fence), of: 1)
            deadlines.add(fence, at: .now + .seconds(3600))
            slots.leave(claim(fence))
        }
        #expect(deadlines.watched < 1100)
    }
}
