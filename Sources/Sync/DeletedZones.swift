import JobFiles
import JobQueue
import Writing

/// Which missing zones stay missing (docs/decisions/0060).
///
/// A zone that was read and is gone was deleted by its user, in the settings of iCloud or of a device: the web form of
/// CloudKit tells a deletion on purpose from no other. To make it again would bring back what the user wanted gone.
struct DeletedZones {
    private let context: RunContext

    init(_ context: RunContext) { self.context = context }

    /// Whether an earlier run has read the zone.
    func wasRead(_ zone: String) -> Bool {
        context.inputs.file.entities.contains { entity in
            let checkpoint = context.checkpoints.given(entity.name)
            return entity.cloudkit?.feed?.zone == zone
                && (checkpoint.position.syncToken != nil || checkpoint.syncedAge != nil)
        }
    }

    /// Notes that a zone which was read is gone, and throws `RunEnd` zone_gone; returns when it may be made.
    ///
    /// A repair is the owner's word that it is to be made and filled.
    func leaveDeleted(_ zone: String, of entity: Entity) async throws {
        let checkpoint = context.checkpoints.given(entity.name)
        guard wasRead(zone), !checkpoint.isRepairRequested else { return }
        let error =
            "zone \(zone) was read before and is gone: its data was deleted at the source, and nothing is filled in "
            + "before `jobrunner repair`"
        let trouble = StandingTrouble(error: error, declaration: entity.declaration)
        if checkpoint.troubles[.zoneGone] != trouble {
            let note = PageCommit.FollowUp.trouble(.zoneGone, trouble)
            _ = try await context.sink.run(
                [note.statement(for: context.inputs.job.claim, of: entity.name)], counts: false)
        }
        throw RunEnd.failed(.zoneGone, error)
    }
}
