import Synchronization
import Testing

@testable import Asking

@Suite(.timeLimit(.minutes(10))) struct GateTests {
    /// Enters and adds its number to `order`; the test lets it leave.
    private func enter(_ gate: Gate, _ number: Int, _ order: Order) -> Task<Bool, Never> {
        Task {
            do {
                try await gate.enter()
                order.add(number)
                return true
            } catch {
                return false
            }
        }
    }

    private func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }

    @Test func `those who wait enter in order of arrival`() async throws {
        let gate = Gate()
        let order = Order()
        try await gate.enter()
        var tasks: [Task<Bool, Never>] = []
        for number in 0..<20 {
            tasks.append(enter(gate, number, order))
            await until { gate.waiting == number + 1 }
        }
        for number in 0..<20 {
            gate.leave()
            await until { order.all.count == number + 1 }
        }
        #expect(order.all == Array(0..<20))
        for task in tasks { #expect(await task.value) }
    }

    @Test func `a cancelled one leaves the line, and the next gets its place`() async throws {
        let gate = Gate()
        let order = Order()
        try await gate.enter()
        let first = enter(gate, 1, order)
        await until { gate.waiting == 1 }
        let second = enter(gate, 2, order)
        await until { gate.waiting == 2 }
        first.cancel()
        #expect(await first.value == false)
        gate.leave()
        #expect(await second.value)
        #expect(order.all == [2])
    }

    @Test func `who is cancelled already never enters`() async {
        let gate = Gate()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await gate.enter()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(gate.taken == 0)
    }

    @Test func `more places wake as many, fewer let the surplus leave first`() async throws {
        let gate = Gate()
        let order = Order()
        try await gate.enter()
        let tasks = (0..<5).map { enter(gate, $0, order) }
        await until { gate.waiting == 5 }
        gate.setCapacity(4)
        await until { order.all.count == 3 }
        #expect(gate.taken == 4 && gate.waiting == 2)
        gate.setCapacity(2)
        gate.leave()
        gate.leave()
        #expect(gate.taken == 2 && gate.waiting == 2)
        gate.leave()
        gate.leave()
        await until { order.all.count == 5 }
        for task in tasks { #expect(await task.value) }
        #expect(gate.taken == 2)
    }

    @Test func `under 500 tasks, cancellations and changes no place is lost and none is doubled`()
        async throws
    {
        let gate = Gate()
        let room = Room()
        let largest = 7
        gate.setCapacity(largest)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let task = Task {
                        for _ in 0..<10 {
                            guard (try? await gate.enter()) != nil else { return }
                            room.enter()
                            await Task.yield()
                            room.leave()
                            gate.leave()
                        }
                    }
                    if number.isMultiple(of: 3) {
                        await Task.yield()
                        task.cancel()
                    }
                    if number.isMultiple(of: 50) {
                        gate.setCapacity(number % 100 == 0 ? 2 : largest)
                    }
                    await task.value
                }
            }
        }
        #expect(room.most <= largest)
        #expect(room.entered >= 333 * 10)
        #expect(gate.taken == 0 && gate.waiting == 0 && gate.remembered == 0)
        gate.setCapacity(1)
        try await gate.enter()
        gate.leave()
    }
}

/// Counts who is inside at the same time.
final class Room: Sendable {
    private let state = Mutex((inside: 0, most: 0, entered: 0))
    var most: Int { state.withLock { $0.most } }
    var entered: Int { state.withLock { $0.entered } }

    func enter() {
        state.withLock { state in
            state.inside += 1
            state.entered += 1
            state.most = max(state.most, state.inside)
        }
    }

    func leave() { state.withLock { $0.inside -= 1 } }
}

/// Numbers in the order they came.
final class Order: Sendable {
    private let numbers = Mutex<[Int]>([])
    var all: [Int] { numbers.withLock { $0 } }
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
}
