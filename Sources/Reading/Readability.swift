/// Whether the records of a pass can be read at all.
///
/// A source that changes its form, or a job file that never fitted, makes every record incompatible:
/// such a pass has seen nothing, and must not count as complete.
public struct Readability: Sendable, Equatable {
    /// One or two incompatible records among changes may be slips of the source, and are skipped
    /// as in any page; a full pass that shows nothing else has no such excuse.
    private static let straysMax = 2

    /// Nil when no record came; true: records came, and not one could be read.
    public private(set) var isUnreadable: Bool?
    private var incompatible = 0

    /// Nothing was read yet.
    public init() {}

    /// Goes on with what the checkpoint says of a pass in progress.
    public init(resuming isUnreadable: Bool) {
        self.isUnreadable = isUnreadable
        incompatible = isUnreadable ? Self.straysMax + 1 : 0
    }

    /// Takes in a page; a record that the source itself could not give says nothing of the file.
    public mutating func add(_ batch: RecordBatch) {
        let misfits = batch.counts.skippedIncompatible - batch.failures.count
        incompatible += misfits
        if batch.counts.fetched > batch.counts.skippedIncompatible {
            isUnreadable = false
        } else if misfits > 0, isUnreadable == nil {
            isUnreadable = true
        }
    }

    /// The pass has shown nothing, so that its end proves nothing.
    public func isWorthless(isFull: Bool) -> Bool {
        isUnreadable == true && (isFull || incompatible > Self.straysMax)
    }
}
