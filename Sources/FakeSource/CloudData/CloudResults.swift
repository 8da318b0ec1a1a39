/// The sorted results of recent queries, kept while nothing is written.
///
/// A pass over 5,000 records is 25 requests; sorting them each time would be most of the cost.
struct CloudResults {
    struct Row {
        let keys: [CloudKey]
        let serial: Int
        let record: CloudRecord
        let version: CloudRecord.Version
        let zone: CloudZone
    }

    private var sequence = -1
    private var rows: [String: [Row]] = [:]

    /// Before the oldest go all at once.
    private static let queriesMax = 16

    mutating func rows(
        of query: String, at sequence: Int, _ make: () -> [Row]
    ) -> [Row] {
        if sequence != self.sequence || rows.count >= CloudResults.queriesMax {
            rows = [:]
            self.sequence = sequence
        }
        if let known = rows[query] { return known }
        let made = make()
        rows[query] = made
        return made
    }
}
