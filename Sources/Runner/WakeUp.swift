import Synchronization

/// Wakes one waiting loop.
///
/// A wake-up that comes while nobody waits is remembered once.
final class WakeUp: Sendable {
    private struct State {
        var isPending = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func wake() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            state.isPending = state.waiter == nil
            return state.waiter
        }
        waiter?.resume()
    }

    /// Returns at a wake-up, after the span, or when the task is cancelled.
    func wait(atMost span: Duration) async {
        let timer = Task {
            try? await Task.sleep(for: span, clock: .continuous)
            if !Task.isCancelled { wake() }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isPending = state.withLock { state in
                    defer { state.isPending = false }
                    if !state.isPending { state.waiter = continuation }
                    return state.isPending
                }
                if isPending { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
        timer.cancel()
    }
}
