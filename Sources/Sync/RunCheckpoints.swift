import JobFiles
import JobQueue

/// The checkpoints of a run's entities, and the ends of passes that no page's commit has noted.
final class RunCheckpoints {
    private let job: ClaimedJob
    /// Those that this run itself has moved beyond what it was given.
    private var moved: [String: Checkpoint] = [:]
    /// Those of items, which the run has asked for as it came to them.
    private var ofItems: [String: Checkpoint] = [:]
    /// The names of the passes of entities that have one for each item.
    private var parts: [String: [String]] = [:]
    private(set) var ended: [EndedPass] = []
    /// Those of which there was nothing to read, or to ask for.
    private var skipped: Set<String> = []
    /// Those whose ends leave their checkpoints other than they were.
    private var notable: Set<String> = []

    init(of job: ClaimedJob) { self.job = job }

    /// Where a pass of the entity begins or goes on.
    subscript(entity: Entity) -> Checkpoint { moved[entity.name] ?? given(entity.name) }

    /// What the database held when the job was claimed.
    func given(_ entity: String) -> Checkpoint { ofItems[entity] ?? job.checkpoint(of: entity) }

    /// An entity has these passes, whatever becomes of each.
    func expect(_ names: [String], of entity: Entity) { parts[entity.name] = names }

    /// Takes in the checkpoints of items; a full pass of their entity is one of each.
    func take(_ checkpoints: [Checkpoint], of entity: Entity) {
        let isFullRequested = job.checkpoint(of: entity.name).isFullRequested
        for var checkpoint in checkpoints {
            checkpoint.isFullRequested = checkpoint.isFullRequested || isFullRequested
            ofItems[checkpoint.entity] = checkpoint
        }
    }

    /// A second pass of this run begins here.
    func move(to checkpoint: Checkpoint) { moved[checkpoint.entity] = checkpoint }

    /// Notes the end of a pass that wrote nothing, which most often leaves the checkpoint as it was.
    ///
    /// `isUnasked`: the source was not asked, so that nothing may say that it was read at this time.
    func add(_ pass: EndedPass, of entity: Entity, isUnasked: Bool = false) {
        let isNotable = pass.isNotable(after: given(pass.entity), of: entity)
        guard isNotable || !isUnasked else {
            skipped.insert(pass.entity)
            return
        }
        ended.append(pass)
        if isNotable { notable.insert(pass.entity) }
    }

    /// What the end of a complete run notes: of items only what leaves their checkpoints other than they were.
    var endedToNote: [EndedPass] {
        ended.filter { !$0.entity.contains("#") || notable.contains($0.entity) }
    }

    /// Notes that the source has nothing of the entity, which its checkpoint knows.
    func addSkipped(_ entity: Entity) { skipped.insert(entity.name) }

    /// All of `entities` were read to their ends, and no checkpoint has to note it: the job's row says
    /// it for all of them, which is one row version less for each.
    func areUnchanged(_ entities: [Entity]) -> Bool {
        notable.isEmpty && job.entity == nil && !entities.isEmpty
            && skipped.union(ended.map(\.entity))
                == Set(entities.flatMap { parts[$0.name] ?? [$0.name] })
    }
}
