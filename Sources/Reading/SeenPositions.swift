/// What a page's records say of their order by the field that is the position.
struct SeenPositions: Sendable {
    private(set) var greatest: FieldValue?
    /// The greatest that does not lie ahead of the pass: what may be kept when it is over.
    private(set) var settled: FieldValue?
    /// The greatest but one of different values.
    private(set) var before: FieldValue?
    private(set) var least: FieldValue?
    private(set) var isOrdered = true
    private var last: FieldValue?

    /// Takes in the position of the page's next record.
    mutating func add(_ position: FieldValue, isAhead: Bool = false) {
        if !isAhead, settled.map({ $0.isLess(than: position) ?? false }) ?? true {
            settled = position
        }
        if let last, position.isLess(than: last) == true { isOrdered = false }
        last = position
        if least.map({ position.isLess(than: $0) ?? false }) ?? true { least = position }
        guard let greatest else { return self.greatest = position }
        if greatest.isLess(than: position) == true {
            before = greatest
            self.greatest = position
        } else if position != greatest, before.map({ $0.isLess(than: position) ?? false }) ?? true {
            before = position
        }
    }
}
