import JobFile
import Postgres
import Queue

/// The statement that writes one page's records and moves the checkpoint over them.
///
/// Its text depends on the entity alone, so each session prepares it once. The counters come from
/// what the write itself returned: `commit_page` is called with them in the same statement, which
/// is how a page needs only one network turn (DESIGN, section 8).
struct UpsertStatement: Sendable {
    private let sql: String
    private let fields: [Field]

    init(_ entity: Entity) {
        fields = entity.records.fields
        sql = UpsertText(entity).text
    }

    /// Columns whose values the server must parse, with their types: only these can be refused.
    var castColumns: [(index: Int, type: String)] {
        fields.enumerated().compactMap { $1.kind == .json ? ($0, "jsonb") : nil }
    }

    /// Binds a page's rows, its counters and its checkpoint.
    func statement(_ batch: RecordBatch, _ commit: PageCommit, for claim: Claim) -> Statement {
        var binds = commit.binds(for: claim)
        binds += [
            .int8(Int64(batch.counts.fetched)), .int8(Int64(batch.counts.skippedIncompatible)),
            .int8(Int64(batch.counts.filtered)), .int8(Int64(batch.counts.duplicate)),
        ]
        for (index, field) in fields.enumerated() {
            binds.append(columnBind(field, batch.rows.map { $0[index] }))
        }
        return Statement(sql, binds: binds)
    }
}

/// One column of a page as an array bind.
private func columnBind(_ field: Field, _ values: [FieldValue?]) -> Bind {
    switch field.kind {
    case .text, .url:
        .textArray(values.map { if case .text(let text) = $0 { text } else { nil } })
    case .timestamp:
        .timestamptzArray(values.map { if case .timestamp(let time) = $0 { time } else { nil } })
    case .int:
        .optionalInt8Array(values.map { if case .int(let number) = $0 { number } else { nil } })
    case .duration, .double:
        .doubleArray(values.map { if case .double(let number) = $0 { number } else { nil } })
    case .bool: .boolArray(values.map { if case .bool(let flag) = $0 { flag } else { nil } })
    case .json: .textArray(values.map { if case .json(let text) = $0 { text } else { nil } })
    }
}

/// Builds the text.
///
/// Every identifier has passed the job file's check and is quoted all the same.
private struct UpsertText {
    private let entity: Entity
    private let table: String
    private let columns: [String]
    private let keys: [String]
    private let others: [String]

    init(_ entity: Entity) {
        self.entity = entity
        table = "synced.\(quoted(entity.write.table))"
        columns = entity.records.fields.map { quoted($0.name) }
        keys = entity.records.key.map(quoted)
        others = columns.filter { !entity.records.key.map(quoted).contains($0) }
    }

    var text: String {
        """
        with incoming as materialized (
          select r.*, \(standing) as standing
          from unnest(\(arrays)) as r (\(columns.joined(separator: ", ")))
        ), written as (
          insert into \(table) as t (user_id, \(columns.joined(separator: ", ")))
          select $1, \(values)
          from incoming as i
          where \(isWanted)
          on conflict (user_id, \(keys.joined(separator: ", "))) \(onConflict)
          returning (t.xmax = 0) as is_new
        ), counted as (
          select
            (select count(*) from written where is_new) as inserted,
            (select count(*) from written where not is_new) as updated,
            (select count(*) from incoming) as sent,
            (select count(*) from incoming where \(isOlder)) as older
        )
        select c.inserted, c.updated, jobrunner.commit_page(
          $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
          $15, c.inserted, c.updated, c.sent - c.inserted - c.updated - c.older, c.older, $16, $17, $18, 0
        )
        from counted as c
        """
    }

    /// Per incoming record, what is known of the row it meets: a correlated look-up by primary key.
    ///
    /// As NOT EXISTS a plan cached for an empty table ran twenty times slower.
    private var standing: String {
        switch entity.write.mode {
        case .insertNew: "(select true from \(table) as s where \(isSameKey))"
        case .overwrite, .replaceAll:
            "(select \(isSame("s", "r")) from \(table) as s where \(isSameKey))"
        case .newestWins:
            // A row without a version is older than every version.
            "(select case when s.\(version) < r.\(version) or (s.\(version) is null "
                + "and r.\(version) is not null) then 'older' when s.\(version) > r.\(version) "
                + "or (s.\(version) is not null and r.\(version) is null) then 'newer' "
                + "else 'same' end "
                + "from \(table) as s where \(isSameKey))"
        }
    }

    private var isWanted: String {
        switch entity.write.mode {
        case .insertNew: "i.standing is null"
        case .overwrite, .replaceAll: "not coalesce(i.standing, false)"
        case .newestWins: "coalesce(i.standing, 'older') = 'older'"
        }
    }

    /// The guard once more at the row itself: another writer may have come since the look-up.
    private var onConflict: String {
        let updates = others.map { "\($0) = excluded.\($0)" }
        guard entity.write.mode != .insertNew, !updates.isEmpty else { return "do nothing" }
        let touched = columns.contains("\"last_modified\"") ? [] : ["last_modified = now()"]
        let set = (updates + touched).joined(separator: ", ")
        let guarded =
            entity.write.mode == .newestWins
            ? "t.\(version) is null or t.\(version) < excluded.\(version)"
            : "not \(isSame("t", "excluded"))"
        return "do update set \(set) where \(guarded)"
    }

    private var isOlder: String {
        entity.write.mode == .newestWins ? "standing = 'newer'" : "false"
    }

    private var version: String { quoted(entity.write.newerBy ?? "") }

    private var isSameKey: String {
        (["s.user_id = $1"] + keys.map { key in "s.\(key) = r.\(key)\(cast(key))" })
            .joined(separator: " and ")
    }

    private func isSame(_ left: String, _ right: String) -> String {
        guard !others.isEmpty else { return "true" }
        let pairs = others.map { column in
            "\(left).\(column) is not distinct from \(right).\(column)"
                + (right == "r" ? cast(column) : "")
        }
        return "(\(pairs.joined(separator: " and ")))"
    }

    private var arrays: String {
        entity.records.fields.enumerated()
            .map { index, field in "$\(19 + index)::\(arrayType(field.kind))[]" }
            .joined(separator: ", ")
    }

    private var values: String {
        columns.map { "i.\($0)\(cast($0))" }.joined(separator: ", ")
    }

    /// JSON travels as text and is cast last, so that what is not written is not parsed.
    private func cast(_ column: String) -> String {
        let isJSON = entity.records.fields.contains {
            quoted($0.name) == column && $0.kind == .json
        }
        return isJSON ? "::jsonb" : ""
    }

    private func arrayType(_ kind: Field.Kind) -> String {
        switch kind {
        case .text, .url, .json: "text"
        case .timestamp: "timestamptz"
        case .int: "bigint"
        case .duration, .double: "double precision"
        case .bool: "boolean"
        }
    }
}

/// An identifier in double quotes.
func quoted(_ identifier: String) -> String {
    "\""
        + identifier.split(separator: "\"", omittingEmptySubsequences: false)
        .joined(separator: "\"\"") + "\""
}
