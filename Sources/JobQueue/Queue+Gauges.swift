public import JSON
import Postgres

// What is asked of the views by those who watch.
extension Queue {
    /// The numbers of view `gauges`: objects of `name`, `labels` and `value`.
    public func gauges() async throws -> [JSONValue] {
        try await ask("select g.name, g.labels, g.value from jobrunner.gauges as g", [])
    }

    /// Rows of a view in the order of some of its columns, from behind a place on, at most `limit`.
    ///
    /// `view` and `columns` are words of the program, never of a request. Each row has a member `place` as well: what is
    /// to be given as `after` to go on behind it.
    public func page(
        of view: String, by columns: [String], after: [String]?, limit: Int
    ) async throws -> [JSONValue] {
        let place = columns.map { "coalesce(v.\($0)::text, '') collate \"C\"" }
        let last = columns.indices.map { "($1::text[])[\($0 + 1)]" }.joined(separator: ", ")
        let order = place.joined(separator: ", ")
        return try await ask(
            """
            select v.*, array[\(order)] as place from jobrunner.\(view) as v
            where $1::text[] is null or (\(order)) > (\(last))
            order by \(order)
            limit $2
            """, [.optional(after) { .textArray($0) }, .int(limit)])
    }
}
