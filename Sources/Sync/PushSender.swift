import Asking
import JSON
import JobFiles
import Postgres
import JobQueue
import Reading
import Telemetry
import Writing

/// Sends one batch, resolves its conflicts, writes what became of it.
struct PushSender {
    private let target: PushTarget

    init(to target: PushTarget) { self.target = target }

    private var context: RunContext { target.context }
    private var entity: Entity { target.entity }
    private var push: Push { target.push }
    private var statements: PushStatements { target.statements }

    func send(_ rows: [UnsentRow], isRepair: Bool) async throws {
        var outcome = PushOutcome()
        // What the source never had is only deleted here.
        outcome.deleted = rows.filter(\.isOnlyHere)
        do {
            try await send(sendable(rows, &outcome), &outcome)
        } catch  where !Task.isCancelled && !outcome.isEmpty {
            // What the source has taken is written, whatever became of the rest.
            try await write(outcome, isRepair: isRepair)
            throw error
        }
        try await write(outcome, isRepair: isRepair)
    }

    /// The rows that the source is to have; one that can't be sent as it is stays, and says so.
    private func sendable(_ rows: [UnsentRow], _ outcome: inout PushOutcome) -> [UnsentRow] {
        rows.filter { row in
            guard !row.isOnlyHere else { return false }
            guard let obstacle = row.obstacle ?? target.dialect.obstacle(to: operation(row)) else {
                return true
            }
            refuse(row, code: "UNSENDABLE", reason: obstacle, .none, &outcome)
            return false
        }
    }

    private func send(_ rows: [UnsentRow], _ outcome: inout PushOutcome) async throws {
        var pending = rows
        var round = 0
        while !pending.isEmpty {
            // A deletion meets whatever version is there, also where we know of none.
            let conflicts =
                try await pending.filter(isOfUnknownVersion)
                + attempt(pending.filter { !isOfUnknownVersion($0) }, &outcome)
            guard !conflicts.isEmpty else { return }
            guard round < push.conflictRounds else {
                for row in conflicts {
                    refuse(
                        row, code: "CONFLICT", reason: "changed again and again", .none, &outcome)
                }
                return
            }
            round += 1
            pending = try await PushConflicts(at: target).resolve(conflicts, &outcome)
        }
    }

    /// A deletion that is not forced needs the tag of what it deletes.
    private func isOfUnknownVersion(_ row: UnsentRow) -> Bool {
        row.isDeleted && row.changeTag == nil && !isForced
    }

    /// One request, or more where the source refuses one as a whole; returns the rows that met another
    /// version.
    private func attempt(
        _ rows: [UnsentRow], _ outcome: inout PushOutcome
    ) async throws -> [UnsentRow] {
        let size = context.progress.pushSizes[entity.name] ?? push.batch
        var halving = Halving(rows, sizeMax: size)
        defer { context.progress.pushSizes[entity.name] = halving.sizeMax }
        var conflicts: [UnsentRow] = []
        while let part = halving.next() {
            // A run that yields before it knows anything of a row would begin as it did this time.
            if !outcome.isEmpty { try context.checkMayBegin(page: 0, of: entity) }
            let failure = try await request(part, &outcome, &conflicts)
            guard let failure else {
                halving.applyAccepted()
                continue
            }
            if let culprit = halving.applyRefused() {
                refuse(
                    culprit, code: failure.code ?? ErrorKind.rejected.rawValue,
                    reason: failure.reason.isEmpty ? failure.end.message ?? "" : failure.reason,
                    .growing, &outcome)
            }
            if halving.isHopeless { throw failure.end }
        }
        return conflicts
    }

    /// One request; returns why its rows were refused all together; nil when each has its own result.
    private func request(
        _ rows: [UnsentRow], _ outcome: inout PushOutcome, _ conflicts: inout [UnsentRow]
    ) async throws -> SourceFailure? {
        let operations = rows.map(operation)
        let answer = try await target.answer(
            to: target.dialect.pushRequest(operations, to: try target.place()))
        if let failure = answer.failure {
            guard failure.refusesContent else { throw failure.end }
            return failure
        }
        let document = try answer.document()
        let results = try target.dialect.pushResults(document, of: operations)
        let records = target.dialect.lookedUp(document)
        for (row, result) in zip(rows, results) {
            switch result {
            case .saved(let tag, let modifiedAt):
                let record = records[row.recordName]?.map { target.answered(row, by: $0) }
                outcome.saved.append(
                    (row, AnsweredRecord(tag: tag, modifiedAt: modifiedAt, record ?? row.values)))
            case .deleted: outcome.deleted.append(row)
            case .conflict: conflicts.append(row)
            case .gone where row.isDeleted: outcome.deleted.append(row)
            case .gone: outcome.gone.append(row)
            case .failed(let failure):
                refuse(row, failure, failure.wait.map { .until($0) } ?? .none, &outcome)
            }
        }
        return nil
    }

