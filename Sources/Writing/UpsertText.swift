import JobFiles
import JobQueue
import Reading

/// Builds the text of a page's statement.
///
/// Every identifier has passed the job file's check and is quoted all the same. Names of our own that
/// stand beside columns are written with a capital, which no column has.
struct UpsertText {
    /// Which of the page's rows are noted as the entity's own, where it sweeps.
    enum Notes {
        /// Those that are new here: the others are known to be its own.
        case added
        /// All that a full pass shows.
        case shown
    }

    /// Counters that the page brings along: four of its own, its rows, and those that were older.
    static let counterCount = 6
    let entity: Entity
    let notes: Notes?
    /// Each row is looked up before it is written.
    private let looks: Bool
    /// The row becomes what the record is, whatever their versions say; unsent edits stay.
    private let ignoresVersions: Bool
    let table: String
    let rows: PageRows
    let keys: [String]
    let others: [String]

    init(
        _ entity: Entity, notes: Notes? = nil, looks: Bool = true,
        ignoresVersions: Bool = false,
        firstArray: Int = PageCommit.bindCount + UpsertText.counterCount + 1
    ) {
        self.looks = looks
        self.ignoresVersions = ignoresVersions
        self.entity = entity
        self.notes = entity.sweeps ? notes : nil
        table = "synced.\(quoted(entity.write.table))"
        rows = PageRows(entity, firstArray: firstArray)
        keys = entity.records.key.map(quoted)
        others = rows.columns.filter { !entity.records.key.map(quoted).contains($0) }
    }

    var mode: Write.Mode {
        ignoresVersions && entity.write.mode == .newestWins ? .overwrite : entity.write.mode
    }

    /// Rows may be edited here and wait to be sent.
    var isSent: Bool { entity.push != nil }

    /// The column of the record's name, where it is not the key: a record whose key changes is the same row.
    var nameBesideKey: String? { entity.nameBesideKey.map(quoted) }

    /// What is known of each row is asked once and told in words, for those that are older must be counted too.
    var isLookedUpOnce: Bool { mode == .newestWins || nameBesideKey != nil || isSent }

    /// Unchanged rows are dropped at the lookup, before any JSON cast.
    var text: String {
        """
        with \(incoming)\(renamed)written as (
          insert into \(table) as t (user_id, \((rows.columns + insertedBeside.map(\.column)).joined(separator: ", ")))
          select $1, \(([rows.values] + insertedBeside.map(\.value)).joined(separator: ", "))
          from \(wanted)\(behindRenamed)
          on conflict (user_id, \(keys.joined(separator: ", "))) \(onConflict)
          returning (t.xmax = 0) as is_new\(returnedBeside)
        )\(removals)\(lost)\(met), counted as materialized (
          select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
            \(olderCount) + \(keptCount) + \(counter(5)) as older, \(removedCount) as deleted\(lostCount)\(added)
          from written as w
        )
        select c.inserted, c.updated, c.deleted\(isSent ? ", c.lost" : ""),
          \(PageCommit.call(counters: counters)) as committed\(marking)\(telling)
        from counted as c
        """
    }

    /// Whether writing would change anything; stops at the first row that does, where that is all that is asked.
    var changesAnything: String {
        guard isLookedUpOnce else {
            return "select exists (select from \(wanted)) as changes, 0::bigint as older"
        }
        return """
            select coalesce(bool_or(coalesce(r."Standing", 'older') in \(Self.writtenStandings)), false) as changes,
              count(*) filter (where r."Standing" = 'newer') as older
            from (select \(standing) as "Standing" from \(rows.received)\(rows.isToWrite("r", " where ")) offset 0) as r
            """
    }

    /// Every record that came is counted once more by what became of it.
    private var counters: String {
        let unchanged = "\(counter(4)) - c.inserted - c.updated - c.older - c.deleted"
        return """
            jobrunner.make_counters(
              pages => \(PageCommit.pageCount), fetched => \(counter(0)), inserted => c.inserted, updated => c.updated,
              unchanged => \(unchanged), skipped_older => c.older,
              skipped_incompatible => \(counter(1)), filtered => \(counter(2)), duplicate => \(counter(3)),
              deleted => c.deleted\(isSent ? ", edits_lost => c.lost" : ""))
            """
    }

    func counter(_ number: Int) -> String { "$\(PageCommit.bindCount + 1 + number)" }
}

// What is written over what.
extension UpsertText {
    private var incoming: String {
        guard isLookedUpOnce else { return "" }
        return """
            incoming as materialized (
              select r.*
              from (select r.*, \(standing) as "Standing" from \(rows.received)\(rows.isToWrite("r", " where ")) offset 0) as r
              where r."Standing" is distinct from 'same'
            ),
            """ + " "
    }

    /// The rows to write.
    private var wanted: String {
        if isLookedUpOnce {
            return
                "incoming as r where coalesce(r.\"Standing\", 'older') in \(Self.writtenStandings)"
        }
        guard looks else { return rows.received + rows.isToWrite("r", " where ") }
        return mode == .insertNew
            ? "\(rows.received) where \(rows.isToWrite("r", "", " and "))\(standing) is null"
            : "\(rows.received) where \(rows.isToWrite("r", "", " and "))not coalesce(\(standing), false)"
    }

