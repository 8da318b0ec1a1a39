public import JobFiles
import Synchronization

/// The statements of each entity, made once a process: their texts take longer to build than an idle
/// run takes, and thousands of runs would each hold their own.
public final class WritesCache: Sendable {
    private struct Key: Hashable {
        var job: String
        var entity: String
    }

    private let cache = Mutex<[Key: (entity: Entity, writes: EntityStatements)]>([:])

    /// Knows no entity yet.
    public init() {}

    /// The statements of a file's entity; made anew where the file says something else than before.
    public func writes(of entity: Entity, in file: JobFile) -> EntityStatements {
        let key = Key(job: file.name, entity: entity.name)
        let tells = file.events.contains(.duplicates)
        return cache.withLock { cache in
            if let known = cache[key], known.entity == entity, known.writes.tellsDuplicates == tells
            {
                return known.writes
            }
            let writes = EntityStatements(entity, tellsDuplicates: tells)
            cache[key] = (entity, writes)
            return writes
        }
    }
}
