/// A text as it reads once escapes are taken for what they mean, and where in the text each byte of it stands.
struct TextView {
    /// From `view` on a byte stands as far behind `source` as it is behind `view`.
    private struct Step {
        var view: Int
        var source: Int
    }

    /// What it reads as.
    private(set) var bytes: [UInt8]
    /// The way back to the text, one reading after the other; empty: it is the text.
    private var readings: [[Step]] = []

    /// A text as it is.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The text by an escape; nil where it holds none.
    ///
    /// An escape that the end of the text cuts off is left out.
    func read(by escape: Escape) -> TextView? {
        guard let first = bytes.firstIndex(where: escape.opens) else { return nil }
        var view = TextView(Array(bytes[..<first]))
        var steps = [Step(view: 0, source: 0)]
        var position = first
        while position < bytes.count {
            guard escape.opens(bytes[position]),
                let unit = escape.unit(of: bytes, at: position)
            else {
                view.bytes.append(bytes[position])
                position += 1
                continue
            }
            position += unit.length
            view.bytes += unit.bytes
            steps.append(Step(view: view.bytes.count, source: position))
        }
        guard steps.count > 1 else { return nil }
        view.readings = [steps] + readings
        return view
    }

    /// Where in the text a place of the view is.
    func source(of place: Int) -> Int {
        readings.reduce(place) { place, steps in
            // The last step that does not lie behind it.
            var (low, high) = (0, steps.count)
            while high - low > 1 {
                let middle = (low + high) / 2
                if steps[middle].view <= place { low = middle } else { high = middle }
            }
            return steps[low].source + place - steps[low].view
        }
    }
}
