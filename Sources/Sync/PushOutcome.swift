import Reading
import Writing

/// What became of the rows of one batch.
struct PushOutcome {
    var saved: [(row: UnsentRow, answer: AnsweredRecord)] = []
    var deleted: [UnsentRow] = []
    /// Gone at the source while we edited them.
    var gone: [UnsentRow] = []
    var replaced: [(row: UnsentRow, remote: RemoteRecord)] = []
    var refused: [(row: UnsentRow, error: String, pause: PushPause)] = []
    /// Records of which the source had another version, or none any more, and ours stays.
    var overruled: Set<String> = []
    /// Why the source refused single records, in its own words.
    var failures: [RecordFailure] = []

    /// Of the records that two wrote, those whose version here is the one that stays now.
    var won: [String] {
        (saved.map(\.row.recordName) + deleted.map(\.recordName)).filter(overruled.contains)
    }

    /// Nothing is known of any row yet.
    var isEmpty: Bool {
        saved.isEmpty && deleted.isEmpty && gone.isEmpty && replaced.isEmpty && refused.isEmpty
    }
}
