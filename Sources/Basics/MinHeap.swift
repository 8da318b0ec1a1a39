/// A binary heap: the least element is first, adding and taking one costs logarithmic time.
///
/// Inlinable, so that a caller in another room gets the code for its own element type.
public struct MinHeap<Element: Comparable & Sendable>: Sendable {
    @usableFromInline var elements: [Element] = []

    /// An empty heap.
    @inlinable public init() {}

    /// How many elements it holds.
    @inlinable public var count: Int { elements.count }

    /// The least element; nil when the heap is empty.
    @inlinable public var least: Element? { elements.first }

    /// Adds an element.
    @inlinable public mutating func push(_ element: Element) {
        elements.append(element)
        var index = elements.count - 1
        while index > 0 {
            let above = (index - 1) / 2
            guard elements[index] < elements[above] else { return }
            elements.swapAt(index, above)
            index = above
        }
    }

    /// Takes out the least element; nil when the heap is empty.
    @inlinable public mutating func pop() -> Element? {
        guard let least = elements.first, let last = elements.popLast() else { return nil }
        guard !elements.isEmpty else { return least }
        elements[0] = last
        var index = 0
        while true {
            var next = 2 * index + 1
            guard next < elements.count else { return least }
            if next + 1 < elements.count, elements[next + 1] < elements[next] { next += 1 }
            guard elements[next] < elements[index] else { return least }
            elements.swapAt(index, next)
            index = next
        }
    }

    /// Drops the elements that `isKept` does not want; costs as much as building the heap anew.
    @inlinable public mutating func keep(_ isKept: (Element) -> Bool) {
        // A sorted array is a heap as well.
        elements = elements.filter(isKept).sorted()
    }
}
