import JobFiles
import JobQueue
import Telemetry

/// Tells the log of troubles that may need a person, when they begin: not at each pass that finds them still there.
struct TroubleTelling {
    let context: RunContext
    let entity: Entity
    let troubles: StandingTroubles

    /// A full pass that lacked so much that nothing was deleted.
    func tellSweep(_ verdict: String?) {
        guard let verdict = verdict.flatMap(StandingTrouble.Kind.init(rawValue:)),
            !troubles.has(verdict)
        else { return }
        context.services.log.emit(
            .sweepRefused(
                context.subject, entity: entity.name,
                reason: verdict == .sweepHeld
                    ? "the full pass showed none of the rows; they go if the next one shows none of them either"
                    : "two full passes lacked more rows than max_fraction allows; none was deleted"
            ))
    }

    /// A pass that ends where its list may go on.
    func tellUnprovenEnd(_ doubt: String) {
        guard !troubles.has(.endUnproven) else { return }
        context.services.log.emit(
            .endUnproven(context.subject, entity: entity.name, reason: doubt))
    }

    /// What a pass did not show may be there all the same.
    func tellUnprovenAbsence(_ doubt: String) {
        guard !troubles.has(.absenceUnproven) else { return }
        context.services.log.emit(
            .absenceUnproven(context.subject, entity: entity.name, reason: doubt))
    }
}
