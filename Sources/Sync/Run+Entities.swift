import JobFile
import Queue
import Telemetry

// The entities of a file: one's failure is its own and keeps the others from nothing.
extension Run {
    /// Syncs what the run is for, in the order of the file.
    ///
    /// Throws what ends the run; where entities have failed by themselves, at the end the first of
    /// those failures.
    func syncEntities() async throws {
        let entities = wantedEntities
        var isPreviousRead = true
        for (place, entity) in entities.enumerated() {
            if isDone(entity) {
                isPreviousRead = true
                continue
            }
            guard isPreviousRead || !entity.requiresPrevious else { continue }
            do {
                try await sync(entity)
                isPreviousRead = true
            } catch {
                let failure = try ownFailure(error, of: entity)
                guard !failures.isEmpty || mayGoOn(entities[(place + 1)...]) else { throw error }
                failures.append(failure)
                isPreviousRead = false
            }
        }
        guard let first = failures.first else { return }
        entity = nil
        let more =
            failures.count > 1 ? " (and \(failures.count - 1) more of its entities failed)" : ""
        throw RunEnd.failed(
            word: first.kind, message: "entity \(first.entity): \(first.error ?? "")\(more)")
    }

    /// The failure, if it is the entity's own; else throws what ends the whole run.
    ///
    /// A refused credential, a wait, a stop, a lost claim and our own database concern every entity.
    /// So does a source that is away: the first entity that finds it so may be alone with it, the
    /// second is not.
    private func ownFailure(_ error: any Error, of entity: Entity) throws -> EntityFailure {
        guard case .failed(let word, let message) = ended(by: error) else { throw error }
        let isAway = [ErrorKind.unavailable, .timedOut].map(\.rawValue)
        if word == ErrorKind.database.rawValue
            || isAway.contains(word) && failures.contains(where: { isAway.contains($0.kind) })
        {
            throw error
        }
        return EntityFailure(
            entity: self.entity ?? entity.name, kind: word, error: redactor.sanitised(message))
    }

    /// Whether anything behind a failed entity may still be synced.
    private func mayGoOn(_ rest: ArraySlice<Entity>) -> Bool {
        var isPreviousRead = false
        for entity in rest {
            if isDone(entity) {
                isPreviousRead = true
            } else if isPreviousRead || !entity.requiresPrevious {
                return true
            }
        }
        return false
    }
}
