import Basics
import Synchronization

/// Stops runs at their deadlines: one timer for all of them, since nearly all end long before.
final class Deadlines: Sendable {
    private struct Entry: Comparable {
        var at: ContinuousClock.Instant
        var fence: Int64
        /// The run was stopped, and this is when it must have ended at last.
        var isOverdue = false

        static func < (left: Entry, right: Entry) -> Bool { left.at < right.at }
    }

    /// The earliest first; runs that have ended stay in it until their time comes.
    private let heap = Mutex(MinHeap<Entry>())
    private let wakeUp = WakeUp()
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
        let isEarliest = heap.withLock { heap in
            if heap.count > 2 * slots.count + Self.spareMax {
                heap.keep { slots.holds(fence: $0.fence) }
            }
            let isEarliest = heap.least.map { entry < $0 } ?? true
            heap.push(entry)
            return isEarliest
        }
        if isEarliest { wakeUp.wake() }
    }

    /// Deadlines that are kept, those of runs that have ended lately included.
    var watched: Int { heap.withLock { $0.count } }

    /// Expires deadlines until it is cancelled.
    func run() async {
        while !Task.isCancelled {
            let (due, next) = takeDue(at: .now)
            for entry in due { expire(entry) }
            await wakeUp.wait(atMost: next.map { $0 - .now } ?? .seconds(3600))
        }
    }
}

extension Deadlines {
    /// Takes out what is due; also tells when the next one is.
    private func takeDue(
        at now: ContinuousClock.Instant
    ) -> ([Entry], ContinuousClock.Instant?) {
        heap.withLock { heap in
            var due: [Entry] = []
            while let least = heap.least, least.at <= now {
                due.append(least)
                _ = heap.pop()
            }
            return (due, heap.least?.at)
        }
    }

    private func expire(_ entry: Entry) {
        guard slots.holds(fence: entry.fence) else { return }
        if entry.isOverdue { return tellOverdue(entry.fence, patience) }
        slots.expire(entry.fence)
        add(Entry(at: entry.at + patience, fence: entry.fence, isOverdue: true))
    }
}
