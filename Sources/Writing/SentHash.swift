import JobFiles

// How a row's content is known again after it was sent (docs/decisions/0022): every table with a push keeps in
// `sent_hashes` what was sent of a row since it was last clean.
extension Entity {
    /// Stands among the hashes for the row's deletion.
    static let sentDeletion = "0::bigint"
    /// Stands among the hashes of a row that was never sent, and whose record the source has all the same.
    static let metRecord = "1::bigint"

    /// SQL: the hash of what a push sends of a row, as the source gives it back: times in whole
    /// milliseconds.
    ///
    /// `castsJSON`: the row's JSON is text still; `prefix` stands before the names of its columns.
    func sentHash(of row: String, castsJSON: Bool = false, prefix: String = "") -> String {
        let values = pushedFields.map { field in
            let column = "\(row).\(quoted(prefix + field.name))"
            switch field.kind {
            case .timestamp: return "date_trunc('milliseconds', \(column))"
            case .json: return castsJSON ? "\(column)::jsonb" : column
            default: return column
            }
        }
        return "hash_record_extended(row(\(values.joined(separator: ", "))), 0)"
    }

    /// SQL: the incoming version is one that we sent ourselves, and the row was edited or deleted here
    /// since, so that it must not give way to it.
    func isOwnEarlier(
        _ incoming: String, than row: String, castsJSON: Bool = false, prefix: String = ""
    ) -> String {
        let theirs = sentHash(of: incoming, castsJSON: castsJSON, prefix: prefix)
        return """
            (\(row).sent_hashes is not null and (not \(row).synced or \(row).pending_delete) \
            and \(theirs) = any (\(row).sent_hashes) \
            and (\(row).pending_delete or \(theirs) <> \(sentHash(of: row))))
            """
    }
}
