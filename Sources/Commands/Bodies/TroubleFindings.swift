import JSON
import JobQueue

/// Every job that needs a person, each sort with its number first.
func troubleFindings(_ rows: [JSONValue]) -> [Finding] {
    Dictionary(grouping: rows) { $0.text("trouble") }.sorted { $0.key < $1.key }.flatMap {
        _, rows in
        let about = rows[0].text("about")
        let count = rows[0]["count"]?.int ?? rows.count
        let more =
            count > rows.count
            ? "; the first \(rows.count) are listed, all are in view jobrunner.jobs_in_trouble" : ""
        let total = Finding(
            .error, about, "\(counted(count, "job")) \(rows[0].text("words"))\(more)",
            hint: rows[0].text("hint"))
        return [total] + rows.map { Finding(.error, about, subject(of: $0)) }
    }
}

/// `metube.refresh of user ann of tenant acme, entity video: rejected: …`.
private func subject(of row: JSONValue) -> String {
    let entity = row.text("entity")
    let detail = row.text("detail")
    return "\(row.text("job")) of user \(row.text("user")) of tenant \(row.text("tenant"))"
        + (entity.isEmpty ? "" : ", entity \(entity)") + (detail.isEmpty ? "" : ": \(detail)")
}
