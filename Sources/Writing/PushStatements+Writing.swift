import Basics
import JobFiles
public import JobQueue
public import Postgres
import Reading

// What became of rows that were sent.
extension PushStatements {
    /// Rows the source has taken: clean if nobody edited them since, and in any case with the new
    /// tag, so that the next push is no conflict.
    ///
    /// They take what the source has made of them; a column that was edited since keeps its edit. One update decides
    /// for the row as it is locked: an editor may come between the statement's beginning and that.
    public func saved(_ rows: [(row: UnsentRow, answer: AnsweredRecord)], _ userID: Int64)
        -> Statement
    {
        // A column of which the source has kept all as it was sent has that value still, or an edit that stays.
        let differing = ownColumns.filter { index in
            rows.contains { $0.row.values[index] != $0.answer.values[index]?.asSourcesKeepIt }
        }
        return saved(rows, userID, taking: differing)
    }

    /// The columns of which a source may make something else than what was sent.
    var ownColumns: [Int] {
        fields.indices.filter { !keyIndexes.contains($0) && !fields[$0].isKeptBySource }
    }

    func saved(
        _ rows: [(row: UnsentRow, answer: AnsweredRecord)], _ userID: Int64, taking taken: [Int]
    ) -> Statement {
        let given = GivenRows(
            self, rows.map(\.row),
            extra: ["tag of", "changed at", "name of", "unread in"]
                + taken.map { "sent \(fields[$0].name)" } + taken.map { "new \(fields[$0].name)" })
        let isSame = "t.xmin::text = g.row_version"
        var sets = [
            "synced = t.synced or \(isSame)",
            "push_error = case when \(isSame) then null else t.push_error end",
            "sent_hashes = case when \(isSame) then null else t.sent_hashes end",
            "push_pause = null",
            // What was sent is no longer a value that nobody could read: a later null clears it.
            "unread_fields = g.\"unread in\"::text[]",
        ]
        if let tag = entity.changeTagColumn { sets.append("\(quoted(tag)) = g.\"tag of\"") }
        if let name = entity.nameBesideKey { sets.append("\(quoted(name)) = g.\"name of\"") }
        if let modified = fields.first(where: { $0.meta == "modified" })?.name {
            sets.append("\(quoted(modified)) = coalesce(g.\"changed at\", t.\(quoted(modified)))")
        }
        for index in taken {
            let column = quoted(fields[index].name)
            let cast = fields[index].kind == .json ? "::jsonb" : ""
            let sent = "g.\(quoted("sent \(fields[index].name)"))\(cast)"
            let answered = "g.\(quoted("new \(fields[index].name)"))\(cast)"
            sets.append(
                "\(column) = case when \(isSame) or t.\(column) is not distinct from \(sent) then \(answered) else t.\(column) end"
            )
        }
        let types = taken.map { fields[$0].arrayType }
        return Statement(
            """
            with given as materialized (
              \(given.select(types: ["text", "timestamptz", "text", "text"] + types + types))
            )
            update \(table) as t set \(sets.joined(separator: ", ")) from given as g
            where t.user_id = $1 and \(given.match)
            """,
            binds: [.int8(userID)] + given.binds + [
                .textArray(rows.map(\.answer.tag)),
                .timestamptzArray(rows.map(\.answer.modifiedAt)),
                .textArray(rows.map(\.row.recordName)),
                .textArray(rows.map { stillUnread($0.row) }),
            ]
                + taken.map { index in fields[index].bind(rows.map { $0.row.values[index] }) }
                + taken.map { index in
                    fields[index].bind(rows.map { $0.answer.values[index]?.asSourcesKeepIt })
                })
    }

    /// The fields that a push of the row left out, as an array's text; nil means none.
    private func stillUnread(_ row: UnsentRow) -> String? {
        let names = fields.indices.flatMap { row.stillUnread(fields[$0], at: $0) }
        return names.isEmpty ? nil : "{\(names.joined(separator: ","))}"
    }

    /// What becomes of a row whose record the source has no more.
    public enum Absence: Sendable {
        /// It was deleted here, and the source has done so.
        case deletedHere
        /// An unsent edit gives way to the deletion, and that is told.
        case editsGiveWay
        /// The row is sent anew.
        case editsStay
    }

