import Synchronization

/// A bounded number of places, entered in order of arrival; waiting is cancellable.
final class Gate: Sendable {
    private struct Waiter {
        var id: UInt64
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var capacity = 1
        var taken = 0
        var nextID: UInt64 = 0
        var waiters: [Waiter] = []
        /// Cancelled before their continuation was stored.
        var cancelled: Set<UInt64> = []
    }

    private let state = Mutex(State())

    var taken: Int { state.withLock { $0.taken } }
    var waiting: Int { state.withLock { $0.waiters.count } }
    /// Cancellations kept for those who have not come yet; none when all is quiet.
    var remembered: Int { state.withLock { $0.cancelled.count } }

    func setCapacity(_ count: Int) {
        state.withLock { $0.capacity = count }
        wakeNext()
    }

    /// Throws `CancellationError` when the task is cancelled while it waits.
    func enter() async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let entered = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: Bool? = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return false }
                    // Nobody passes those who wait: a place may be free for a moment before the
                    // first of them is woken.
                    if state.taken < state.capacity, state.waiters.isEmpty {
                        state.taken += 1
                        return true
                    }
                    state.waiters.append(Waiter(id: id, continuation: continuation))
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            cancel(id)
        }
        state.withLock { _ = $0.cancelled.remove(id) }
        guard entered else { throw CancellationError() }
    }

    func leave() {
        state.withLock { $0.taken -= 1 }
        wakeNext()
    }

    private func cancel(_ id: UInt64) {
        let waiter: Waiter? = state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: false)
    }

    private func wakeNext() {
        while true {
            let waiter: Waiter? = state.withLock { state in
                guard state.taken < state.capacity, !state.waiters.isEmpty else { return nil }
                state.taken += 1
                return state.waiters.removeFirst()
            }
            guard let waiter else { return }
            waiter.continuation.resume(returning: true)
        }
    }
}
