import JobFiles
import JobQueue
import Reading

extension EndedPass {
    /// How far the watermark of passes that find nothing may stay behind: what they asked again for
    /// was nothing, and a source that keeps changes for weeks still has them.
    private static let watermarkRest: Int64 = 86_400_000_000

    /// Whether the checkpoint must be told of it: not where the pass ended as the one before it did.
    ///
    /// That it was a full one matters only to an entity that reads in full now and then.
    func isNotable(after checkpoint: Checkpoint, of entity: Entity) -> Bool {
        let isFullNotable =
            isFull
            && (entity.probe != nil || entity.incremental?.fullEvery != nil
                || entity.forEach?.asksUnchangedAfter != nil
                || checkpoint.isColumnDue)
        return checkpoint.syncedAge == nil || checkpoint.passKind != nil
            || checkpoint.isFullRequested || checkpoint.hasFailures
            || entity.forEach?.asksUnchangedAfter.map { checkpoint.notedAge ?? $0 >= $0 } ?? false
            || checkpoint.isSkipped
            || checkpoint.syncToken != position.syncToken
            || checkpoint.validator != position.validator
            || checkpoint.probe != position.probe || checkpoint.asked != position.asked
            || isFullNotable
            || movesWatermark(of: checkpoint, entity)
    }

    private func movesWatermark(of checkpoint: Checkpoint, _ entity: Entity) -> Bool {
        // A full pass that has seen no time leaves none.
        guard position.watermark != checkpoint.watermark, position.watermark != nil || isFull else {
            return false
        }
        guard let watermark = position.watermark else { return true }
        guard entity.incremental?.watermark == .runStart, let stored = checkpoint.watermark,
            let before = Timestamp.microseconds(stored),
            let now = Timestamp.microseconds(watermark)
        else { return true }
        return now - before >= Self.watermarkRest
    }
}
