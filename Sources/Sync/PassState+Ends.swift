import JobFiles
import JobQueue
import Reading

// What follows from the end of a pass that is no usual one.
extension PassState {
    /// How a pass ends that has not read what it should: no record of it, no value of a field, or a flag that is
    /// neither true nor false; nil when it has.
    func endOfUnread(_ entity: Entity, _ warnings: RecordWarnings) -> RunEnd? {
        if isWorthless { return warnings.endOfUnreadable(entity.name) }
        // It is kept under another name than a field that is read from the same member, which may have a type of its
        // own.
        if let flag = entity.write.deletes?.flagAt.map({ "flag_at \($0)" }),
            let values = fields.unread[flag]
        {
            return .failed(
                .incompatible,
                "\(flag) is neither true nor false in \(values.count) records; in one of them it is "
                    + "\(values.example)")
        }
        guard let field = fields.unreadable, let values = fields.unread[field] else {
            return nil
        }
        return .failed(
            .incompatible,
            "not one of \(values.count) values of \"\(field)\" has the type of the job file; one of them is "
                + values.example)
    }

    /// Where the second pass of a run that repairs begins.
    func checkpoint(after commit: PageCommit) -> Checkpoint {
        var checkpoint = Checkpoint(entity: commit.entity)
        checkpoint.position = commit.position.betweenPasses
        checkpoint.validator = nil
        checkpoint.probe = nil
        checkpoint.lastFullAge = .zero
        return checkpoint
    }
}
