import Asking
import HTTP
import JSON
import JobFiles
import JobQueue
import Postgres
import Reading
import Telemetry
import Writing

/// Asks the source for each record that a full pass lacked, and deletes the rows of those that are gone.
struct Confirmations {
    private let context: RunContext
    private let entity: Entity

    private let troubles: StandingTroubles

    init(of entity: Entity, _ context: RunContext, _ troubles: StandingTroubles) {
        self.entity = entity
        self.troubles = troubles
        self.context = context
    }

    /// Asks, behind a full pass that was read to its end; what the run does not come to is asked after the next one.
    func ask() async throws {
        guard let rule = entity.write.deletes?.confirmation, !context.sink.isDryRun else { return }
        let lacking = LackingRows(of: entity, for: context.inputs.job.claim)
        let answers = try await context.sink.run([lacking.statement], counts: false)
        let rows = try lacking.read(answers[0])
        let missing = rows.filter { !$0.isShown }
        guard !missing.isEmpty else { return try await settle(nil) }
        try await checkPath(by: rows.filter(\.isShown), rule)
        var gone: [Int64] = []
        var unclear: LackingRow?
        do {
            for row in missing {
                switch try await verdict(row, rule) {
                case .isGone: gone.append(row.hash)
                case .isThere: break
                case .isUnclear: unclear = unclear ?? row
                }
            }
        } catch {
            try await delete(gone, lacking)
            throw error
        }
        try await delete(gone, lacking)
        try await settle(unclear)
    }

    /// Tells of a row that stays because nobody knows what the source says of it, or that there is none any more.
    private func settle(_ unclear: LackingRow?) async throws {
        let doubt = unclear.map { row in
            let key = entity.records.key.compactMap { row.key[$0] }.joined(separator: ", ")
            return
                "deletes.confirm was asked for the record \(key), which the list lacks, and the answer shows no record; "
                + "its row stays"
        }
        if let doubt, !troubles.has(.absenceUnproven) {
            context.services.log.emit(
                .absenceUnproven(context.subject, entity: entity.name, reason: doubt))
        }
        guard let followUp = troubles.followUp(ofAnswers: doubt) else { return }
        _ = try await context.sink.run(
            [followUp.statement(for: context.inputs.job.claim, of: entity.name)], counts: false)
    }

    /// Throws unless the source has one of the records that its list has just shown: a path that leads nowhere says of each
    /// record that it is gone.
    private func checkPath(by shown: [LackingRow], _ rule: Confirmation) async throws {
        for row in shown where try await verdict(row, rule) != .isGone { return }
        guard let first = shown.first else { return }
        let key = entity.records.key.compactMap { first.key[$0] }.joined(separator: ", ")
        throw RunEnd.failed(
            .unexpectedStatus,
            "deletes.confirm says that the record \(key) is gone, which the list has just shown; path must lead to one "
                + "record; no row was deleted")
    }

    private func verdict(
        _ row: LackingRow, _ rule: Confirmation
    ) async throws -> RecordVerdict {
        guard ContinuousClock.now < context.deadline else { throw RunEnd.interrupted(.deadline) }
        var request = entity.request
        request.method = "GET"
        request.path = rule.path
        request.query = []
        request.body = nil
        var values = PassValues()
        for (column, text) in row.key { values.row[column] = entity.keyText(column, text) }
        let answer = try await context.session.send(request, values, retries: true)
        if rule.gone.contains(answer.response.status) || answer.response.status == 204 {
            return .isGone
        }
        guard (200..<300).contains(answer.response.status) else {
            throw context.session.end(ofUnexpected: answer, method: request.method)
        }
        guard let document = try? answer.document() else { return .isUnclear }
        return AskedRecord(of: entity).verdict(
            document.root, key: row.key, now: Int64(context.session.unixSeconds) * 1_000_000)
    }

    private func delete(_ hashes: [Int64], _ lacking: LackingRows) async throws {
        guard !hashes.isEmpty else { return }
        let count = try await context.sink.run([lacking.deletion(of: hashes)], counts: true)[0]
            .only().int("rows")
        context.progress.changed += count
        context.progress.deleted += count
    }
}
