public import JSON

/// What a run would do, found without doing it: the answer of a dry run.
public struct DryRunReport: Sendable {
    /// One entity, or one chunk of it, in the order of the run.
    public struct Entity: Sendable {
        /// Its name; of a chunk with `#` and the chunk's hash.
        public var name: String
        /// `full` or `incremental`.
        public var pass: String
        /// Pages that were fetched and tried.
        public var pages = 0
        /// What would become of their records, in the words of the checkpoints' counters.
        public var counts: [(name: String, count: Int)] = []
        /// The first rows that would change.
        public var changes: [Change] = []
        /// Where the pass would go on: after so many pages of it; nil when it was read to its end.
        public var goesOnAfterPage: Int?
        /// The sweep would be refused: more rows would go than `max_fraction` allows.
        public var isSweepRefused = false
    }

    /// A row before and after; null: it is not there.
    ///
    /// Secrets are taken out.
    public struct Change: Sendable {
        /// The columns that name it.
        public var key: [String]
        /// The row as it is stored.
        public var before: JSONValue
        /// The row as the run would leave it.
        public var after: JSONValue
    }

    /// The entities that the run came to.
    public var entities: [Entity] = []
    /// Entities of which the source has nothing for the user, and what it answered.
    public var skipped: [(entity: String, reason: String)] = []
    /// What the run would have sent to the source besides questions, and was not sent.
    public var unsent: [String] = []
    /// Rows that a step after the entities would delete, by table.
    public var cleanedUp: [(table: String, rows: Int)] = []
    /// A credential that the source replaced was stored: the old one may be worth nothing.
    public var hasStoredCredential = false
    /// How the run would end.
    public var outcome = "complete"
    /// The kind of failure, where it would fail.
    public var errorKind: String?
    /// What would fail, without secrets.
    public var error: String?
}
