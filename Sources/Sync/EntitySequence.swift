import JobFiles
import JobQueue
import Telemetry

/// The entities of a file in their order: one's failure is its own and keeps the others from nothing.
struct EntitySequence {
    /// After so many runs that brought nothing new a pass lets the others go first.
    private static let fruitlessRunsMax = 3

    private let context: RunContext
    private let calls: Calls

    init(_ context: RunContext, _ calls: Calls) {
        self.context = context
        self.calls = calls
    }

    /// Syncs what the run is for; nil when all of it was read to its end.
    ///
    /// Where entities have failed by themselves, the first of those failures is the run's. A pass that has read as
    /// many pages as a run may goes on in the next one, and lets those behind it be read.
    func sync() async -> RunEnd? {
        let entities = inOrder(context.inputs.wantedEntities)
        var isPreviousRead = true
        var cap: RunEnd?
        for (index, entity) in entities.enumerated() {
            if isDone(entity) {
                isPreviousRead = true
                context.progress.read.insert(entity.name)
                continue
            }
            guard isPreviousRead || !entity.requiresPrevious else { continue }
            let end: RunEnd
            switch await self.end(of: entity) {
            case .read:
                isPreviousRead = true
                context.progress.read.insert(entity.name)
                continue
            case .failed:
                isPreviousRead = false
                continue
            case .ended(let reason): end = reason
            }
            if end == .interrupted(.pageCap) {
                cap = end
                isPreviousRead = false
                continue
            }
            guard let failure = ownFailure(end, of: entity),
                !context.progress.failures.isEmpty || mayGoOn(entities[(index + 1)...])
            else { return end }
            context.progress.failures.append(failure)
            isPreviousRead = false
        }
        return firstFailure() ?? cap
    }

    /// The file's order; but after runs in which a pass found nothing new and no end, it is last in the next one,
    /// together with the entities behind it that need it.
    private func inOrder(_ entities: [Entity]) -> [Entity] {
        var groups: [[Entity]] = []
        for entity in entities {
            if entity.requiresPrevious, !groups.isEmpty {
                groups[groups.count - 1].append(entity)
            } else {
                groups.append([entity])
            }
        }
        let isEndless = groups.map { group in
            group.contains {
                context.checkpoints.given($0.name).fruitlessRuns >= Self.fruitlessRunsMax
            }
        }
        let pairs = zip(groups, isEndless)
        return (pairs.filter { !$0.1 } + pairs.filter(\.1)).flatMap(\.0)
    }

    /// The run that was interrupted has read it, and nothing may be left to push.
    private func isDone(_ entity: Entity) -> Bool {
        entity.push == nil && context.checkpoints.given(entity.name).isDone
    }

    private func end(of entity: Entity) async -> ItemSequence.End {
        do {
            if let rule = entity.forEach, !context.isFreshEnough {
                return try await syncItems(of: entity, rule)
            }
            return try await sync(entity).map { .ended($0) } ?? .read
        } catch {
            return .ended(context.end(by: error))
        }
    }

    private func syncItems(of entity: Entity, _ rule: ForEach) async throws -> ItemSequence.End {
        turn(to: entity.name)
        let end = try await ItemSequence(
            context: context,
            pull: { part in
                do { return try await pull(part) } catch { return context.end(by: error) }
            },
            ownFailure: ownFailure
        ).sync(entity, rule)
        if case .ended = end { return end }
        turn(to: nil)
        return end
    }

    /// Pulls a pass to its end, then pushes what is edited here.
    private func sync(_ entity: Entity) async throws -> RunEnd? {
        turn(to: entity.name)
        if !context.isFreshEnough, let end = try await pull(EntityPart(entity)) { return end }
        let isRepair = context.checkpoints.given(entity.name).isRepairRequested
        let push = PushLoop(context, calls)
        if try await push.send(entity, isRepair: isRepair), isRepair {
            // A repair ends with what the source made of the rows that were sent anew.
            if let end = try await pull(EntityPart(entity)) { return end }
        }
        turn(to: nil)
        return nil
    }

    private func turn(to entity: String?) {
        context.progress.entity = entity
        context.activity.turn(to: entity)
    }

    private func pull(_ part: EntityPart) async throws -> RunEnd? {
        turn(to: part.entity.name)
        if let refusal = part.refusal { return refusal }
        var part = part
        let start = try context.inputs.start(of: part.entity)
        // A change copies all that the entity holds.
        if part.entity.incremental?.start != start { part.entity.incremental?.start = start }
        return try await Pass(of: part, context, calls).perform()
    }

    /// The failure, if it is the entity's own; nil when it ends the whole run.
    ///
    /// A refused credential, a wait, a stop, a lost claim and our own database concern every entity.
    /// So does a source that is away: the first entity that finds it so may be alone with it, the
    /// second is not.
    private func ownFailure(_ end: RunEnd, of entity: Entity) -> EntityFailure? {
        guard case .failed(let word, let message) = end else { return nil }
        let isAway = [ErrorKind.unavailable, .timedOut].map(\.rawValue)
        if word == ErrorKind.database.rawValue
            || isAway.contains(word)
                && context.progress.failures.contains(where: { isAway.contains($0.kind) })
        {
            return nil
        }
        return EntityFailure(
            entity: context.progress.entity ?? entity.name, kind: word,
            error: context.redactor.sanitised(message))
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

    private func firstFailure() -> RunEnd? {
        let failures = context.progress.failures
        guard let first = failures.first else { return nil }
        context.progress.entity = nil
        let more =
            failures.count > 1 ? " (and \(failures.count - 1) more of its entities failed)" : ""
        return .failed(
            kind: first.kind, message: "entity \(first.entity): \(first.error ?? "")\(more)")
    }
}
