import JobFiles
import JobQueue
import Writing

/// The passes of an entity that is read for each of several items: one's failure is its own.
///
/// The order of their turns is the database's (`parts_of`), so that whatever does not end or fails keeps no other from
/// its turn, and a run that is cut off is gone on with where it was.
struct ItemSequence {
    /// Checkpoints that are asked for at once.
    private static let batch = 200
    /// After so many failures in one run the others wait for the next one.
    private static let failuresMax = 100

    /// How an entity's items were synced.
    enum End {
        case read
        /// Some have failed, which is noted.
        case failed
        /// Some have read as many pages as a run may, or the whole run ends.
        case ended(RunEnd)
    }

    let context: RunContext
    /// Reads one item's pass; nil when it came to its end.
    let pull: (EntityPart) async -> RunEnd?
    /// The failure, if it is the item's own.
    let ownFailure: (RunEnd, Entity) -> EntityFailure?

    /// Reads the passes of all items, and has the rows of items go that are none any more.
    func sync(_ entity: Entity, _ rule: ForEach) async throws -> End {
        let items = try await Items(context).all(of: rule, entity)
        let parts = items.map { EntityPart(entity, of: $0) }
        try await forgetWhole(entity)
        let known = try await context.ask {
            try await $0.knownParts(of: entity.name, for: context.inputs.job.claim)
        }
        // Most sources know nothing below what they lack.
        let asked = parts.filter { $0.item?.isLacking != true }
        context.checkpoints.expect(asked.map(\.entity.name), of: entity)
        let lacking = isSure(rule) ? lacking(known, parts) : []
        let gone = entity.sweeps ? lacking.compactMap { EntityPart(entity, rule, goneAs: $0) } : []
        let end = try await read(inOrder(asked, known) + gone, of: entity)
        if case .ended(let end) = end, end != .interrupted(.pageCap) { return .ended(end) }
        // A checkpoint is forgotten with its item; one whose rows wait for a second look stays until then.
        try await forget(gone.map(\.entity.name), keepsWaiting: true)
        try await forget(
            Set(lacking).subtracting(gone.map(\.entity.name)).sorted(), keepsWaiting: false)
        return end
    }

    private func read(_ parts: [EntityPart], of entity: Entity) async throws -> End {
        var failures = 0
        var cap: RunEnd?
        var rest = parts[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.batch)
            rest = rest.dropFirst(Self.batch)
            try await takeCheckpoints(of: batch.map(\.entity.name), entity)
            for part in batch where !context.checkpoints.given(part.entity.name).isDone {
                guard let end = await pull(part) else { continue }
                if end == .interrupted(.pageCap) {
                    cap = end
                    continue
                }
                guard let failure = ownFailure(end, part.entity) else { return .ended(end) }
                context.progress.failures.append(failure)
                failures += 1
                if failures == Self.failuresMax { return .failed }
            }
        }
        if let cap { return failures > 0 ? .failed : .ended(cap) }
        return failures > 0 ? .failed : .read
    }

    private func takeCheckpoints(of names: [String], _ entity: Entity) async throws {
        let found = try await context.ask {
            try await $0.checkpoints(named: names, of: context.inputs.job)
        }
        context.checkpoints.take(found, of: entity)
    }

    /// In the order of their turns; an item that was never read comes behind a pass in progress only.
    private func inOrder(_ parts: [EntityPart], _ known: [KnownPart]) -> [EntityPart] {
        let places = Dictionary(
            known.enumerated().map { ($1.name, ($1.rank, $0)) }, uniquingKeysWith: { $1 })
        let placed = parts.enumerated().map { number, part in
            (turn: places[part.entity.name] ?? (1, number), part: part)
        }
        return placed.sorted { $0.turn < $1.turn }.map(\.part)
    }

    /// What a row says of the entity as a whole is over once its items are known.
    ///
    /// That is a failure to find them, or what stands from a time without items. No pass would ever end it, and a full pass that is asked for there would be for ever.
    private func forgetWhole(_ entity: Entity) async throws {
        guard context.inputs.job.checkpoints.contains(where: { $0.entity == entity.name }) else {
            return
        }
        try await forget([entity.name], keepsWaiting: false)
    }

    private func forget(_ names: [String], keepsWaiting: Bool) async throws {
        guard !names.isEmpty, !context.sink.isDryRun else { return }
        let forget = context.inputs.job.claim.forgetting(
            checkpoints: names, keepsWaiting: keepsWaiting)
        _ = try await context.sink.run([forget] + context.companions, counts: true)
        context.markCompanionsStored()
    }

    private func lacking(_ known: [KnownPart], _ parts: [EntityPart]) -> [String] {
        let present = Set(parts.map(\.entity.name))
        return known.map(\.name).filter { !present.contains($0) }
    }

    /// Rows of an entity that this run has not read to its end may be lacking for no good reason.
    private func isSure(_ rule: ForEach) -> Bool {
        rule.rows.allSatisfy { context.progress.read.contains($0.entity) }
    }
}
