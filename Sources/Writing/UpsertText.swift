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
    private let entity: Entity
    private let notes: Notes?
    /// Each row is looked up before it is written.
    private let looks: Bool
    /// The row becomes what the record is, whatever their versions say; unsent edits stay.
    private let ignoresVersions: Bool
    private let table: String
    private let rows: PageRows
    private let keys: [String]
    private let others: [String]

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

    private var mode: Write.Mode {
        ignoresVersions && entity.write.mode == .newestWins ? .overwrite : entity.write.mode
    }

    /// Unchanged rows are dropped at the lookup, before any JSON cast.
    var text: String {
        """
        with \(incoming)written as (
          insert into \(table) as t (user_id, \(rows.columns.joined(separator: ", ")))
          select $1, \(rows.values)
          from \(wanted)
          on conflict (user_id, \(keys.joined(separator: ", "))) \(onConflict)
          returning (t.xmax = 0) as is_new\(notes == .added ? ", \(keyHash(of: keys, in: "t")) as hash" : "")
        )\(removals), counted as materialized (
          select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
            \(olderCount) + \(keptCount) + \(counter(5)) as older, \(removedCount) as deleted\(added)
          from written as w
        )
        select c.inserted, c.updated, c.deleted,
          \(PageCommit.call(counters: counters)) as committed\(marking)
        from counted as c
        """
    }

    /// Whether writing would change anything; stops at the first row that does, where that is all that is asked.
    var changesAnything: String {
        guard isCounted else {
            return "select exists (select from \(wanted)) as changes, 0::bigint as older"
        }
        return """
            select coalesce(bool_or(coalesce(r."Standing", 'older') = 'older'), false) as changes,
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
              deleted => c.deleted)
            """
    }

    private func counter(_ number: Int) -> String { "$\(PageCommit.bindCount + 1 + number)" }
}

// What is written, and what stands in its way.
extension UpsertText {
    /// What is known of the row that a record meets: a correlated look-up by primary key.
    ///
    /// As NOT EXISTS a plan cached for an empty table ran twenty times slower. The limit tells the
    /// planner that there is one: without figures of the table it would make a bitmap for each row.
    private var standing: String {
        let found = "from \(table) as s where \(isSameKey) limit 1"
        switch mode {
        case .insertNew: return "(select true \(found))"
        case .overwrite, .replaceAll:
            return "(select \(isUnsent("s", or: isSame("s", "r"))) \(found))"
        case .newestWins:
            // A row without a version is older than every version. An unsent edit of the same version is kept, and that
            // is not "unchanged". Of two equal versions the content decides: a second change within the tick of a
            // version is a change. One that we sent ourselves is older than an edit made since, whatever the clock says.
            return
                "(select case \(whenOwn)when s.\(version) < r.\(version) or (s.\(version) is null "
                + "and r.\(version) is not null) then 'older' when s.\(version) > r.\(version) "
                + "or (s.\(version) is not null and r.\(version) is null) then 'newer' "
                + (entity.push == nil ? "" : "when not s.synced then 'newer' ")
                + (tiesAreSame ? "" : "when not \(isSame("s", "r")) then 'older' ")
                + "else 'same' end \(found))"
        }
    }

    /// Rows that stand for several records differ from each of them, and what is sent as well as read gives way only to
    /// what is newer.
    private var tiesAreSame: Bool {
        entity.write.unique != nil || entity.push != nil || others.isEmpty
    }

    private var whenOwn: String {
        entity.push == nil
            ? "" : "when \(entity.isOwnEarlier("r", than: "s", castsJSON: true)) then 'newer' "
    }

    private var isCounted: Bool { mode == .newestWins }

    /// Where the rows that are older here must be counted too, each is looked up only once.
    private var incoming: String {
        guard isCounted else { return "" }
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
        guard looks || isCounted else { return rows.received + rows.isToWrite("r", " where ") }
        switch mode {
        case .newestWins: return #"incoming as r where coalesce(r."Standing", 'older') = 'older'"#
        case .insertNew:
            return "\(rows.received) where \(rows.isToWrite("r", "", " and "))\(standing) is null"
        case .overwrite, .replaceAll:
            return
                "\(rows.received) where \(rows.isToWrite("r", "", " and "))not coalesce(\(standing), false)"
        }
    }

    private var olderCount: String {
        isCounted
            ? #"(select count(*) from incoming as i where i."Standing" = 'newer')"# : "0::bigint"
    }

