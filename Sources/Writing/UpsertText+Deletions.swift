import JobFiles
import JobQueue
import Reading

// What is deleted, what gives way, and what is only noted as shown.
extension UpsertText {
    private var appliesTombstones: Bool {
        entity.write.deletes?.appliesTombstones == true && !entity.tombstoneKey.isEmpty
    }

    /// An unsent edit outlives the deletion of its record.
    private var keepsUnsent: Bool {
        isSent && appliesTombstones && !entity.deletionsWin
    }

    /// The name by which readers know a record.
    private var told: String { entity.recordNameColumn.map(quoted) ?? keys[0] }

    /// An unsent edit that outlives its record loses its tag, so that it is sent as a new one.
    ///
    /// Of a row that waits for its own deletion the tombstone is the end. Whether a row is edited is decided as it is locked.
    var removals: String {
        guard appliesTombstones else { return "" }
        let columns = entity.tombstoneKey.map(quoted)
        let match = columns.map { "t.\($0) = i.\($0)" }.joined(separator: " and ")
        let found = "i.\"Action\" = \(RowAction.tombstone.rawValue) and t.user_id = $1 and \(match)"
        let tombstones = rows.received(columns, as: "i")
        let goes = keepsUnsent ? " and (t.synced or t.pending_delete)" : keepsRevived
        return """
            , removed as (
              delete from \(table) as t using \(tombstones)
              where \(found)\(goes)
              returning \(isSent ? "t.\(told), not t.synced and not t.pending_delete as is_edit" : "true")
            )
            """
                + (keepsUnsent
                    ? """
                    , kept as (
                      update \(table) as t set \(tag) = null
                      from \(tombstones)
                      where \(found) and not t.synced and not t.pending_delete and t.\(tag) is not null
                      returning t.\(told)
                    )
                    """ : "")
    }

    private var tag: String { entity.changeTagColumn.map(quoted) ?? "" }

    /// A tombstone is not of a row that the source never had, nor of one that lives again after we
    /// ourselves had it deleted there.
    private var keepsRevived: String {
        guard isSent else { return "" }
        return " and (t.synced or t.pending_delete or (t.\(tag) is not null "
            + "and \(Entity.sentDeletion) <> all (coalesce(t.sent_hashes, '{}'))))"
    }

    var removedCount: String {
        appliesTombstones ? "(select count(*) from removed)" : "0::bigint"
    }

    var keptCount: String { keepsUnsent ? "(select count(*) from kept)" : "0" }

    // MARK: Edits that give way

    /// What the statement returns of a written row beside whether it is new.
    var returnedBeside: String {
        (notes == .added ? ", \(keyHash(of: identity, in: "t")) as hash" : "")
            + (isSent || nameBesideKey != nil ? ", t.\(told)" : "")
    }

    /// The records of which an edit or a deletion made here gives way, to a newer version or to a deletion.
    var lost: String {
        guard isSent else { return "" }
        let sources =
            (isLookedUpOnce
                ? [
                    "select \(nameOfLost) as name from incoming as i join written as w on w.\(told) = i.\(told) where i.\"Standing\" = 'lost'"
                ] : [])
            + (appliesTombstones
                ? ["select r.\(told) as name from removed as r where r.is_edit"] : [])
        return """
            , lost as materialized (
              \(sources.isEmpty ? "select null::text as name where false" : sources.joined(separator: " union all "))
            )
            """
    }

    /// The name of the record whose edit gave way: the one that came may be another with its key.
    ///
    /// The statement sees the row as it was.
    private var nameOfLost: String {
        guard nameBesideKey != nil else { return "i.\(told)" }
        let holds = keys.map { "s.\($0) = i.\($0)\(rows.cast($0))" }.joined(separator: " and ")
        let stood = ["s.\(told) = i.\(told)", holds].map {
            "(select s.\(told) from \(table) as s where s.user_id = $1 and \($0) limit 1)"
        }
        return "coalesce(\(stood.joined(separator: ", ")), i.\(told))"
    }

    /// Notes of rows that the source never had that it has a record of their own now, which they stand over.
    ///
    /// When such a row is deleted, the record goes by the same rule, or it would never be shown again.
    var met: String {
        guard isSent else { return "" }
        let match = keys.map { "t.\($0) = i.\($0)\(rows.cast($0))" }.joined(separator: " and ")
        return """
            , met as (
              update \(table) as t set sent_hashes = array[\(Entity.metRecord)]
              from incoming as i
              where i."Standing" = 'newer' and t.user_id = $1 and \(match)
                and not t.synced and t.\(tag) is null and t.sent_hashes is null
            )
            """
    }

    var lostCount: String { isSent ? ", (select count(*) from lost) as lost" : "" }

    /// What readers are told, and what is looked for behind it: nothing where nothing happened.
    var telling: String {
        var calls: [String] = []
        if isSent {
            calls.append(
                "case when c.lost > 0 then jobrunner.tell_conflicts($1, $2, $4, $3, array(select l.name from lost as l), 'theirs') end as told"
            )
        }
        if keepsUnsent {
            calls.append(
                "case when \(keptCount) > 0 then jobrunner.tell_conflicts($1, $2, $4, $3, array(select k.\(told) from kept as k), 'ours') end as kept"
            )
        }
        if let name = nameBesideKey {
            let holds = keys.map { "s.\($0) = i.\($0)" }.joined(separator: " and ")
            calls.append(
                """
                case when \(counter(3)) > 0 or exists (select from stuck)
                    or exists (select from incoming as i join \(table) as s on \(holds) and s.user_id = $1 and s.\(name) <> i.\(name))
                  then jobrunner.note_shared_keys($1, $2, $3) end as shared
                """)
            // Whoever lets go of a key may have kept another record from it.
            calls.append(
                "case when c.deleted > 0 or exists (select from renamed) then jobrunner.look_for_survivors($1, $2, $3) end as survivors"
            )
            // A row that went and was not written anew would be lost: another writer took its key meanwhile.
            calls.append(
                "case when exists (select from renamed as d where not exists (select from written as w where w.\(name) = d.\(name))) then jobrunner.begin_page_anew() end as whole"
            )
        }
        return calls.map { ", \($0)" }.joined()
    }

    // MARK: What is shown

    /// The columns by which a sweep knows a record again.
    private var identity: [String] { entity.identity.map(quoted) }

    var added: String {
        notes == .added ? ",\n    array_agg(w.hash) filter (where w.is_new) as added" : ""
    }

    /// Which rows the page makes the entity's own, for the sweep at the end of full passes.
    var marking: String {
        switch notes {
        case nil: ""
        case .added:
            ", jobrunner.mark_seen($1, $2, $3, \(PageCommit.passNumber), \(PageCommit.pageNumber), c.added) as noted"
        case .shown:
            """
            , jobrunner.mark_seen($1, $2, $3, \(PageCommit.passNumber), \(PageCommit.pageNumber), array(
                select \(keyHash(of: identity, in: "i")) from \(rows.received(identity, as: "i"))
                where i."Action" <> \(RowAction.tombstone.rawValue)
              )) as noted
            """
        }
    }
}
