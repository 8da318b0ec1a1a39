import Asking
import JobFiles
import JSON
import Postgres
import JobQueue
import Reading
import Writing

/// What becomes of rows that met another version at the source.
struct PushConflicts {
    private let target: PushTarget

    init(at target: PushTarget) { self.target = target }

    private var context: RunContext { target.context }
    private var entity: Entity { target.entity }
    private var push: Push { target.push }

    /// Looks the conflicting records up and decides each; returns the rows to be sent again.
    func resolve(
        _ rows: [UnsentRow], _ outcome: inout PushOutcome
    ) async throws -> [UnsentRow] {
        let records = try await lookUp(rows)
        let reader = PageReader(entity, target.dialect)
        let read = rows.map { row in
            records[row.recordName]?.flatMap { RemoteRecord(reader.read([$0])) }
        }
        let own = try await ownEarlier(rows, read)
        var again: [UnsentRow] = []
        for (index, row) in rows.enumerated() {
            guard let found = records[row.recordName] else {
                refuse(row, "LOOKUP", "the record could not be looked up", &outcome)
                continue
            }
            guard let node = found else {
                guard !row.isDeleted else {
                    outcome.deleted.append(row)
                    continue
                }
                guard !entity.deletionsWin else {
                    outcome.gone.append(row)
                    continue
                }
                outcome.overruled.insert(row.recordName)
                var created = row
                created.changeTag = nil
                again.append(created)
                continue
            }
            guard !isAnothers(row, read[index]) else {
                refuse(
                    row, "NAME_TAKEN",
                    "record \(row.recordName) has another key; the name that push.record_name gives is taken",
                    &outcome)
                continue
            }
            let tag = tag(of: node)
            switch own.contains(index) ? .ours : verdict(row, read[index]) {
            case .remote(let values): outcome.replaced.append((row, values))
            case .same(let modifiedAt) where tag != nil:
                outcome.saved.append(
                    (
                        row,
                        AnsweredRecord(
                            tag: tag ?? "", modifiedAt: modifiedAt, target.answered(row, by: node))
                    ))
            case .same, .ours:
                if !own.contains(index) { outcome.overruled.insert(row.recordName) }
                var updated = row
                updated.changeTag = tag
                again.append(updated)
            }
        }
        return again
    }

    private func refuse(
        _ row: UnsentRow, _ code: String, _ reason: String, _ outcome: inout PushOutcome
    ) {
        let failure = RecordFailure(code: code, reason: reason, record: row.recordName, wait: nil)
        outcome.refused.append((row, "\(code): \(reason)", .none))
        outcome.failures.append(failure.sanitised(context.redactor))
        context.progress.refused.add(code, "\(code): \(reason)", .none)
    }

    /// A row that never was at the source, and the name made for it is that of a record with another key.
    private func isAnothers(_ row: UnsentRow, _ remote: RemoteRecord?) -> Bool {
        guard let name = entity.nameBesideKey, row.changeTag == nil,
            entity.index(of: name).map({ row.values[$0] == nil }) ?? false, let remote
        else { return false }
        return entity.records.key.contains { key in
            entity.index(of: key).map { row.values[$0] != remote.values[$0] } ?? false
        }
    }

    private func lookUp(_ rows: [UnsentRow]) async throws -> [String: JSONNode?] {
        let reader = PageReader(entity, target.dialect)
        var records: [String: JSONNode?] = [:]
        var names = Halving(
            rows.map(\.recordName), sizeMax: context.progress.pushSizes[entity.name] ?? push.batch)
        while let some = names.next() {
            var document = try await target.exchange(
                target.dialect.lookupRequest(some, in: try target.place()))
            if let texts = reader.assetTexts(ofLookedUp: document.root) {
                document = try await AssetDownloads(for: context).whole(texts).document
            }
            records.merge(target.dialect.lookedUp(document)) { $1 }
            names.applyAccepted()
        }
        return records
    }

    /// The indexes of rows whose record at the source is what we ourselves sent before they were edited
    /// again: nobody else has been there, whatever the clock says.
    private func ownEarlier(_ rows: [UnsentRow], _ read: [RemoteRecord?]) async throws -> Set<Int> {
        let found = rows.indices.compactMap { index in read[index].map { (index, $0) } }
        guard !found.isEmpty else { return [] }
        let statement = target.statements.ownEarlier(
            found.map { (row: rows[$0.0], remote: $0.1) }, context.inputs.job.claim.userID)
        let answer = try await context.ask {
            try await $0.turn([statement], deadline: context.deadline)[0]
        }
        return Set(try answer.map { found[try $0.int("number")].0 })
    }

    private enum Verdict {
        case remote(RemoteRecord)
        case ours
        /// An earlier push arrived whose answer did not.
        case same(modifiedAt: Int64?)
    }

    /// Newest wins; of two equally new ones ours, as on the way in.
    ///
    /// A record that can't be read gives way. One that holds already what would be sent is not
    /// written again.
    private func verdict(_ row: UnsentRow, _ remote: RemoteRecord?) -> Verdict {
        guard let remote else { return .ours }
        if holds(remote, row) {
            let modified = entity.records.fields.firstIndex { $0.meta == "modified" }
            if case .timestamp(let time)? = modified.flatMap({ remote.values[$0] }) {
                return .same(modifiedAt: time)
            }
            return .same(modifiedAt: nil)
        }
        if push.resolution == .remoteWins { return .remote(remote) }
        guard let version = entity.write.newerBy.flatMap({ entity.index(of: $0) }),
            let theirs = remote.values[version]
        else { return .ours }
        guard let ours = row.values[version] else { return .remote(remote) }
        return ours.isLess(than: theirs) == true ? .remote(remote) : .ours
    }

    /// Every value that a push of the row would send is there; one there that nobody can read is
    /// none of ours.
    private func holds(_ remote: RemoteRecord, _ row: UnsentRow) -> Bool {
        !row.isDeleted
            && entity.pushedFields.allSatisfy { field in
                entity.index(of: field.name).map { index in
                    isSame(row.values[index], remote.values[index])
                        && remote.hasUnread(field.name) == row.isUnread(field, at: index)
                } ?? true
            }
    }

    /// Equal as the source keeps them: times in whole milliseconds, JSON whatever its spaces.
    private func isSame(_ ours: FieldValue?, _ theirs: FieldValue?) -> Bool {
        switch (ours, theirs) {
        case (.timestamp(let ours)?, .timestamp(let theirs)?):
            wholeMilliseconds(ours) == wholeMilliseconds(theirs)
        case (.json(let ours)?, .json(let theirs)?):
            parsed(ours) != nil && parsed(ours) == parsed(theirs)
        default: ours == theirs
        }
    }

    private func wholeMilliseconds(_ microseconds: Int64) -> Int64 {
        let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    private func parsed(_ text: String) -> JSONValue? {
        (try? JSONDocument(parsing: Array(text.utf8)))?.root.value
    }

    /// The tag of a record as it stands at the source, whether the rest of it can be read or not.
    private func tag(of node: JSONNode) -> String? {
        entity.changeTagColumn.flatMap { entity.index(of: $0) }
            .flatMap { entity.records.fields[$0].at.first(in: node)?.string }
    }
}
