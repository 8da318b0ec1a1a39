/// Fields of one file that show what the records of another file's entity bring as a secret.
func shownSecrets(in good: [(file: ReadFile, job: JobFile)]) -> [Mistake] {
    good.enumerated().flatMap { index, later in
        good[..<index].filter { readsSame(later.job.source, $0.job.source) }.flatMap { earlier in
            shown(later.job, earlier.job).map { shown in
                later.file.mistake(
                    at: later.file.root?.entity(named: shown.showing)?["records"]?["fields"]?[
                        shown.field],
                    "field \"\(shown.field)\" would show secret \"\(shown.secret)\", which records of "
                        + "\(earlier.file.file) bring")
            }
                + shown(earlier.job, later.job).map { shown in
                    later.file.mistake(
                        at: later.file.root?.entity(named: shown.bringing)?["records"]?["secrets"],
                        "secret \"\(shown.secret)\" is shown by field \"\(shown.field)\" of "
                            + "\(earlier.file.file)")
                }
        }
    }
}

private func readsSame(_ one: Source, _ other: Source) -> Bool {
    one.id == other.id || one.preset != nil && one.preset == other.preset
}

/// A field, and the secret that it shows.
private struct Shown {
    var showing: String
    var field: String
    var bringing: String
    var secret: String
}

private func shown(_ showing: JobFile, _ bringing: JobFile) -> [Shown] {
    bringing.entities.filter { !$0.records.secrets.isEmpty }.flatMap { brings in
        showing.entities.filter { $0.mayShow(brings) }.flatMap { shows in
            brings.records.secrets.flatMap { secret in
                shows.records.fields.filter { $0.places.contains(where: secret.at.overlaps) }.map {
                    field in
                    Shown(
                        showing: shows.name, field: field.name, bringing: brings.name,
                        secret: secret.name)
                }
            }
        }
    }
}
