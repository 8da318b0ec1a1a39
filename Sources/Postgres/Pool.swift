import Basics
import Synchronization

/// One body waiting for a lane; exactly one of `perform` and `refuse` is called, once.
struct Work: Sendable {
    let interruption: Interruption
    /// Returns how its caller is told: once the lane may be given the caller's next work.
    let perform: @Sendable (Session) -> @Sendable () -> Void
    let refuse: @Sendable (DatabaseError) -> Void
}

/// A thread with a session of its own, while it has nothing to do.
private final class Lane: Sendable {
    /// Wakes the session out of a statement.
    let wake = EventFD()
    /// What it was given and has not taken yet.
    private let given = Monitor<Task?>(nil)

    private enum Task {
        case work(Work)
        case end
    }

    /// Hands over work, or with nil the end.
    func give(_ work: Work?) {
        given.withLock { $0 = work.map { .work($0) } ?? .end }
        given.signal()
    }

    /// Blocks until something is given; nil when the end.
    ///
    /// `rest` is done once, when nothing was given for so long.
    func take(restingAfter span: Duration, _ rest: () -> Void) -> Work? {
        let take = { (given: inout Task?) -> Task? in
            defer { given = nil }
            return given
        }
        var task = given.wait(atMost: span, for: take)
        if task == nil {
            rest()
            task = given.wait(for: take)
        }
        guard case .work(let work) = task else { return nil }
        return work
    }
}

/// The queue of a `Database` and the threads that serve it.
///
/// Work is waiting, then running on one lane, then gone; all three transitions happen under the lock. The
/// next work goes to the idle lane that was busy last, because its session has its plans and a quiet
/// process then uses one session instead of all.
final class Pool: Sendable {
    /// What a lane is at.
    private struct Running {
        let wake: EventFD
        let since = ContinuousClock.now
    }

    private struct State {
        var waiting: [Work] = []
        var running: [ObjectIdentifier: Running] = [:]
        var idle: [Lane] = []
        var liveLanes = 0
        var isClosed = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    let counters = Counters()
    private let configuration: DatabaseConfiguration
    private let state = Mutex(State())
    /// Wakes the thread that refuses waiting work whose deadline has passed.
    private let alarm = EventFD()

    init(_ configuration: DatabaseConfiguration) {
        self.configuration = configuration
    }

    func start() {
        for _ in 0..<configuration.lanes {
            let started = startThread { self.serve() }
            precondition(started, "no thread left for a database lane")
            state.withLock { $0.liveLanes += 1 }
        }
        precondition(startThread { self.watchDeadlines() }, "no thread left for deadlines")
    }

    func enqueue(_ work: Work) {
        let (refusal, lane) = state.withLock { state -> (DatabaseError?, Lane?) in
            if state.isClosed { return (Self.closed, nil) }
            if let reason = work.interruption.reason { return (.interrupted(reason), nil) }
            if let lane = state.idle.popLast() {
                state.running[ObjectIdentifier(work.interruption)] = Running(wake: lane.wake)
                return (nil, lane)
            }
            state.waiting.append(work)
            if work.interruption.deadline != nil { alarm.signal() }
            return (nil, nil)
        }
        if let refusal { work.refuse(refusal) }
        lane?.give(work)
    }

    /// Stops the work wherever it is; one that has ended is left alone.
    func cancel(_ interruption: Interruption) {
        interruption.cancel()
        let work = state.withLock { state -> Work? in
            if let index = state.waiting.firstIndex(where: { $0.interruption === interruption }) {
                return state.waiting.remove(at: index)
            }
            state.running[ObjectIdentifier(interruption)]?.wake.signal()
            return nil
        }
        work?.refuse(.interrupted(.cancelled))
    }

    /// Whether a lane is at the same work for longer than this.
    func isHeldUp(for span: Duration) -> Bool {
        let now = ContinuousClock.now
        return state.withLock { $0.running.values.contains { now - $0.since > span } }
    }

    /// Has the lanes that wait for an answer look whether their server was replaced.
    func lookAgain() {
        for running in state.withLock({ Array($0.running.values) }) { running.wake.signal() }
    }

    func close() {
        let (refused, idle) = state.withLock { state in
            state.isClosed = true
            defer { (state.waiting, state.idle) = ([], []) }
            return (state.waiting, state.idle)
        }
        for lane in idle { lane.give(nil) }
        alarm.signal()
        for work in refused { work.refuse(Self.closed) }
    }

    /// Returns when every lane has disconnected.
    func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
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
        let lane = Lane()
        let session = Session(configuration, wake: lane.wake, counters: counters)
        var tell: (@Sendable () -> Void)?
        while let work = next(lane, session, &tell) {
            tell = work.perform(session)
            state.withLock { $0.running[ObjectIdentifier(work.interruption)] = nil }
        }
        session.connection.close()
        let closers = state.withLock { state in
            state.liveLanes -= 1
            guard state.liveLanes == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }

    /// Blocks until there is something to do for this lane; nil when the pool is closed.
    ///
    /// The caller of what it did last is told as soon as the lane can be given something.
    private func next(
        _ lane: Lane, _ session: Session, _ tell: inout (@Sendable () -> Void)?
    ) -> Work? {
        enum NextAction { case take(Work), wait, end }
        let action = state.withLock { state -> NextAction in
            if !state.waiting.isEmpty {
                let work = state.waiting.removeFirst()
                state.running[ObjectIdentifier(work.interruption)] = Running(wake: lane.wake)
                return .take(work)
            }
            if state.isClosed { return .end }
            state.idle.append(lane)
            return .wait
        }
        tell?()
        tell = nil
        switch action {
        case .take(let work): return work
        case .wait:
            return lane.take(restingAfter: configuration.idleMax) { session.connection.close() }
        case .end: return nil
        }
    }

    /// Refuses work whose deadline passes before a lane is free.
    private func watchDeadlines() {
        while true {
            let (expired, next, isClosed) = state.withLock { state in
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
