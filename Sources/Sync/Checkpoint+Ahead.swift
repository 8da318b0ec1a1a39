import JobFiles
import JobQueue
import Reading

extension Checkpoint {
    /// What the next pass would begin at lies ahead of `now`, microseconds since 1970, so that nobody knows what was read up
    /// to there: left by a wrong clock, or written by hand.
    ///
    /// A full pass in progress began at nothing. It may take many runs, and the watermark stays as it was until its end.
    func liesAhead(of now: Int64, _ entity: Entity) -> Bool {
        let format = entity.incremental?.format
        let token = entity.page.keysetField == nil ? nil : position.syncToken
        let times =
            position.passKind == .full
            ? [position.partialWatermark] : [position.watermark, position.partialWatermark, token]
        return times.contains { Reading.liesAhead($0, of: now, as: format) }
            || position.passStartedAt.map { $0 > now } ?? false
    }
}
