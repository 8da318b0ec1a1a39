import Synchronization
public import Telemetry

/// Collects the lines of a log, from any thread.
public final class Lines: Sendable {
    private struct State {
        var lines: [String] = []
        var isTaking = true
        var waiters: [AsyncStream<Void>.Continuation] = []
    }

    private let state = Mutex(State())

    /// None so far.
    public init() {}

    /// What has come so far.
    public var all: [String] { state.withLock { $0.lines } }

    /// Adds a line and wakes who waits for one; false when none is taken.
    @discardableResult
    public func add(_ line: String) -> Bool {
        let waiters = state.withLock { state -> [AsyncStream<Void>.Continuation]? in
            guard state.isTaking else { return nil }
            state.lines.append(line)
            return state.waiters
        }
        for waiter in waiters ?? [] { waiter.yield() }
        return waiters != nil
    }

    /// Takes lines, or is as full as a pipe that nobody reads.
    public func take(_ yes: Bool) { state.withLock { $0.isTaking = yes } }

    /// Where a log writes to.
    public var sink: LineSink { LineSink { self.add(String(decoding: $0, as: UTF8.self)) } }

    /// Returns once a line says all these words; throws after `hangLimit`.
    public func wait(for words: String...) async throws {
        let (news, waiter) = AsyncStream.makeStream(of: Void.self)
        state.withLock { $0.waiters.append(waiter) }
        let limit = Task {
            try await Task.sleep(for: hangLimit, clock: .continuous)
            waiter.finish()
        }
        defer { limit.cancel() }
        waiter.yield()
        for await _ in news where all.contains(where: { words.allSatisfy($0.contains) }) { return }
        throw NeverHappened(description: "no line within \(hangLimit) says \(words)")
    }
}
