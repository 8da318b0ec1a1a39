import JobFiles
import JobQueue
import Postgres
import Telemetry
import Writing

/// The end of a pass of which the source has nothing to read for this user, by a rule of the job file.
///
/// Nothing is swept, and no watermark and no position that outlives passes moves. A pass that was interrupted is given
/// up, since its list is gone.
struct Skip {
    private let entity: Entity
    private let context: RunContext

    init(of entity: Entity, _ context: RunContext) {
        self.entity = entity
        self.context = context
    }

    /// Counts it, and stores and tells it when it begins: a run that skips what is skipped already writes nothing.
    func note(_ reason: String) async throws {
        let words = context.redactor.sanitised(reason)
        context.progress.skips.append((entity.name, words))
        context.checkpoints.addSkipped(entity)
        context.services.metrics.add(to: .skips, context.inputs.file.name, entity.declaredName)
        let checkpoint = context.checkpoints.given(entity.name)
        guard !checkpoint.isSkipped || checkpoint.hasFailures || checkpoint.passKind != nil else {
            return
        }
        if !checkpoint.isSkipped {
            context.services.log.emit(
                .entitySkipped(context.subject, entity: entity.name, reason: words))
        }
        let claim = context.inputs.job.claim
        let note = Statement(
            "select jobrunner.note_skip($1, $2, $3, $4, $5)", .int8(claim.userID),
            .text(claim.name), .text(entity.name), .int8(claim.fence), .text(words))
        _ = try await context.sink.run([note] + context.companions, counts: true)
        context.markCompanionsStored()
    }
}
