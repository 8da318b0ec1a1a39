import JobFiles

// What is known of the row that a record meets.
extension UpsertText {
    /// Those that are written: over a row that is older, over an unsent edit that holds the same, over one that gives way.
    static let writtenStandings = "('older', 'settled', 'lost')"

    /// A correlated look-up, by the record's name first where the key is another one, then by primary key.
    ///
    /// As NOT EXISTS a plan cached for an empty table ran twenty times slower. The limit tells the
    /// planner that there is one: without figures of the table it would make a bitmap for each row.
    var standing: String {
        guard let name = nameBesideKey else { return found(where: isSameKey, judged(by: mode)) }
        // Of two records with one key the newer one is shown, also where a record may take its own row whatever the version.
        let another =
            entity.write.mode == .newestWins && mode != .newestWins
            ? "case when s.\(name) <> r.\(name) then \(judged(by: .newestWins)) else \(judged(by: mode)) end"
            : judged(by: mode)
        return
            "coalesce(\(found(where: "s.user_id = $1 and s.\(name) = r.\(name)", judged(by: mode))), \(found(where: isSameKey, another)))"
    }

    private func found(where condition: String, _ judgement: String) -> String {
        "(select \(judgement) from \(table) as s where \(condition) limit 1)"
    }

    /// `true`, or a word, for a row that stays as it is.
    private func judged(by mode: Write.Mode) -> String {
        guard isLookedUpOnce else {
            return mode == .insertNew ? "true" : isUnsent("s", or: isSame("s", "r"))
        }
        switch mode {
        case .insertNew: return "'same'"
        case .overwrite, .replaceAll:
            return "case \(isSent ? "when not s.synced then 'newer' " : "")"
                + "when \(isSame("s", "r")) then 'same' else 'older' end"
        case .newestWins:
            // A row without a version is older than every version. An unsent edit of the same version is kept, and that
            // is not "unchanged". Of two equal versions the content decides: a second change within the tick of a
            // version is a change. One that we sent ourselves is older than an edit made since, whatever the clock says.
            return
                "case \(whenOwn)when s.\(version) < r.\(version) or (s.\(version) is null "
                + "and r.\(version) is not null) then \(older) when s.\(version) > r.\(version) "
                + "or (s.\(version) is not null and r.\(version) is null) then 'newer' "
                + (isSent ? "when not s.synced then 'newer' " : "")
                + (tiesAreSame ? whenRenamed : "when not \(isSame("s", "r")) then 'older' ")
                + "else 'same' end"
        }
    }

    /// An unsent edit that holds what comes is settled with it; any other gives way, and that is told.
    private var older: String {
        guard isSent else { return "'older'" }
        let theirs = entity.sentHash(of: "r", castsJSON: true)
        return "case when s.synced and not s.pending_delete then 'older' "
            + "when not s.pending_delete and \(theirs) = \(entity.sentHash(of: "s")) then 'settled' else 'lost' end"
    }

    private var whenRenamed: String {
        nameBesideKey == nil ? "" : "when not \(isSameRecordKey) then 'older' "
    }

    /// Rows that stand for several records differ from each of them, and what is sent as well as read gives way only to
    /// what is newer.
    var tiesAreSame: Bool {
        entity.write.unique != nil || isSent || others.isEmpty
    }

    private var whenOwn: String {
        isSent ? "when \(entity.isOwnEarlier("r", than: "s", castsJSON: true)) then 'newer' " : ""
    }

    var version: String { quoted(entity.write.newerBy ?? "") }

    /// An unsent edit stays whatever comes, where no version tells which is newer.
    func isUnsent(_ row: String, or condition: String) -> String {
        isSent ? "(not \(row).synced or \(condition))" : condition
    }

    private var isSameKey: String { "s.user_id = $1 and \(isSameRecordKey)" }

    private var isSameRecordKey: String {
        keys.map { "s.\($0) = r.\($0)\(rows.cast($0))" }.joined(separator: " and ")
    }

    /// Whether two rows hold the same; JSON last, and cast only where its text is not the server's own already.
    ///
    /// A record that was found by its name may have another key.
    func isSame(_ left: String, _ right: String) -> String {
        let compared = nameBesideKey == nil || right != "r" ? others : keys + others
        guard !compared.isEmpty else { return "true" }
        let pairs = (compared.filter { !rows.isJSON($0) } + compared.filter(rows.isJSON)).map {
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
