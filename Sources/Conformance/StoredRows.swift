/// What runs have left in the scratch database.
struct StoredRows: Sendable {
    /// Table and mapped columns of each row, sorted.
    var rows: [String] = []
    /// Each row's version: table, place and transaction.
    var versions: Set<String> = []

    /// How the rows differ from others; nil when they don't.
    func difference(from others: StoredRows) -> String? {
        let (here, there) = (Set(rows), Set(others.rows))
        let gone = there.subtracting(here).count
        let new = here.subtracting(there).count
        guard gone + new > 0 else { return nil }
        return "of \(there.count) rows \(gone) are missing or other, and \(new) are new or other"
    }
}
