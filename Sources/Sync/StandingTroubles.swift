import Basics
import JobFiles
import JobQueue

/// What an entity's passes do about its troubles that wait for a person: no good page ends one, and what the person changes
/// in the job file is tried at once.
struct StandingTroubles {
    private static let unprovenEnd =
        "the first page looks full and names no next page, so that the list may go on: nothing was deleted"

    private let entity: Entity
    private let known: [StandingTrouble.Kind: StandingTrouble]

    /// Those that the checkpoint knows of.
    init(of entity: Entity, _ checkpoint: Checkpoint) {
        self.entity = entity
        known = checkpoint.troubles
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

    /// What the end of a pass makes of them; a sweep behind it sees to its own.
    func followUps(ofFull isFull: Bool, isProven: Bool, sweeps: Bool) -> [PageCommit.FollowUp] {
        var followUps: [PageCommit.FollowUp] = []
        if !isProven {
            note(.endUnproven, Self.unprovenEnd, &followUps)
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

    /// What is known already costs no statement.
    private func note(
        _ kind: StandingTrouble.Kind, _ error: String, _ followUps: inout [PageCommit.FollowUp]
    ) {
        let trouble = StandingTrouble(error: error, declaration: entity.declaration)
        guard known[kind] != trouble else { return }
        followUps.append(.trouble(kind, trouble))
    }
}
