import JobFiles
import JobQueue

/// The checkpoints of a run's entities, and the ends of passes that no page's commit has noted.
final class RunCheckpoints {
    private let job: ClaimedJob
    /// Those that this run itself has moved beyond what it was given.
    private var moved: [String: Checkpoint] = [:]
    private(set) var ended: [EndedPass] = []
    /// One of those ends leaves its checkpoint other than it was.
    private var isAnyNotable = false

    init(of job: ClaimedJob) { self.job = job }

    /// Where a pass of the entity begins or goes on.
    subscript(entity: Entity) -> Checkpoint { moved[entity.name] ?? given(entity.name) }

    /// What the database held when the job was claimed.
    func given(_ entity: String) -> Checkpoint { job.checkpoint(of: entity) }

    /// A second pass of this run begins here.
    func move(to checkpoint: Checkpoint) { moved[checkpoint.entity] = checkpoint }

    /// Notes the end of a pass that wrote nothing, which most often leaves the checkpoint as it was.
    func add(_ pass: EndedPass, of entity: Entity) {
        ended.append(pass)
        isAnyNotable = isAnyNotable || pass.isNotable(after: given(pass.entity), of: entity)
    }

    /// All of `entities` were read to their ends, and no checkpoint has to note it: the job's row says
    /// it for all of them, which is one row version less for each.
    func areUnchanged(_ entities: [Entity]) -> Bool {
        !isAnyNotable && job.entity == nil && !ended.isEmpty
            && Set(ended.map(\.entity)) == Set(entities.map(\.name))
    }
}