    private func refuse(
        _ row: UnsentRow, code: String, reason: String, _ pause: PushPause,
        _ outcome: inout PushOutcome
    ) {
        let failure = RecordFailure(code: code, reason: reason, record: row.recordName, wait: nil)
        refuse(row, failure, pause, &outcome)
    }

    private func refuse(
        _ row: UnsentRow, _ failure: RecordFailure, _ pause: PushPause, _ outcome: inout PushOutcome
    ) {
        let text = context.redactor.sanitised("\(failure.code): \(failure.reason)")
        outcome.refused.append((row, text, pause))
        context.progress.refused.add(failure.code, text, pause)
        outcome.failures.append(failure.sanitised(context.redactor))
    }

    private func operation(_ row: UnsentRow) -> PushOperation {
        let action: PushOperation.Action
        if row.isDeleted {
            action = .delete(changeTag: isForced ? nil : row.changeTag)
        } else if isForced {
            action = .force
        } else {
            action = row.changeTag.map { .update(changeTag: $0) } ?? .create
        }
        let fields = row.isDeleted ? [] : pushedFields(row)
        return PushOperation(action: action, recordName: row.recordName, fields: fields)
    }

    private var isForced: Bool { push.operation == .force }

    private func pushedFields(_ row: UnsentRow) -> [PushField] {
        let constant = entity.cloudkit?.constantField.map { field in
            PushField(name: field.name, kind: .text, value: .text(field.value))
        }
        var fields = [constant].compactMap(\.self)
        for sent in target.sentFields where !row.leavesOut(sent.field, at: sent.index) {
            let kind = sent.field.kind
            fields.append(PushField(name: sent.name, kind: kind, value: row.values[sent.index]))
            // Of a text and an asset nobody knows which one a device reads.
            if let asset = sent.assetName, row.hasAsset(sent.field) {
                fields.append(PushField(name: asset, kind: kind, value: nil))
            }
        }
        return fields
    }

    // MARK: Writing back

    /// One transaction for the whole batch, after the claim is proven (invariant 2).
    private func write(_ outcome: PushOutcome, isRepair: Bool) async throws {
        let claim = context.inputs.job.claim
        let userID = claim.userID
        var writes: [Statement] = []
        if !outcome.saved.isEmpty { writes.append(statements.saved(outcome.saved, userID)) }
        if !outcome.deleted.isEmpty {
            writes.append(statements.removed(outcome.deleted, .deletedHere, claim))
        }
        if !outcome.gone.isEmpty {
            let policy: PushStatements.Absence =
                isRepair || !entity.deletionsWin ? .editsStay : .editsGiveWay
            writes.append(statements.removed(outcome.gone, policy, claim))
        }
        if !outcome.replaced.isEmpty {
            writes.append(statements.replaced(outcome.replaced, claim))
        }
        if !outcome.refused.isEmpty { writes.append(statements.refused(outcome.refused, userID)) }
        let pushed = outcome.saved.count + outcome.deleted.count
        writes.append(
            Statement(
                "select jobrunner.store_push_counters($1, $2, $3, $4, $5, $6, 0)", .int8(userID),
                .text(claim.name), .text(entity.name), .int8(claim.fence), .int8(Int64(pushed)),
                .int8(Int64(outcome.refused.count))))
        // After `store_push_counters`, which makes the checkpoint where there is none.
        if let note = storeFailures(outcome.failures, of: entity.name, for: claim) {
            writes.append(note)
        }
        if context.inputs.file.events.contains(.conflicts), !outcome.won.isEmpty {
            writes.append(ToldEvents(of: entity.name, for: claim).conflictsWon(outcome.won))
        }
        let answers = try await context.sink.run(writes + context.companions, counts: true)
        context.markCompanionsStored()
        for _ in 0..<(try PushStatements.stuckEdits(in: answers)) {
            context.progress.refused.add(
                "KEY_TAKEN", "KEY_TAKEN: another row has the key that a record has at the source",
                .none)
        }
        context.tellLostEdits(try PushStatements.lostEdits(in: answers), of: entity.name)
        context.progress.changed += pushed + outcome.replaced.count + outcome.gone.count
        context.services.log.emit(
            .rowsPushed(
                context.subject, entity: entity.name, pushed: pushed, failed: outcome.refused.count)
        )
    }
}

extension UnsentRow {
    /// Deleted before the source could know of it.
    fileprivate var isOnlyHere: Bool { isDeleted && changeTag == nil && !wasSent }
}
