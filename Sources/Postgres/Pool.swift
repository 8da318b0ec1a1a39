/// One body waiting for a lane; exactly one of `perform` and `refuse` is called, once.
struct Work: Sendable {
    let interruption: Interruption
    let perform: @Sendable (Session) -> Void
    let refuse: @Sendable (DatabaseError) -> Void
}

/// The queue of a `Database` and the threads that serve it.
///
/// Work is waiting, then running on one
/// lane, then gone; all three transitions happen under the monitor.
final class Pool: Sendable {
    private struct State {
        var waiting: [Work] = []
        var running: [ObjectIdentifier: EventFD] = [:]
        var idleLanes = 0
        var liveLanes = 0
        var isClosed = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    let counters = Counters()
    private let configuration: DatabaseConfiguration
    private let monitor = Monitor(State())
    /// Wakes the thread that refuses waiting work whose deadline has passed.
    private let alarm = EventFD()

    init(_ configuration: DatabaseConfiguration) {
        self.configuration = configuration
    }

    func start() {
        for _ in 0..<configuration.lanes {
            let started = startThread { self.serve() }
            precondition(started, "no thread left for a database lane")
            monitor.withLock { $0.liveLanes += 1 }
        }
        precondition(startThread { self.watchDeadlines() }, "no thread left for deadlines")
    }

    func enqueue(_ work: Work) {
        let refusal = monitor.withLock { state -> DatabaseError? in
            if state.isClosed { return Self.closed }
            if let reason = work.interruption.reason { return .interrupted(reason) }
            state.waiting.append(work)
            if work.interruption.deadline != nil, state.waiting.count > state.idleLanes {
                alarm.signal()
            }
            return nil
        }
        if let refusal { work.refuse(refusal) } else { monitor.signal() }
    }

    /// Stops the work wherever it is; one that has ended is left alone.
    func cancel(_ interruption: Interruption) {
        interruption.cancel()
        let work = monitor.withLock { state -> Work? in
            if let index = state.waiting.firstIndex(where: { $0.interruption === interruption }) {
                return state.waiting.remove(at: index)
            }
            state.running[ObjectIdentifier(interruption)]?.signal()
            return nil
        }
        work?.refuse(.interrupted(.cancelled))
    }

    func close() {
        let refused = monitor.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        monitor.broadcast()
        alarm.signal()
        for work in refused { work.refuse(Self.closed) }
    }

    /// Returns when every lane has disconnected.
    func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = monitor.withLock { state in
                if state.liveLanes > 0 { state.closers.append(continuation) }
                return state.liveLanes == 0
            }
            if isOver { continuation.resume() }
        }
    }

    private static var closed: DatabaseError {
        DatabaseError(.cancelled, "the database was closed")
    }

    /// A lane: takes work in its order until the pool closes.
    private func serve() {
        let wake = EventFD()
        let session = Session(configuration, wake: wake, counters: counters)
        while let work = next(wake) {
            work.perform(session)
            monitor.withLock { $0.running[ObjectIdentifier(work.interruption)] = nil }
        }
        session.connection.close()
        let closers = monitor.withLock { state in
            state.liveLanes -= 1
            guard state.liveLanes == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }

    private func next(_ wake: EventFD) -> Work? {
        monitor.withLock { $0.idleLanes += 1 }
        return monitor.wait { state -> Work?? in
            guard !state.waiting.isEmpty || state.isClosed else { return nil }
            state.idleLanes -= 1
            guard !state.waiting.isEmpty else { return .some(nil) }
            let work = state.waiting.removeFirst()
            state.running[ObjectIdentifier(work.interruption)] = wake
            return work
        }
    }

    /// Refuses work whose deadline passes before a lane is free.
    private func watchDeadlines() {
        while true {
            let (expired, next, isClosed) = monitor.withLock { state in
                let now = ContinuousClock.now
                var expired: [Work] = []
                state.waiting.removeAll { work in
                    guard let deadline = work.interruption.deadline, deadline <= now else {
                        return false
                    }
                    expired.append(work)
                    return true
                }
                return (
                    expired, state.waiting.compactMap(\.interruption.deadline).min(), state.isClosed
                )
            }
            for work in expired { work.refuse(.interrupted(.timedOut)) }
            if isClosed { return }
            alarm.sleep(until: next)
        }
    }
}
