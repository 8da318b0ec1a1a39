import JobFiles
import JobQueue
import Reading

extension Checkpoint {
    /// What it keeps lies ahead of `now`, microseconds since 1970, so that nobody knows what was read up to there: left by
    /// a wrong clock, or written by hand.
    func liesAhead(of now: Int64, _ entity: Entity) -> Bool {
        let format = entity.incremental?.format
        let times = [watermark, partialWatermark, entity.page.keysetField == nil ? nil : syncToken]
        return times.contains { Reading.liesAhead($0, of: now, as: format) }
            || passStartedAt.map { $0 > now } ?? false
    }
}