    /// The guard once more at the row itself: another writer may have come since the look-up.
    private var onConflict: String {
        let updates = others.map { "\($0) = excluded.\($0)" }
        guard mode != .insertNew, !updates.isEmpty else { return "do nothing" }
        let touched = rows.columns.contains("\"last_modified\"") ? [] : ["last_modified = now()"]
        let clean =
            entity.push == nil
            ? ["synced = true"]
            : [
                "synced = true", "push_error = null", "push_pause = null",
                "pending_delete = false", "sent_hashes = null",
            ]
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
        return "(t.\(version) is null and excluded.\(version) is not null "
            + "or t.\(version) < excluded.\(version)\(ties))"
            + (entity.push == nil ? "" : " and not \(entity.isOwnEarlier("excluded", than: "t"))")
    }

    private var version: String { quoted(entity.write.newerBy ?? "") }

    /// An unsent edit stays whatever comes, where no version tells which is newer.
    private func isUnsent(_ row: String, or condition: String) -> String {
        entity.push == nil ? condition : "(not \(row).synced or \(condition))"
    }

    private var isSameKey: String {
        (["s.user_id = $1"] + keys.map { key in "s.\(key) = r.\(key)\(rows.cast(key))" })
            .joined(separator: " and ")
    }

    /// JSON last: it is looked at only where all else is the same, and cast only where its text is
    /// not the server's own already.
    private func isSame(_ left: String, _ right: String) -> String {
        guard !others.isEmpty else { return "true" }
        let pairs = (others.filter { !rows.isJSON($0) } + others.filter(rows.isJSON)).map {
            column in
            let (ours, theirs) = ("\(left).\(column)", "\(right).\(column)")
            guard right == "r", rows.isJSON(column) else {
                let theirs = right == "r" ? theirs + rows.cast(column) : theirs
                return "\(ours) is not distinct from \(theirs)"
            }
            return "(\(ours)::text = \(theirs) or \(ours) is not distinct from \(theirs)::jsonb)"
        }
        return "(\(pairs.joined(separator: " and ")))"
    }

}

// What is deleted, and what is only noted as shown.
extension UpsertText {
    private var appliesTombstones: Bool {
        entity.write.deletes?.appliesTombstones == true && !entity.tombstoneKey.isEmpty
    }

    private var keepsUnsent: Bool {
        appliesTombstones && entity.write.deletes?.unsent == .localEditWins
    }

    /// An unsent edit that outlives its record loses its tag, so that it is sent as a new one.
    private var removals: String {
        guard appliesTombstones else { return "" }
        let match = entity.tombstoneKey.map(quoted).map { "t.\($0) = i.\($0)" }
            .joined(separator: " and ")
        let found = "i.\"Action\" = \(RowAction.tombstone.rawValue) and t.user_id = $1 and \(match)"
        let untag = entity.changeTagColumn.map { "\(quoted($0)) = null" } ?? "synced = false"
        return """
            , removed as (
              delete from \(table) as t using \(rows.received(entity.tombstoneKey.map(quoted), as: "i"))
              where \(found)\(keepsUnsent ? " and t.synced" : keepsRevived)
              returning true
            )
            """
                + (keepsUnsent
                    ? """
                    , kept as (
                      update \(table) as t set \(untag)
                      from \(rows.received(entity.tombstoneKey.map(quoted), as: "i"))
                      where \(found) and not t.synced
                      returning true
                    )
                    """ : "")
    }

    /// A tombstone is not of a row that the source never had, nor of one that lives again after we
    /// ourselves had it deleted there.
    private var keepsRevived: String {
        guard entity.push != nil, let tag = entity.changeTagColumn.map(quoted) else { return "" }
        return " and (t.synced or t.pending_delete or (t.\(tag) is not null "
            + "and \(Entity.sentDeletion) <> all (coalesce(t.sent_hashes, '{}'))))"
    }

    private var added: String {
        notes == .added ? ",\n    array_agg(w.hash) filter (where w.is_new) as added" : ""
    }

    /// Which rows the page makes the entity's own, for the sweep at the end of full passes.
    private var marking: String {
        switch notes {
        case nil: ""
        case .added:
            ", jobrunner.mark_seen($1, $2, $3, \(PageCommit.passNumber), \(PageCommit.pageNumber), c.added) as noted"
        case .shown:
            """
            , jobrunner.mark_seen($1, $2, $3, \(PageCommit.passNumber), \(PageCommit.pageNumber), array(
                select \(keyHash(of: keys, in: "i")) from \(rows.received(keys, as: "i"))
                where i."Action" <> \(RowAction.tombstone.rawValue)
              )) as noted
            """
        }
    }

    private var removedCount: String {
        appliesTombstones ? "(select count(*) from removed)" : "0::bigint"
    }

    private var keptCount: String { keepsUnsent ? "(select count(*) from kept)" : "0" }
}
