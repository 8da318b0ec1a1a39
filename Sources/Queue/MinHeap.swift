/// A heap whose least element is first.
struct MinHeap<Element: Comparable & Sendable>: Sendable {
    private var elements: [Element] = []

    var count: Int { elements.count }
    var least: Element? { elements.first }

    mutating func push(_ element: Element) {
        elements.append(element)
        var place = elements.count - 1
        while place > 0 {
            let above = (place - 1) / 2
            guard elements[place] < elements[above] else { return }
            elements.swapAt(place, above)
            place = above
        }
    }

    mutating func pop() -> Element? {
        guard let least = elements.first, let last = elements.popLast() else { return nil }
        guard !elements.isEmpty else { return least }
        elements[0] = last
        var place = 0
        while true {
            var next = 2 * place + 1
            guard next < elements.count else { return least }
            if next + 1 < elements.count, elements[next + 1] < elements[next] { next += 1 }
            guard elements[next] < elements[place] else { return least }
            elements.swapAt(place, next)
            place = next
        }
    }

    mutating func keep(_ isKept: (Element) -> Bool) {
        let kept = elements.filter(isKept)
        elements = []
        for element in kept { push(element) }
    }
}
