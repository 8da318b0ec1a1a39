/// What became of a page's records before they meet the database (AL1).
struct PageCounts: Sendable, Equatable {
    var fetched = 0
    var skippedIncompatible = 0
    var filtered = 0
    var duplicate = 0
}

/// The records of one page that are to be written, in page order.
struct RecordBatch: Sendable {
    /// One row per record: a value or null per field.
    var rows: [[FieldValue?]] = []
    var counts = PageCounts()
    /// Greatest value of the field that tells versions apart, over all readable records.
    var maxSeen: FieldValue?
    /// Records that are there at the source and not written here; only for entities that sweep.
    var shown: [[FieldValue?]] = []
    /// Rows to delete: only the columns by which a tombstone finds its row are set.
    var tombstones: [[FieldValue?]] = []
    /// Records the source could not give.
    var failures: [RecordFailure] = []
    /// Records of types the entity does not sync, counted filtered.
    var foreignTypes: Set<String> = []
    /// False: what the page does not show may still be there (ST16).
    var isWhole = true
}

/// A record that a step after the entities would delete again is not written (ST23).
struct AgeTest: Sendable {
    /// Place of the timestamp among the fields.
    var field: Int
    /// Older than this, microseconds since 1970, is too old.
    var before: Int64

    func applies(to row: [FieldValue?]) -> Bool {
        guard case .timestamp(let time)? = row[field] else { return false }
        return time < before
    }
}
