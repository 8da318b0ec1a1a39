import JobFiles
import Postgres
import JobQueue
import Reading

/// The statement that writes one page's records and moves the checkpoint over them.
///
/// Its text depends on the entity alone, so each session prepares it once. The counters come from
/// what the write itself returned: `commit_page` is called with them in the same statement, which
/// is how a page needs only one network turn.
struct UpsertStatement: Sendable {
    let sql: String
    /// The same for a page of a full pass, all of whose rows are the entity's own.
    let markingSQL: String
    /// The same for a full pass that was asked for.
    let askedSQL: String
    /// The first, for rows that will hardly meet any: the conflict alone finds those that do.
    let blindSQL: String
    /// Whether a page would change anything.
    let changesAnythingSQL: String
    private let fields: [Field]
    private let hasRowActions: Bool

    init(_ entity: Entity) {
        fields = entity.records.fields
        hasRowActions = entity.hasRowActions
        sql = UpsertText(entity, notes: .added).text
        blindSQL = UpsertText(entity, notes: .added, looks: false).text
        changesAnythingSQL = UpsertText(entity, firstArray: 2).changesAnything
        let notes: UpsertText.Notes = entity.sweeps ? .shown : .added
        askedSQL = UpsertText(entity, notes: notes, ignoresVersions: true).text
        markingSQL = entity.sweeps ? UpsertText(entity, notes: .shown).text : sql
    }

    /// Columns whose values the server must parse, with their types: only these can be refused.
    var castColumns: [(index: Int, type: String)] {
        fields.enumerated().compactMap { $1.kind == .json ? ($0, "jsonb") : nil }
    }

    /// Binds a page's rows, its counters and its checkpoint.
    func statement(_ page: PageWrite, for claim: Claim) -> Statement {
        let batch = page.batch
        var binds = page.commit.binds(for: claim)
        binds += [
            .int8(Int64(batch.counts.fetched)), .int8(Int64(batch.counts.skippedIncompatible)),
            .int8(Int64(batch.counts.filtered)), .int8(Int64(batch.counts.duplicate)),
            .int8(Int64(batch.sentCount + page.sentBefore)), .int8(Int64(page.olderBefore)),
        ]
        binds += arrays(batch)
        let marks = hasRowActions && page.commit.passKind == .full
        return Statement(
            page.isAskedFor ? askedSQL : marks ? markingSQL : page.isProbablyNew ? blindSQL : sql,
            binds: binds)
    }

    /// Asks, and writes nothing, whether a page's rows would change anything (`changes`), and how many
    /// of them are older than what is stored (`older`).
    func changesAnything(_ batch: RecordBatch, for claim: Claim) -> Statement {
        Statement(changesAnythingSQL, binds: [.int8(claim.userID)] + arrays(batch))
    }

    private func arrays(_ batch: RecordBatch) -> [Bind] {
        (hasRowActions ? [.int4Array(batch.actions.map(\.rawValue))] : [])
            + batch.columns.map { .array($0) } + (batch.unreadFields.map { [.array($0)] } ?? [])
    }
}
