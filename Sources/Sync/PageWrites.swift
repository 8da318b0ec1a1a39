import JSON
import JobFile
import Postgres
import Queue
import Telemetry

/// The statements that write a page besides the checkpoint's own.
struct PageWrites: Sendable {
    let upsert: UpsertStatement
    private let entity: Entity

    init(_ entity: Entity) {
        self.entity = entity
        upsert = UpsertStatement(entity)
    }

    /// What follows the page's own statement in its transaction.
    func following(_ batch: RecordBatch, _ sweep: Sweep?, for claim: Claim) -> [Statement] {
        (merging(batch, for: claim).map { [$0] } ?? [])
            + (noteFailures(batch.failures, of: entity.name, for: claim).map { [$0] } ?? [])
            + (sweep.map { [$0.statement(for: claim)] } ?? [])
    }

    /// Rows of one business key become one, as soon as the second is written (LU5).
    private func merging(_ batch: RecordBatch, for claim: Claim) -> Statement? {
        guard let unique = entity.write.unique, batch.writtenCount > 0 else { return nil }
        let indexes = unique.by.compactMap { name in
            entity.records.fields.firstIndex { $0.name == name }
        }
        let values = batch.places(of: .write).compactMap { row -> String? in
            let texts = indexes.compactMap { batch.value(of: $0, in: row)?.plainText }
            return texts.count == indexes.count ? texts.joined(separator: "\u{1F}") : nil
        }
        let isPlain = indexes.allSatisfy { entity.records.fields[$0].kind.isPlainText }
        return Statement(
            "select jobrunner.merge_duplicates($1, $2, $3)", .int8(claim.userID),
            .text(entity.write.table), isPlain ? .textArray(values) : .null)
    }
}

/// Keeps the last of the failures of single records (LU26); nil: there are none.
func noteFailures(
    _ failures: [RecordFailure], of entity: String, for claim: Claim
) -> Statement? {
    guard !failures.isEmpty else { return nil }
    return Statement(
        "select jobrunner.note_record_failures($1, $2, $3, $4)", .int8(claim.userID),
        .text(claim.name), .text(entity),
        .json(JSONValue.array(failures.suffix(50).map(\.json)).text))
}

/// Deletes what a full pass, read to its end, did not show (invariant 6).
struct Sweep: Sendable {
    private let sql: String
    private let entity: String
    private let maxFraction: Double

    init(_ entity: Entity, isRepair: Bool) {
        self.entity = entity.name
        maxFraction =
            entity.write.mode == .replaceAll ? 1 : entity.write.deletes?.maxFraction ?? 0.2
        sql = Self.text(entity, isRepair: isRepair)
    }

    func statement(for claim: Claim) -> Statement {
        Statement(
            sql, .int8(claim.userID), .text(claim.name), .text(entity), .double(maxFraction))
    }

    /// Unsent edits are never deleted: where the pass did not show their record, they lose its tag.
    ///
    /// So they are sent as new ones. A repair does that to every row (LU21, LU22). What happens to a row
    /// is decided as it is locked: an edit that was open when the sweep began is seen.
    private static func text(_ entity: Entity, isRepair: Bool) -> String {
        let table = "synced.\(quoted(entity.write.table))"
        let keys = entity.records.key.map(quoted)
        let tag = entity.push == nil ? nil : entity.changeTagColumn.map(quoted)
        let isRepair = isRepair && tag != nil
        let kept = entity.push == nil ? "" : " and not t.pending_delete"
        let goes = isRepair ? "false" : "t.synced\(kept)"
        let losesTag =
            tag.map { "t.\($0) is not null\(isRepair ? "" : " and not t.synced")\(kept)" }
            ?? "false"
        let match = keys.map { "t.\($0) = g.\($0)" }.joined(separator: " and ")
        let isRefused = "s.gone > $4::double precision * s.stored"
        let untagged =
            tag.map { tag in
                """
                , untagged as (
                  update \(table) as t set \(tag) = null, synced = false
                  from gone as g
                  where t.user_id = $1 and \(match) and g."Loses tag" and not (select \(isRefused) from share as s)
                )
                """
            } ?? ""
        return """
            with shown as materialized (
              select distinct unnest(p.keys) as hash
              from jobrunner.seen_pages as p
              where p.user_id = $1 and p.job_name = $2 and p.entity = $3
            ), gone as materialized (
              select \(keys.map { "t.\($0)" }.joined(separator: ", ")), \(goes) as "Goes", \(losesTag) as "Loses tag"
              from \(table) as t
              where t.user_id = $1 and (\(goes) or \(losesTag))
                and not exists (select from shown where shown.hash = \(keyHash(of: keys, in: "t")))
              order by \(keys.map { "t.\($0)" }.joined(separator: ", "))
              for update of t
            ), share as materialized (
              select (select count(*) from gone as g where g."Goes") as gone,
                (select count(*) from \(table) as t where t.user_id = $1) as stored
            ), swept as (
              delete from \(table) as t using gone as g
              where t.user_id = $1 and \(match) and g."Goes" and not (select \(isRefused) from share as s)
              returning true
            )\(untagged), forgotten as (
              delete from jobrunner.seen_pages as p
              where p.user_id = $1 and p.job_name = $2 and p.entity = $3
            ), noted as (
              update jobrunner.checkpoints as k
              set run_swept_count = k.run_swept_count + (select count(*) from swept),
                last_error_kind = case when \(isRefused) then 'sweep_refused' end,
                last_error = case
                  when \(isRefused)
                    then format('the full pass lacked %s of %s rows, more than max_fraction %s; none was deleted',
                      s.gone, s.stored, $4::double precision)
                end,
                last_error_at = case when \(isRefused) then now() end
              from share as s
              where k.user_id = $1 and k.job_name = $2 and k.entity = $3
            )
            select count(*) as swept, (select \(isRefused) from share as s) as refused from swept
            """
    }
}

extension RecordFailure {
    /// The same without any secret that the source repeats.
    func sanitised(_ redactor: Redactor) -> RecordFailure {
        RecordFailure(
            code: redactor.sanitised(code), reason: redactor.sanitised(reason),
            record: redactor.sanitised(record), wait: wait)
    }

    fileprivate var json: JSONValue {
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
