import JSON
import JobFile
import Postgres
import Queue
import Telemetry

// The push: unsent rows go to the source in batches, and what became of each is written back under
// the job's lock. A row that is edited meanwhile stays unsent (MS21).
extension Run {
    /// Brings unsent rows to the source; false when there was no reason to look for any.
    ///
    /// Throws `RunEnd` when the run must yield before.
    func push(_ entity: Entity, isRepair: Bool) async throws -> Bool {
        guard let push = entity.push, let dialect, hasReason(entity, isRepair) else {
            return false
        }
        if let rehearsal {
            rehearsal.note(unsent: "push of \(entity.name)")
            return false
        }
        let sender = PushSender(run: self, dialect: dialect, entity: entity, push: push)
        var last: UnsentRow?
        repeat {
            try checkMayBegin(page: 0, of: entity)
            let rows = try await unsent(sender.statements, entity, push, after: last)
            guard !rows.isEmpty else { break }
            try await sender.send(rows, isRepair: isRepair)
            last = rows.count < push.batch ? nil : rows.last
        } while last != nil
        return true
    }

    /// An unsent edit was there when the run began, or a merge may have made one.
    private func hasReason(_ entity: Entity, _ isRepair: Bool) -> Bool {
        isRepair || inputs.dirtyTables.contains(entity.write.table)
            || (hasMerged && entity.write.unique != nil)
    }

    private func unsent(
        _ statements: PushStatements, _ entity: Entity, _ push: Push, after last: UnsentRow?
    ) async throws -> [UnsentRow] {
        let claim = inputs.job.claim
        let statement = statements.take(after: last, limit: push.batch, userID: claim.userID)
        let rows = try await repeated([claim.holdStatement, statement])[1]
        return try rows.map { row in
            var unsent = try statements.row(row)
            unsent.recordName = try recordName(of: unsent, entity, push)
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
        var filled = values
        for (field, value) in zip(entity.records.fields, row.values) {
            filled.row[field.name] = value?.watermarkText
        }
        return try Renderer(values: filled).requiredText(push.recordName)
    }
}

extension Run {
    /// A transaction of this run besides its pages: proven, with whatever is to be stored with it.
    ///
    /// After a lost reply it is not repeated: the next run finds the rows as they are, and what the
    /// source has taken already is a conflict that resolves to the same.
    func turn(_ writes: [Statement]) async throws {
        mayHaveCommitted = true
        _ = try await repeated(
            [inputs.job.claim.holdStatement] + writes
                + pendingCalls.map { $0.statement(for: inputs.job.claim) } + rotationStatements)
        pendingCalls = []
        rotation = nil
    }

    /// A transaction, tried again where the database was only busy.
    private func repeated(_ statements: [Statement]) async throws -> [Rows] {
        var attempt = 0
        while true {
            do {
                let rows = try await services.queue.turn(statements, deadline: deadline)
                databaseTrouble = nil
                return rows
            } catch let error as DatabaseError {
                attempt += 1
                guard error.isTransient, attempt < 5 || error.isServerTrouble else { throw error }
                note(error)
                try await pause(afterAttempt: attempt)
            }
        }
    }
}
