import JSON
public import JobFiles
public import Postgres
public import JobQueue
public import Reading

/// The statements that write a page besides the checkpoint's own.
public struct EntityStatements: Sendable {
    let upsert: UpsertStatement
    let entity: Entity
    let tellsDuplicates: Bool

    /// Makes the texts of an entity's statements, which all of its items share.
    ///
    /// - Parameter tellsDuplicates: readers are told of rows that are one.
    public init(_ entity: Entity, tellsDuplicates: Bool = false) {
        self.entity = entity
        self.tellsDuplicates = tellsDuplicates
        upsert = UpsertStatement(entity)
    }

    /// What follows the page's own statement in its transaction.
    func following(_ page: PageWrite, for claim: Claim) -> [Statement] {
        let name = page.commit.entity
        return merging(page.batch, of: name, for: claim)
            + (storeFailures(page.batch.failures + page.batch.remarks, of: name, for: claim)
                .map { [$0] } ?? [])
            + (page.unread.map { [storeUnread($0, of: name, for: claim)] } ?? [])
            + (page.sweep.map { [$0.statement(page.commit, for: claim)] } ?? [])
    }

    private func storeUnread(
        _ unread: [String: UnreadValues], of name: String, for claim: Claim
    ) -> Statement {
        Statement(
            "select jobrunner.store_unread_values($1, $2, $3, $4)", .int8(claim.userID),
            .text(claim.name), .text(name), .json(UnreadValues.noted(unread).text))
    }

    /// Rows of one business key become one, as soon as the second is written.
    private func merging(_ batch: RecordBatch, of name: String, for claim: Claim) -> [Statement] {
        guard let unique = entity.write.unique, batch.writtenCount > 0 else { return [] }
        let table = entity.write.table
        let keys = businessKeys(batch, by: unique.by)
        let told = ToldEvents(of: name, for: claim).duplicatesFound(in: table, keys: keys)
        let merge = Statement(
            "select jobrunner.merge_duplicates($1, $2, $3)", .int8(claim.userID), .text(table), keys
        )
        return tellsDuplicates ? [told, merge] : [merge]
    }

    /// The written records' business keys as texts; null, which asks for all rows, where the server may write
    /// them differently.
    private func businessKeys(_ batch: RecordBatch, by columns: [String]) -> Bind {
        let indexes = columns.compactMap { name in
            entity.records.fields.firstIndex { $0.name == name }
        }
        guard indexes.allSatisfy({ entity.records.fields[$0].kind.isPlainText }) else {
            return .null
        }
        return .textArray(
            batch.indexes(of: .write).compactMap { row in
                let texts = indexes.compactMap { batch.value(of: $0, in: row)?.plainText }
                return texts.count == indexes.count ? texts.joined(separator: "\u{1F}") : nil
            })
    }
}

/// Keeps the last of the failures of single records; nil when there are none.
public func storeFailures(
    _ failures: [RecordFailure], of entity: String, for claim: Claim
) -> Statement? {
    guard !failures.isEmpty else { return nil }
    return Statement(
        "select jobrunner.store_record_failures($1, $2, $3, $4)", .int8(claim.userID),
        .text(claim.name), .text(entity),
        .json(JSONValue.array(failures.suffix(50).map(\.noted)).text))
}

extension RecordFailure {
    fileprivate var noted: JSONValue {
        .object([
            JSONMember("code", .string(code)), JSONMember("reason", .string(reason)),
            JSONMember("record", .string(record)),
            JSONMember("wait_s", wait.map { .number(String($0.components.seconds)) } ?? .null),
        ])
    }
}

extension Field.Kind {
    /// The server writes such a value as we do.
    fileprivate var isPlainText: Bool { [.text, .url, .int].contains(self) }
}

extension FieldValue {
    fileprivate var plainText: String? {
        switch self {
        case .text(let text): text
        case .int(let number): String(number)
        default: nil
        }
    }
}
