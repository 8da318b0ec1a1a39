import Synchronization

/// Stops runs at their deadlines: one timer for all of them, since nearly all end long before.
final class Deadlines: Sendable {
    fileprivate struct Entry {
        var at: ContinuousClock.Instant
        var fence: Int64
        /// The run was stopped, and this is when it must have ended at last.
        var isOverdue = false
    }

    private struct State {
        /// A heap, the earliest first.
        ///
        /// Runs that have ended stay in it until their time comes.
        var heap: [Entry] = []
    }

    private let state = Mutex(State())
    private let bell = Bell()
    private let slots: Slots

    /// Entries beside those of running jobs before the heap is cleared of ended runs.
    private static let spareMax = 1000
    /// A stopped run ends within moments; one that does not is told of.
    private let patience: Duration
    private let tellOverdue: @Sendable (Int64, Duration) -> Void

    /// Watches the runs of a worker; `overdue` is told of a run that goes on `patience` after it was
    /// stopped, once, by its fence.
    init(
        _ slots: Slots, patience: Duration = .seconds(30),
        overdue: @escaping @Sendable (Int64, Duration) -> Void = { _, _ in }
    ) {
        self.slots = slots
        self.patience = patience
        tellOverdue = overdue
    }

    /// Watches a run until `at`.
    func add(_ fence: Int64, at: ContinuousClock.Instant) {
        add(Entry(at: at, fence: fence))
    }

    private func add(_ entry: Entry) {
        let isEarliest = state.withLock { state in
            if state.heap.count > 2 * slots.count + Self.spareMax {
                state.heap.removeAll { !slots.holds(fence: $0.fence) }
                // Sorted is a heap as well.
                state.heap.sort { $0.at < $1.at }
            }
            state.heap.append(entry)
            return state.heap.rise(state.heap.count - 1) == 0
        }
        if isEarliest { bell.ring() }
    }

    /// Deadlines that are kept, those of runs that have ended lately included.
    var watched: Int { state.withLock { $0.heap.count } }

    /// Expires deadlines until it is cancelled.
    func run() async {
        while !Task.isCancelled {
            let now = ContinuousClock.now
            let (due, next) = state.withLock { $0.heap.takeDue(at: now) }
            for entry in due { expire(entry) }
            await bell.wait(atMost: next.map { $0 - .now } ?? .seconds(3600))
        }
    }
}

extension Deadlines {
    private func expire(_ entry: Entry) {
        guard slots.holds(fence: entry.fence) else { return }
        if entry.isOverdue { return tellOverdue(entry.fence, patience) }
        slots.expire(entry.fence)
        add(Entry(at: entry.at + patience, fence: entry.fence, isOverdue: true))
    }
}

extension [Deadlines.Entry] {
    /// Moves an entry up to its place; returns the place.
    fileprivate mutating func rise(_ start: Int) -> Int {
        var place = start
        while place > 0, self[place].at < self[(place - 1) / 2].at {
            swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
        return place
    }

    private mutating func sink() {
        var place = 0
        while true {
            let left = 2 * place + 1
            guard left < count else { return }
            let right = left + 1
            let child = right < count && self[right].at < self[left].at ? right : left
            guard self[child].at < self[place].at else { return }
            swapAt(place, child)
            place = child
        }
    }

    /// Takes out what is due; also tells when the next one is.
    fileprivate mutating func takeDue(
        at now: ContinuousClock.Instant
    ) -> ([Deadlines.Entry], ContinuousClock.Instant?) {
        var due: [Deadlines.Entry] = []
        while let first, first.at <= now {
            due.append(first)
            swapAt(0, count - 1)
            removeLast()
            sink()
        }
        return (due, first?.at)
    }
}
