import Asking
import JSON
import JobFiles
import JobQueue
import Reading
import Writing

/// Where an entity's rows are pushed to, and how.
struct PushTarget {
    let context: RunContext
    let calls: Calls
    let dialect: any SourceDialect
    let entity: Entity
    let push: Push
    let statements: PushStatements
    /// What a push of a row sends, in this order.
    let sentFields: [SentField]
    private let reader: PageReader

    /// A field as the source knows it.
    struct SentField {
        let field: Field
        /// Place among the row's values.
        let index: Int
        /// Name at the source.
        let name: String
        /// The source's name for the same text as an asset, where it has one.
        let assetName: String?
    }

    init(
        _ context: RunContext, _ calls: Calls, _ dialect: any SourceDialect, _ entity: Entity,
        _ push: Push
    ) {
        self.context = context
        self.calls = calls
        self.dialect = dialect
        self.entity = entity
        self.push = push
        statements = PushStatements(entity, push)
        sentFields = entity.pushedFields.compactMap { field in
            entity.index(of: field.name).map {
                SentField(
                    field: field, index: $0, name: field.wireName,
                    assetName: entity.assetName(of: field))
            }
        }
        reader = PageReader(entity, dialect)
    }

    /// What the columns of a row are to be by the record that the source has of it now.
    ///
    /// The record's values, and what was sent for fields that the record does not name or of which nobody can read the
    /// value.
    func answered(_ row: UnsentRow, by record: JSONNode) -> [FieldValue?] {
        guard let read = RemoteRecord(reader.read([record])) else {
            return row.values
        }
        return entity.records.fields.indices.map { index in
            let field = entity.records.fields[index]
            let isThere = field.at.first(in: record) != nil && !read.hasUnread(field.name)
            return isThere ? read.values[index] : row.values[index]
        }
    }

    /// The zone and record type of the rows.
    ///
    /// Throws `RunEnd` malformed where the zone is shared and nobody says by whom.
    func place() throws -> RecordPlace {
        guard let template = entity.zoneOwner else { return entity.recordPlace() }
        guard let owner = try context.session.text(of: template) else {
            throw RunEnd.failed(
                .malformed,
                "\(entity.name): cloudkit.owner has no value, the zone's owner is not known")
        }
        return entity.recordPlace(owner: owner)
    }

    /// The answer, or the end of the run that its failure is.
    func exchange(_ request: DialectRequest) async throws -> JSONDocument {
        let answer = try await answer(to: request)
        if let failure = answer.failure { throw failure.end }
        return try answer.document()
    }

    /// A zone that is missing is made once (CloudKit reference, 6).
    func answer(to request: DialectRequest) async throws -> Answer {
        let answer = try await context.session.send(request)
        guard let failure = answer.failure else { return answer }
        let canMakeZone = entity.recover.contains { recovery in
            recovery.steps.contains(.createZone)
                && failure.code.map(recovery.codes.contains) ?? false
        }
        guard canMakeZone else { return answer }
        try await calls.createZone(of: entity)
        return try await context.session.send(request)
    }
}

extension Field {
    /// The field's name at the source: the last step of where it is mapped from but for CloudKit's
    /// `value`.
    fileprivate var wireName: String {
        let names = at.steps.compactMap { step -> String? in
            if case .member(let name) = step { name } else { nil }
        }
        return form == .cloudkit && names.count > 1 ? names[1] : names.last ?? name
    }
}
