import JobFiles
import JobQueue

// Rows younger than `freshness.soft` are not asked for again, whoever wants it but by force.
extension RunContext {
    /// All that the run is for is fresh: edits are sent, and the source is not looked at.
    ///
    /// Of entities that belong together none is read without the others.
    var isFreshEnough: Bool {
        guard let freshness = inputs.file.freshness, !inputs.job.isForced else { return false }
        return inputs.wantedEntities.allSatisfy { entity in
            let checkpoint = checkpoints.given(entity.name)
            let synced = entity.forEach == nil ? checkpoint.syncedAge : sinceLastSuccess
            guard let age = synced, !checkpoint.isFullRequested,
                !checkpoint.isRepairRequested, checkpoint.passKind == nil
            else { return false }
            return age < freshness.soft && !inputs.emptyTables.contains(entity.write.table)
        }
    }

    /// Since the job's last complete run, as of the claim: items come and go, so that no checkpoint says it of an entity of them.
    private var sinceLastSuccess: Duration? {
        inputs.job.lastSuccessAt.map { .microseconds(inputs.claimedAtMicroseconds - $0) }
    }

    /// Something was changed here that the source is to have.
    var hasUnsent: Bool {
        !inputs.dirtyTables.isDisjoint(with: inputs.file.pushedTables)
            || ListSteps(self).hasChanges || inputs.file.before.contains(where: hasChangedList)
    }

    /// A call that sends a list waits for its list to change.
    private func hasChangedList(_ step: BeforeStep) -> Bool {
        guard case .call(let name) = step.action else { return false }
        let remembered = inputs.job.calls.first { $0.call == name }?.listHash
        return step.ifAny.contains { condition in
            guard case .listChanged(let list) = condition else { return false }
            return remembered != inputs.lists[list]?.hash
        }
    }
}
