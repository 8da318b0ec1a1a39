import JSON
import JobQueue

/// What a sort of trouble is called, what it means, and what helps.
private struct Trouble {
    let about: String
    let words: String
    let hint: String
}

private let troubles: [String: Trouble] = [
    "failing": Trouble(
        about: "failing", words: "failed in their last run",
        hint: "jobrunner explain says what each waits for"),
    "entity_failing": Trouble(
        about: "failing", words: "left an error in one entity",
        hint: "jobrunner status --user tells it"),
    "quarantined": Trouble(
        about: "quarantine", words: "set aside", hint: "mend the cause, then jobrunner retry"),
    "needs_reauth": Trouble(
        about: "secrets", words: "parked: the source refuses the credential",
        hint: "jobrunner user set --secret or jobrunner retry wakes them"),
    "client_refused": Trouble(
        about: "sign-in", words: "can't sign in: what the operator stores or configures is refused",
        hint:
            "mend the tenant's secrets or the job file's auth; jobrunner tenant set --secret wakes them"
    ),
    "no_key": Trouble(
        about: "key file", words: "are put off: their secrets are sealed with another key",
        hint: "store the secrets again, or give the workers the key"),
    "stalled": Trouble(
        about: "stalled", words: "don't get on: no page before the deadline",
        hint: "a longer deadline or smaller pages"),
    "deferred": Trouble(
        about: "deferred", words: "are put off again and again",
        hint:
            "jobrunner explain tells why; for a limit ask the source's owner, or lower source.rate"),
    "sweep_refused": Trouble(
        about: "sweep", words: "deleted nothing, since two full passes lacked too many rows",
        hint: "an empty account or a wrong credential? if it is right, raise max_fraction"),
    "sweep_held": Trouble(
        about: "sweep",
        words: "were shown none of their rows; the next full pass that shows none deletes them",
        hint: "an empty account or a wrong credential? fix or pause it before the next full pass"),
    "end_unproven": Trouble(
        about: "passes", words: "read a page that may not be the last, and nothing says so",
        hint: "is the path of the next page right? give page.size, or end: short_page"),
    "endless": Trouble(
        about: "passes", words: "read on for more than a day and a hundred runs, and no pass ends",
        hint: "does the source always name a next page?"),
    "overdue": Trouble(
        about: "deadline", words: "run on behind their deadline", hint: "restart the worker"),
    "orphaned": Trouble(
        about: "orphans", words: "run under a worker that has ended",
        hint: "a worker takes them back within a minute"),
    "lacking": Trouble(
        about: "lacking", words: "were never made, though their tenant was given them",
        hint: "run jobrunner migrate"),
]

/// Every job that needs a person, each sort with its number first.
func troubleFindings(_ rows: [JSONValue]) -> [Finding] {
    Dictionary(grouping: rows) { $0.text("trouble") }.sorted { $0.key < $1.key }.flatMap {
        word, rows in
        let trouble = troubles[word] ?? Trouble(about: word, words: word, hint: "")
        let count = rows[0]["count"]?.int ?? rows.count
        let more =
            count > rows.count
            ? "; the first \(rows.count) are listed, all are in view jobrunner.jobs_in_trouble" : ""
        let total = Finding(
            .error, trouble.about, "\(counted(count, "job")) \(trouble.words)\(more)",
            hint: trouble.hint)
        return [total] + rows.map { Finding(.error, trouble.about, subject(of: $0)) }
    }
}

/// `metube.refresh of user ann of tenant acme, entity video: rejected: …`.
private func subject(of row: JSONValue) -> String {
    let entity = row.text("entity")
    let detail = row.text("detail")
    return "\(row.text("job")) of user \(row.text("user")) of tenant \(row.text("tenant"))"
        + (entity.isEmpty ? "" : ", entity \(entity)") + (detail.isEmpty ? "" : ": \(detail)")
}