    /// What goes into a row beside the record: what it was when it was looked up, and since when it is known.
    private var insertedBeside: [(column: String, value: String)] {
        var beside: [(column: String, value: String)] = []
        if isSent {
            beside.append(("synced", "\(isClean("r"))"))
        }
        if let name = nameBesideKey {
            beside.append(
                (
                    "inserted_at",
                    "coalesce((select d.inserted_at from renamed as d where d.\(name) = r.\(name)), now())"
                ))
        }
        return beside
    }

    /// A record whose row is under another key is written only where that row has gone, and behind all that go, so that two
    /// records may change keys with each other.
    private var behindRenamed: String {
        guard let name = nameBesideKey else { return "" }
        return """
             and (not exists (select from moving as m where m.\(name) = r.\(name))
                or exists (select from renamed as d where d.\(name) = r.\(name)))
              and (select count(*) from renamed) is not null
            """
    }

    /// The rows of records that have another key now.
    ///
    /// One goes only where its record can be written: its new key is free, or the row that has it goes as well. Where it is
    /// not, the row stays as it is until the other record lets go of the key, and `has_shared_keys` says so.
    private var renamed: String {
        guard let name = nameBesideKey else { return "" }
        let old = keys.enumerated().map { "t.\($1) as \"Old \($0)\"" }
        let new = keys.enumerated().map { "r.\($1)\(rows.cast($1)) as \"New \($0)\"" }
        let all = (old + new).joined(separator: ", ")
        let differs = keys.map { "t.\($0) <> r.\($0)\(rows.cast($0))" }.joined(separator: " or ")
        let holds = keys.enumerated().map { "o.\($1) = m.\"New \($0)\"" }.joined(separator: " and ")
        let follows = keys.indices.map { "n.\"New \($0)\" = m.\"Old \($0)\"" }
            .joined(separator: " and ")
        let written = wanted.replacing("incoming as r where ", with: "")
        return """
            moving as materialized (
              select r.\(name), \(isSent ? isClean("r") : "true") as "Clean", \(all)
              from incoming as r
              join \(table) as t on t.user_id = $1 and t.\(name) = r.\(name)
              where \(written) and (\(differs))
            ), stuck as (
              with recursive stuck as (
                select m.\(name) from moving as m
                join \(table) as o on o.user_id = $1 and \(holds) and o.\(name) is distinct from m.\(name)
                where not exists (select from moving as h where h.\(name) = o.\(name))
                union
                select n.\(name) from stuck as s
                join moving as m on m.\(name) = s.\(name)
                join moving as n on \(follows)
              )
              select s.\(name) from stuck as s
            ), renamed as (
              delete from \(table) as t using moving as m
              where t.user_id = $1 and t.\(name) = m.\(name) and m.\(name) not in (select s.\(name) from stuck as s)
                \(isSent ? " and \(isAsSeen("t", clean: "m.\"Clean\""))" : "")
              returning t.\(name), t.inserted_at
            ),
            """ + " "
    }

    /// The guard once more at the row itself: another writer may have come since the look-up.
    private var onConflict: String {
        let updates = others.map { "\($0) = excluded.\($0)" }
        guard mode != .insertNew, !updates.isEmpty else { return "do nothing" }
        let touched = rows.columns.contains("\"last_modified\"") ? [] : ["last_modified = now()"]
        let clean =
            isSent
            ? [
                "synced = true", "push_error = null", "push_pause = null",
                "pending_delete = false", "sent_hashes = null",
            ] : ["synced = true"]
        let set = (updates + touched + clean).joined(separator: ", ")
        let guarded =
            mode == .newestWins ? isOlderHere : "not \(isUnsent("t", or: isSame("t", "excluded")))"
        return "do update set \(set) where \(guarded)"
    }

    private var isOlderHere: String {
        let ties =
            tiesAreSame
            ? ""
            : " or t.\(version) is not distinct from excluded.\(version)"
                + " and not \(isSame("t", "excluded"))"
        let isOlder =
            "(t.\(version) is null and excluded.\(version) is not null "
            + "or t.\(version) < excluded.\(version)\(ties))"
        guard isSent else { return isOlder }
        return isOlder + " and \(isAsSeen("t", clean: "excluded.synced"))"
            + " and not \(entity.isOwnEarlier("excluded", than: "t"))"
    }

    /// An edit that came since the look-up keeps its row: the push decides.
    private func isAsSeen(_ row: String, clean: String) -> String {
        "(\(row).synced and not \(row).pending_delete) = (\(clean))"
    }

    /// What the look-up found is no unsent edit.
    private func isClean(_ row: String) -> String {
        isLookedUpOnce ? "coalesce(\(row).\"Standing\", 'older') = 'older'" : "true"
    }

    private var olderCount: String {
        guard isLookedUpOnce else { return "0::bigint" }
        return "(select count(*) from incoming) - count(*)"
    }
}