    /// Rows whose record is gone: deleted here too, or, when edited meanwhile or by policy, sent
    /// anew without a tag.
    ///
    /// So is one that lives again after we ourselves sent its deletion. Decided for the rows as they are
    /// locked.
    public func removed(_ rows: [UnsentRow], _ absence: Absence, _ claim: Claim) -> Statement {
        let given = GivenRows(self, rows, extra: ["name of"])
        let untag = entity.changeTagColumn.map { ", \(quoted($0)) = null" } ?? ""
        let goes =
            absence == .editsStay
            ? "false"
            : "t.xmin::text = g.row_version and (t.pending_delete or "
                + "\(Entity.sentDeletion) <> all (coalesce(t.sent_hashes, '{}')))"
        let keys = keyIndexes.map { "t.\(quoted(fields[$0].name))" }
        let locked = keys.enumerated().map { "\($1) as key_\($0)" }.joined(separator: ", ")
        let match = keys.enumerated().map { "\($1) = l.key_\($0)" }.joined(separator: " and ")
        let (call, binds) = losing("gone", "is_edit", claim, after: given)
        let first = given.binds.count + given.extraCount + 2
        let surviving =
            entity.nameBesideKey == nil
            ? ""
            : ",\n  case when exists (select from gone) then jobrunner.look_for_survivors($1, $\(first), $\(first + 2)) end as survivors"
        let telling =
            absence == .editsStay
            ? """
            ,
              jobrunner.tell_conflicts($1, $\(first), $\(first + 1), $\(first + 2),
                (select array_agg(k.name) from kept as k where k.is_edit), 'ours') as told
            """ : ""
        return Statement(
            """
            with given as materialized (
              \(given.select(types: ["text"]))
            ), locked as materialized (
              select \(locked), g."name of" as name, \(goes) as goes, not t.pending_delete as is_edit
              from \(table) as t
              join given as g on \(given.match)
              where t.user_id = $1
              order by \(keys.joined(separator: ", "))
              for update of t
            ), gone as (
              delete from \(table) as t using locked as l where t.user_id = $1 and \(match) and l.goes
              returning l.name, l.is_edit
            ), kept as (
              update \(table) as t set synced = false, sent_hashes = null\(untag) from locked as l
              where t.user_id = $1 and \(match) and not l.goes
              returning l.name, l.is_edit
            )
            select \(call)\(telling)\(surviving)
            """,
            binds: [.int8(claim.userID)] + given.binds + [.textArray(rows.map(\.recordName))]
                + binds)
    }

    /// Rows that give way to the source's version, unless edited since.
    ///
    /// An edit made since keeps the tag of before: it knows nothing of the source's version either, so
    /// the next push meets the conflict again.
    public func replaced(_ rows: [(row: UnsentRow, remote: RemoteRecord)], _ claim: Claim)
        -> Statement
    {
        // A record may have another key by now, where its name is another field.
        let mayMove = entity.nameBesideKey != nil
        let others = fields.indices.filter { mayMove || !keyIndexes.contains($0) }
        let given = GivenRows(
            self, rows.map(\.row), extra: others.map { "new_\($0)" } + ["unread", "name of"])
        let set = others.map { index in
            "\(quoted(fields[index].name)) = g.new_\(index)\(fields[index].kind == .json ? "::jsonb" : "")"
        }
        let touched =
            fields.contains { $0.name == "last_modified" } ? [] : ["last_modified = now()"]
        let clean = [
            "synced = true", "push_error = null", "push_pause = null", "pending_delete = false",
            "sent_hashes = null", "unread_fields = g.unread::text[]",
        ]
        let moved = keyIndexes.map { "o.\(quoted(fields[$0].name)) = g.new_\($0)" }
        let stays = keyIndexes.map { "g.new_\($0) = g.key_\(keyIndexes.firstIndex(of: $0) ?? 0)" }
        // Where another row has that key the row waits for the next push.
        let isFree =
            "(\(stays.joined(separator: " and ")) or not exists (select from \(table) as o where o.user_id = $1 and \(moved.joined(separator: " and "))))"
        let stuck = """
            , stuck as (
              update \(table) as t set push_error = 'KEY_TAKEN: another row has the key that the record has at the source'
              from given as g
              where t.user_id = $1 and \(given.match) and t.xmin::text = g.row_version and not \(isFree)
              returning true
            )
            """
        let (call, binds) = losing("replaced", "true", claim, after: given)
        return Statement(
            """
            with given as materialized (
              \(given.select(types: others.map { fields[$0].arrayType } + ["text", "text"]))
            ), replaced as (
              update \(table) as t set \((set + touched + clean).joined(separator: ", ")) from given as g
              where t.user_id = $1 and \(given.match) and t.xmin::text = g.row_version\(mayMove ? " and \(isFree)" : "")
              returning g."name of" as name
            )\(mayMove ? stuck : "")
            select \(call)\(mayMove ? ", (select count(*) from stuck) as edits_stuck" : "")
            """,
            binds: [.int8(claim.userID)] + given.binds
                + others.map { index in fields[index].bind(rows.map { $0.remote.values[index] }) }
                + [
                    .textArray(rows.map(\.remote.unreadFields)),
                    .textArray(rows.map(\.row.recordName)),
                ] + binds)
    }

