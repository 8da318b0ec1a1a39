import Asking
import Basics
import JobFiles
import JobQueue
import Writing

/// What one pass reads: an entity, or one chunk of it (`for_each`).
struct EntityPart {
    /// The entity; of a chunk under a name of its own.
    var entity: Entity
    /// The ids of the chunk.
    var chunk: [String]?
}

/// Splits an entity for an API that takes only so many ids at once.
struct EntityParts {
    private let context: RunContext

    init(_ context: RunContext) { self.context = context }

    /// The passes of an entity: itself, or one per chunk, each with a checkpoint of its own.
    ///
    /// A chunk's checkpoint is named after its content, so that a position never outlives the ids it
    /// was read with. An empty list has no pass.
    func parts(of entity: Entity) async throws -> [EntityPart] {
        guard let rule = entity.forEach, let list = context.inputs.file.list(named: rule.list)
        else { return [EntityPart(entity: entity)] }
        let loaded = try await context.ask {
            try await $0.listItems(
                user: context.inputs.job.claim.userID,
                in: ListColumn(table: list.table, column: list.column))
        }
        let parts = stride(from: 0, to: loaded.items.count, by: rule.chunk).map { start in
            let items = Array(loaded.items[start..<min(start + rule.chunk, loaded.items.count)])
            var part = entity
            part.name = "\(entity.name)#\(stableHash(items.joined(separator: "\n")))"
            return EntityPart(entity: part, chunk: items)
        }
        try await forgetChunks(of: entity, but: parts.map(\.entity.name))
        return parts
    }

    /// A chunk that no list makes any more leaves its checkpoint behind.
    private func forgetChunks(of entity: Entity, but names: [String]) async throws {
        let stale = context.inputs.job.checkpoints.map(\.entity).filter {
            $0.hasPrefix("\(entity.name)#") && !names.contains($0)
        }
        guard !stale.isEmpty else { return }
        let forget = context.inputs.job.claim.forgetting(checkpoints: stale)
        _ = try await context.sink.run([forget] + context.companions, counts: true)
        context.markCompanionsStored()
    }
}
