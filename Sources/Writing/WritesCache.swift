public import JobFiles
import Synchronization

/// The statements of each entity, made once a process: their texts take longer to build than an idle
/// run takes, and thousands of runs would each hold their own.
public final class WritesCache: Sendable {
    private struct Key: Hashable {
        var job: String
        var entity: String
    }

    private let cache = Mutex<[Key: (entity: Entity, writes: PageWrites)]>([:])

    /// Knows no entity yet.
    public init() {}

    /// The statements of a job's entity; made anew where the file says something else than before.
    public func writes(of entity: Entity, in job: String) -> PageWrites {
        let key = Key(job: job, entity: entity.name)
        return cache.withLock { cache in
            if let known = cache[key], known.entity == entity { return known.writes }
            let writes = PageWrites(entity)
            cache[key] = (entity, writes)
            return writes
        }
    }
}
