import JobFiles
import Postgres
import JobQueue
import Reading

extension EntityStatements {
    /// Columns that are ours, unless a job file has a field of that name.
    private static let bookkeeping = [
        "user_id", "inserted_at", "last_modified", "synced", "push_error", "push_pause",
        "pending_delete", "sent_hashes", "unread_fields", "hidden_at",
    ]

    /// The names of the key's columns.
    var keys: [String] { entity.records.key }

    /// The rows of a page's keys, as they are stored at the moment.
    func rows(of batch: RecordBatch, for claim: Claim) -> Statement {
        let fields = keys.compactMap { entity.index(of: $0) }.map { entity.records.fields[$0] }
        let columns = fields.map { quoted($0.name) }
        let arrays = fields.enumerated().map { "$\($0 + 2)::\($1.arrayType)[]" }
        let matches = columns.map { "t.\($0) = k.\($0)" }
        let binds = keys.compactMap { entity.index(of: $0) }.map { Bind.array(batch.written($0)) }
        return Statement(
            """
            select jsonb_build_array(\(columns.map { "t.\($0)" }.joined(separator: ", ")))::text as key,
              (to_jsonb(t.*) - $\(fields.count + 2)::text[])::text as row
            from unnest(\(arrays.joined(separator: ", "))) as k (\(columns.joined(separator: ", ")))
            join synced.\(quoted(entity.write.table)) as t
              on t.user_id = $1 and \(matches.joined(separator: " and "))
            """,
            binds: [.int8(claim.userID)] + binds
                + [.textArray(Self.bookkeeping.filter { entity.index(of: $0) == nil })])
    }
}
