import Postgres

/// Finds rows of a page by the bytes of some of their columns.
///
/// Open addressing over row numbers, hashed with the process's own seed: a source can't choose keys
/// that meet. Bytes are equal for values that the server holds equal; Swift's own `==` would take an
/// accented letter and its decomposed form for one.
struct KeyIndex {
    private let columns: [Int]
    private var slots: [Int32]

    /// An index over rows of at most so many; a key is all the given columns.
    init(_ columns: [Int], rows: Int) {
        self.columns = columns
        var size = 16
        while size < 2 * rows { size *= 2 }
        slots = Array(repeating: -1, count: size)
    }

    /// Where the row's key stands or would stand.
    func slot(of row: Int, in batch: RecordBatch) -> Int {
        let mask = slots.count - 1
        var slot = hash(of: row, in: batch) & mask
        while slots[slot] >= 0, !isSame(Int(slots[slot]), row, in: batch) {
            slot = (slot + 1) & mask
        }
        return slot
    }

    /// The row that stands in a slot; nil means none yet.
    subscript(slot: Int) -> Int? {
        get { slots[slot] < 0 ? nil : Int(slots[slot]) }
        set { if let newValue { slots[slot] = Int32(truncatingIfNeeded: newValue) } }
    }

    private func hash(of row: Int, in batch: RecordBatch) -> Int {
        var hasher = Hasher()
        for column in columns {
            let array = batch.columns[column]
            if array.element == .double {
                hasher.combine(zeroless(array.double(at: row)))
            } else {
                array.withValue(at: row) { value in
                    hasher.combine(value?.count ?? -1)
                    if let value { hasher.combine(bytes: value) }
                }
            }
        }
        return hasher.finalize()
    }

    private func isSame(_ left: Int, _ right: Int, in batch: RecordBatch) -> Bool {
        columns.allSatisfy { column in
            let array = batch.columns[column]
            if array.element == .double {
                return zeroless(array.double(at: left)) == zeroless(array.double(at: right))
            }
            return array.withValue(at: left) { left in
                array.withValue(at: right) { right in
                    guard let left, let right else { return left == nil && right == nil }
                    return left.elementsEqual(right)
                }
            }
        }
    }

    /// 0 and -0 are one key.
    private func zeroless(_ number: Double?) -> Double? { number == 0 ? 0 : number }
}
