import Asking
import JSON
import JobFiles
import Postgres
import JobQueue
import Reading
import Writing

/// Brings unsent rows to the source in batches, and writes back what became of each under the job's
/// lock.
///
/// A row that is edited meanwhile stays unsent.
struct PushLoop {
    private let context: RunContext
    private let calls: Calls

    init(_ context: RunContext, _ calls: Calls) {
        self.context = context
        self.calls = calls
    }

    /// Sends the unsent rows of an entity; false when there was no reason to look for any.
    ///
    /// Throws `RunEnd` when the run must yield before.
    func send(_ entity: Entity, isRepair: Bool) async throws -> Bool {
        guard let push = entity.push, let dialect = context.session.dialect,
            hasReason(entity, isRepair), !context.sink.withholds("push of \(entity.name)")
        else { return false }
        let refusedBefore = context.progress.refused.all
        let target = PushTarget(context, calls, dialect, entity, push)
        let sender = PushSender(to: target)
        var last: UnsentRow?
        repeat {
            try context.checkMayBegin(page: 0, of: entity)
            let rows = try await unsent(target.statements, entity, push, after: last, isRepair)
            guard !rows.isEmpty else { break }
            try await sender.send(rows, isRepair: isRepair)
            last = rows.count < push.batch ? nil : rows.last
        } while last != nil
        if isInTrouble(entity) || context.progress.refused.all > refusedBefore {
            try await judge(entity)
        }
        return true
    }

    /// Edits of it were refused one by one, by what the checkpoint says.
    private func isInTrouble(_ entity: Entity) -> Bool {
        let troubles = context.checkpoints.given(entity.name).troubles
        return troubles[.editsRefused] != nil || troubles[.quotaExceeded] != nil
    }

    /// Notes what is refused still, or that nothing is any more.
    private func judge(_ entity: Entity) async throws {
        let claim = context.inputs.job.claim
        let judge = Statement(
            "select jobrunner.judge_edits($1, $2, $3, $4)", .int8(claim.userID), .text(claim.name),
            .text(entity.name), .text(entity.write.table))
        _ = try await context.sink.run([judge], counts: false)
    }

    /// An unsent edit was there when the run began, or a merge may have made one.
    private func hasReason(_ entity: Entity, _ isRepair: Bool) -> Bool {
        isRepair || isInTrouble(entity) || context.inputs.dirtyTables.contains(entity.write.table)
            || context.progress.sendsAgain.contains(entity.name)
            || (context.progress.hasMerged && entity.write.unique != nil)
    }

    private func unsent(
        _ statements: PushStatements, _ entity: Entity, _ push: Push, after last: UnsentRow?,
        _ isRepair: Bool
    ) async throws -> [UnsentRow] {
        let userID = context.inputs.job.claim.userID
        let take = statements.take(
            after: last, limit: push.batch, takesPaused: isRepair, userID: userID)
        return try await context.sink.run([take], counts: false)[0].map { row in
            var unsent = try statements.row(row)
            do {
                unsent.recordName = try recordName(of: unsent, entity, push)
            } catch let end as RunEnd {
                unsent.obstacle = unsent.obstacle ?? "it has no record name: \(end.message ?? "")"
            }
            return unsent
        }
    }

    /// A stored name is the record's; a row that never was at the source gets the declared one.
    private func recordName(
        of row: UnsentRow, _ entity: Entity, _ push: Push
    ) throws -> String {
        if let column = entity.recordNameColumn, let index = entity.index(of: column),
            case .text(let name)? = row.values[index]
        {
            return name
        }
        var texts: [String: String] = [:]
        for (field, value) in zip(entity.records.fields, row.values) {
            texts[field.name] = value?.watermarkText
        }
        return try context.session.text(of: push.recordName, row: texts)
    }
}
