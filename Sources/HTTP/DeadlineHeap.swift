/// The transfers by deadline, soonest first; insertion and removal take logarithmic time.
struct DeadlineHeap {
    private var heap: [Transfer] = []

    /// The transfer whose deadline comes first.
    var first: Transfer? { heap.first }

    mutating func insert(_ transfer: Transfer) {
        heap.append(transfer)
        transfer.heapIndex = heap.count - 1
        rise(heap.count - 1)
    }

    mutating func remove(_ transfer: Transfer) {
        guard let index = transfer.heapIndex else { return }
        transfer.heapIndex = nil
        let last = heap.removeLast()
        guard last !== transfer else { return }
        heap[index] = last
        last.heapIndex = index
        rise(index)
        sink(last.heapIndex ?? index)
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].deadline < heap[parent].deadline else { return }
            swap(index, parent)
            index = parent
        }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            let children = (2 * index + 1)..<min(2 * index + 3, max(2 * index + 1, heap.count))
            guard let soonest = children.min(by: { heap[$0].deadline < heap[$1].deadline }),
                heap[soonest].deadline < heap[index].deadline
            else { return }
            swap(index, soonest)
            index = soonest
        }
    }

    private mutating func swap(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        heap[left].heapIndex = left
        heap[right].heapIndex = right
    }
}
