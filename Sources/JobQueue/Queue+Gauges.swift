public import JSON
import Postgres

// What is asked of the views by those who watch.
extension Queue {
    /// The numbers of view `gauges`: objects of `name`, `labels` and `value`.
    public func gauges() async throws -> [JSONValue] {
        try await ask("select g.name, g.labels, g.value from jobrunner.gauges as g", [])
    }

    /// Rows of a view in the order of some of its columns, from behind a row on, at most `limit`.
    ///
    /// `view` and `columns` are words of the program, never of a request; `after` holds the columns' texts of the last row.
    public func page(
        of view: String, by columns: [String], after: [String]?, limit: Int
    ) async throws -> [JSONValue] {
        let place = columns.map { "coalesce(v.\($0)::text, '')" }.joined(separator: ", ")
        let last = columns.indices.map { "($1::text[])[\($0 + 1)]" }.joined(separator: ", ")
        return try await ask(
            """
            select v.* from jobrunner.\(view) as v
            where $1::text[] is null or (\(place)) > (\(last))
            order by \(place)
            limit $2
            """, [.optional(after) { .textArray($0) }, .int(limit)])
    }
}