    /// The call that counts and tells the edits that gave way: the rows of `source` that fulfil `condition`.
    private func losing(
        _ source: String, _ condition: String, _ claim: Claim, after given: GivenRows
    ) -> (call: String, binds: [Bind]) {
        let first = given.binds.count + given.extraCount + 2
        return (
            """
            jobrunner.lose_edits($1, $\(first), $\(first + 1), $\(first + 2),
              (select array_agg(s.name) from \(source) as s where \(condition))) as edits_lost
            """,
            [.text(claim.name), .int8(claim.fence), .text(entity.name)]
        )
    }

    /// How many rows can't give way, since another row has the key of their record.
    public static func stuckEdits(in answers: [Rows]) throws -> Int {
        try answers.filter { $0.columns.contains("edits_stuck") }
            .reduce(0) { try $0 + $1.only().int("edits_stuck") }
    }

    /// How many edits gave way, by what the statements answered.
    public static func lostEdits(in answers: [Rows]) throws -> Int {
        try answers.filter { $0.columns.contains("edits_lost") }
            .reduce(0) { try $0 + $1.only().int("edits_lost") }
    }

    /// Rows that were refused: they stay unsent and say why; the same text is not written again.
    public func refused(
        _ rows: [(row: UnsentRow, error: String, pause: PushPause)], _ userID: Int64
    ) -> Statement {
        let given = GivenRows(self, rows.map(\.row), extra: ["error", "pauses", "wait_ms"])
        return Statement(
            """
            with given as materialized (
              \(given.select(types: ["text", "boolean", "bigint"]))
            )
            update \(table) as t set push_error = g.error,
              push_pause = case
                when g.wait_ms > 0 then tstzrange(now(), now() + g.wait_ms * interval '1 ms')
                when g.pauses then tstzrange(now(), now() + least(
                  coalesce(2 * (upper(t.push_pause) - lower(t.push_pause)), interval '1 minute'), interval '1 day')) end
            from given as g
            where t.user_id = $1 and \(given.match)
              and (g.pauses or g.wait_ms > 0 or t.push_error is distinct from g.error)
            """,
            binds: [.int8(userID)] + given.binds + [
                .textArray(rows.map(\.error)), .boolArray(rows.map { $0.pause == .growing }),
                .int8Array(rows.map { $0.pause.milliseconds }),
            ])
    }
}

extension PushPause {
    fileprivate var milliseconds: Int64 {
        guard case .until(let wait) = self else { return 0 }
        return wait.wholeMicroseconds / 1000
    }
}

extension FieldValue {
    /// Times in whole milliseconds, so that both sides hold the same version.
    fileprivate var asSourcesKeepIt: FieldValue {
        guard case .timestamp(let time) = self else { return self }
        let (quotient, remainder) = time.quotientAndRemainder(dividingBy: 1000)
        return .timestamp((remainder < 0 ? quotient - 1 : quotient) * 1000)
    }
}

extension Field {
    /// A value of the source's own making, which a push writes apart.
    fileprivate var isKeptBySource: Bool {
        meta == "recordName" || meta == "recordChangeTag" || meta == "modified"
    }
}
