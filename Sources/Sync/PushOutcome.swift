import Reading
import Writing

/// What became of the rows of one batch.
struct PushOutcome {
    var saved: [(row: UnsentRow, tag: String, modifiedAt: Int64?)] = []
    var deleted: [UnsentRow] = []
    /// Gone at the source while we edited them.
    var gone: [UnsentRow] = []
    var replaced: [(row: UnsentRow, remote: RemoteRecord)] = []
    /// `pauses`: as it is, the row may cost the batch it is in more requests, so that it waits.
    var refused: [(row: UnsentRow, error: String, pauses: Bool)] = []
    /// Records of which the source had another version that gives way to ours.
    var overruled: Set<String> = []
    /// Why the source refused single records, in its own words.
    var failures: [RecordFailure] = []

    /// Of the records that two wrote, whose version is the one that stays now.
    var decidedConflicts: [(record: String, winner: String)] {
        replaced.map { ($0.row.recordName, "theirs") }
            + saved.filter { overruled.contains($0.row.recordName) }
            .map { ($0.row.recordName, "ours") }
    }

    /// Nothing is known of any row yet.
    var isEmpty: Bool {
        saved.isEmpty && deleted.isEmpty && gone.isEmpty && replaced.isEmpty && refused.isEmpty
    }
}
