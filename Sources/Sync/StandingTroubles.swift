import Basics
import JobFiles
import JobQueue

/// What an entity's passes do about its troubles that wait for a person: no good page ends one, and what the person
/// changes in the job file is tried at once.
struct StandingTroubles {
    private let entity: Entity
    private let known: [StandingTrouble.Kind: StandingTrouble]

    /// Those that the checkpoint knows of.
    init(of entity: Entity, _ checkpoint: Checkpoint) {
        self.entity = entity
        known = checkpoint.troubles.filter { !$0.key.isOfEdits }
    }

    /// There is none.
    var isEmpty: Bool { known.isEmpty }

    /// The checkpoint knows of it, so that it was told.
    func has(_ kind: StandingTrouble.Kind) -> Bool { known[kind] != nil }

    /// One of them came while the job file said something else of the entity: one full pass judges it anew.
    var isLookDue: Bool {
        guard !known.isEmpty else { return false }
        let declaration = entity.declaration
        return known.values.contains { $0.declaration != declaration }
    }

    /// What the end of a pass makes of them; a sweep behind it sees to its own, and who asks for single records to
    /// that.
    ///
    /// The doubts: why the list may go on, and why what was not shown may be there all the same.
    func followUps(
        ofFull isFull: Bool, doubtOfEnd: String?, doubtOfAbsence: String?, sweeps: Bool
    ) -> [PageCommit.FollowUp] {
        var followUps: [PageCommit.FollowUp] = []
        if has(.zoneGone) { followUps.append(.troubleEnded(.zoneGone)) }
        if let doubtOfAbsence {
            note(.absenceUnproven, doubtOfAbsence, &followUps)
        } else if isFull, has(.absenceUnproven), !sweeps || !asksForRecords {
            followUps.append(.troubleEnded(.absenceUnproven))
        }
        if let doubtOfEnd {
            note(.endUnproven, "\(doubtOfEnd): nothing was deleted", &followUps)
        } else if isFull, has(.endUnproven) {
            followUps.append(.troubleEnded(.endUnproven))
        }
        guard isFull, !sweeps else { return followUps }
        for kind in [StandingTrouble.Kind.sweepRefused, .sweepHeld] {
            guard let trouble = known[kind] else { continue }
            if entity.sweeps {
                // The pass could not judge it; it did look, and need not again until the next change.
                note(kind, trouble.error, &followUps)
            } else {
                followUps.append(.troubleEnded(kind))
            }
        }
        return followUps
    }

    private var asksForRecords: Bool { entity.write.deletes?.confirmation != nil }

    /// What the answers about single records make of the trouble that absence is not proven; nil means nothing new.
    func followUp(ofAnswers doubt: String?) -> PageCommit.FollowUp? {
        var followUps: [PageCommit.FollowUp] = []
        if let doubt { note(.absenceUnproven, doubt, &followUps) }
        if doubt == nil, has(.absenceUnproven) { followUps.append(.troubleEnded(.absenceUnproven)) }
        return followUps.first
    }

    /// What is known already costs no statement.
    private func note(
        _ kind: StandingTrouble.Kind, _ error: String, _ followUps: inout [PageCommit.FollowUp]
    ) {
        let trouble = StandingTrouble(error: error, declaration: entity.declaration)
        guard known[kind] != trouble else { return }
        followUps.append(.trouble(kind, trouble))
    }
}
