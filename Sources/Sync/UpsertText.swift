import JobFile
import Queue

/// Builds the text of a page's statement.
///
/// Every identifier has passed the job file's check and is quoted all the same.
struct UpsertText {
    /// The first bind after those of the checkpoint and the four counters.
    private static let firstArray = PageCommit.bindCount + 5

    private let entity: Entity
    private let marks: Bool
    private let table: String
    private let columns: [String]
    private let keys: [String]
    private let others: [String]

    init(_ entity: Entity, marks: Bool) {
        self.entity = entity
        self.marks = marks
        table = "synced.\(quoted(entity.write.table))"
        columns = entity.records.fields.map { quoted($0.name) }
        keys = entity.records.key.map(quoted)
        others = columns.filter { !entity.records.key.map(quoted).contains($0) }
    }

    var text: String {
        """
        with incoming as materialized (
          select r.*, \(standing) as standing
          from unnest(\(arrays)) as r (\((fateColumn + columns).joined(separator: ", ")))
        ), written as (
          insert into \(table) as t (user_id, \(columns.joined(separator: ", ")))
          select $1, \(values)
          from incoming as i
          where \(isToWrite("i"))\(isWanted)
          on conflict (user_id, \(keys.joined(separator: ", "))) \(onConflict)
          returning (t.xmax = 0) as is_new
        )\(removals)\(marking), counted as (
          select
            (select count(*) from written where is_new) as inserted,
            (select count(*) from written where not is_new) as updated,
            (select count(*) from incoming) - \(shownCount) as sent,
            (select count(*) from incoming as i where \(isToWrite("i"))\(isOlder)) + \(keptCount) as older,
            \(removedCount) as deleted
        )
        select c.inserted, c.updated, c.deleted, jobrunner.commit_page(
          \(binds(1...PageCommit.bindCount)),
          \(counter(0)), c.inserted, c.updated, c.sent - c.inserted - c.updated - c.older - c.deleted, c.older,
          \(counter(1)), \(counter(2)), \(counter(3)), c.deleted
        )
        from counted as c
        """
    }

    private func binds(_ places: ClosedRange<Int>) -> String {
        places.map { "$\($0)" }.joined(separator: ", ")
    }

    private func counter(_ place: Int) -> String { "$\(PageCommit.bindCount + 1 + place)" }
}

// What is written, and what stands in its way.
extension UpsertText {
    /// Per incoming record, what is known of the row it meets: a correlated look-up by primary key.
    ///
    /// As NOT EXISTS a plan cached for an empty table ran twenty times slower.
    private var standing: String {
        switch entity.write.mode {
        case .insertNew: "(select true from \(table) as s where \(isSameKey))"
        case .overwrite, .replaceAll:
            "(select \(isUnsent("s", or: isSame("s", "r"))) from \(table) as s where \(isSameKey))"
        case .newestWins:
            // A row without a version is older than every version. An unsent edit of the same
            // version is kept, and that is not "unchanged" (MS14).
            "(select case when s.\(version) < r.\(version) or (s.\(version) is null "
                + "and r.\(version) is not null) then 'older' when s.\(version) > r.\(version) "
                + "or (s.\(version) is not null and r.\(version) is null) then 'newer' "
                + (entity.push == nil ? "" : "when not s.synced then 'newer' ")
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
        let clean =
            entity.push == nil
            ? ["synced = true"]
            : ["synced = true", "push_error = null", "pending_delete = false"]
        let set = (updates + touched + clean).joined(separator: ", ")
        let guarded =
            entity.write.mode == .newestWins
            ? "t.\(version) is null or t.\(version) < excluded.\(version)"
            : "not \(isUnsent("t", or: isSame("t", "excluded")))"
        return "do update set \(set) where \(guarded)"
    }

    private var isOlder: String {
        entity.write.mode == .newestWins ? "i.standing = 'newer'" : "false"
    }

    private var version: String { quoted(entity.write.newerBy ?? "") }

    /// An unsent edit stays whatever comes, where no version tells which is newer.
    private func isUnsent(_ row: String, or condition: String) -> String {
        entity.push == nil ? condition : "(not \(row).synced or \(condition))"
    }

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
        let fate = entity.hasFates ? ["$\(Self.firstArray)::int[]"] : []
        let first = Self.firstArray + fate.count
        let fields = entity.records.fields.enumerated()
            .map { index, field in "$\(first + index)::\(field.arrayType)[]" }
        return (fate + fields).joined(separator: ", ")
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
}

// What is deleted, and what is only noted as shown.
extension UpsertText {
    private var fateColumn: [String] { entity.hasFates ? ["fate"] : [] }

    private func isToWrite(_ row: String) -> String {
        entity.hasFates ? "\(row).fate = \(Fate.write.rawValue) and " : ""
    }

    private var appliesTombstones: Bool {
        entity.write.deletes?.appliesTombstones == true && !entity.tombstoneKey.isEmpty
    }

    private var keepsUnsent: Bool {
        appliesTombstones && entity.write.deletes?.unsent == .localEditWins
    }

    /// An unsent edit that outlives its record loses its tag, so that it is sent as a new one (MS17).
    private var removals: String {
        guard appliesTombstones else { return "" }
        let match = entity.tombstoneKey.map(quoted).map { "t.\($0) = i.\($0)" }
            .joined(separator: " and ")
        let found = "i.fate = \(Fate.tombstone.rawValue) and t.user_id = $1 and \(match)"
        let untag = entity.changeTagColumn.map { "\(quoted($0)) = null" } ?? "synced = false"
        return """
            , removed as (
              delete from \(table) as t using incoming as i
              where \(found)\(keepsUnsent ? " and t.synced" : "")
              returning true
            )
            """
                + (keepsUnsent
                    ? """
                    , kept as (
                      update \(table) as t set \(untag) from incoming as i
                      where \(found) and not t.synced
                      returning true
                    )
                    """ : "")
    }

    private var marking: String {
        guard marks else { return "" }
        return """
            , forgotten as (
              delete from jobrunner.seen_pages as p
              where $6 = 1 and p.user_id = $1 and p.job_name = $2 and p.entity = $3 and p.page_number > 1
            ), marked as (
              insert into jobrunner.seen_pages (user_id, job_name, entity, page_number, keys)
              select $1, $2, $3, $6, coalesce(array_agg(\(keyHash(of: keys, in: "i"))), '{}')
              from incoming as i
              where i.fate <> \(Fate.tombstone.rawValue)
              on conflict (user_id, job_name, entity, page_number) do update set keys = excluded.keys
            )
            """
    }

    private var shownCount: String {
        entity.hasFates
            ? "(select count(*) from incoming where fate = \(Fate.shown.rawValue))" : "0"
    }

    private var removedCount: String {
        appliesTombstones ? "(select count(*) from removed)" : "0::bigint"
    }

    private var keptCount: String { keepsUnsent ? "(select count(*) from kept)" : "0" }
}
