import JSON
import JobFile
import Postgres
import Queue

// One pass per chunk of a list: an API that takes only so many ids at once (`for_each`).
extension Run {
    /// The passes of an entity: itself, or one per chunk, each with a checkpoint of its own.
    ///
    /// A chunk's checkpoint is named after its content, so that a position never outlives the ids it
    /// was read with. An empty list has no pass.
    func parts(of entity: Entity) async throws -> [Entity] {
        guard let rule = entity.forEach, let list = inputs.file.list(named: rule.list) else {
            return [entity]
        }
        let loaded = try await services.queue.listItems(
            user: inputs.job.claim.userID, in: ListPlace(table: list.table, column: list.column))
        let parts = stride(from: 0, to: loaded.items.count, by: rule.chunk).map { start in
            let items = Array(loaded.items[start..<min(start + rule.chunk, loaded.items.count)])
            var part = entity
            part.name = "\(entity.name)#\(stableHash(items.joined(separator: "\n")))"
            chunks[part.name] = items
            return part
        }
        try await forgetChunks(of: entity, but: parts.map(\.name))
        return parts
    }

    /// A chunk that no list makes any more leaves its checkpoint behind.
    private func forgetChunks(of entity: Entity, but names: [String]) async throws {
        let stale = inputs.job.checkpoints.map(\.entity).filter {
            $0.hasPrefix("\(entity.name)#") && !names.contains($0)
        }
        guard !stale.isEmpty else { return }
        let claim = inputs.job.claim
        try await turn([
            Statement(
                """
                delete from jobrunner.checkpoints as k
                where k.user_id = $1 and k.job_name = $2 and k.entity = any ($3)
                """, .int8(claim.userID), .text(claim.name), .textArray(stale))
        ])
    }
}
