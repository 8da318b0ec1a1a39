import JSON
import JobFiles
import JobQueue

/// Secrets that the key file in use doesn't open.
func secretFindings(_ rows: [JSONValue], keyIDs: [String]) -> [Finding] {
    let rows = rows.filter { ($0["secrets"]?.int ?? 0) > 0 && !keyIDs.contains($0.text("key_id")) }
    guard !keyIDs.isEmpty else {
        guard !rows.isEmpty else { return [] }
        return [
            Finding(
                .warning, "key file", "secrets are stored, but no key opens them",
                hint: "set JOBRUNNER_KEY_FILE to the path of the keys")
        ]
    }
    return rows.map { row in
        let named = row["named"]?.elements?.compactMap(\.string) ?? []
        let tenants = row["tenants"]?.int ?? 0
        return Finding(
            .error, "key file",
            "\(counted(row["secrets"]?.int ?? 0, "secret")) of \(counted(tenants, "tenant")) need key"
                + " \(row.text("key_id")), but the key file holds \(keyIDs.joined(separator: ", ")): "
                + named.joined(separator: ", ") + (tenants > named.count ? ", …" : ""),
            hint: "add the key that wrapped the tenants' keys, or store the secrets again")
    }
}

/// Keys of tenants that somebody has asked for and no worker has made.
func lateKeyFindings(_ rows: [JSONValue]) -> [Finding] {
    rows.map { row in
        let waiting = spanWords(seconds: Double(row["waiting_seconds"]?.int ?? 0))
        return Finding(
            .warning, "keys",
            "tenant \(row.text("tenant")) has waited \(waiting) for the other key that was asked for",
            hint: "a worker with the key file makes it; where it can't, its log says keys_unusable")
    }
}

/// Job files on disk that are not what `migrate` stored.
///
/// With a refused file among them nobody knows whether it is the one that lacks.
func fileFindings(_ rows: [JSONValue], files: [JobFile], isAnyRefused: Bool = false) -> [Finding] {
    let hint = "run jobrunner migrate"
    let stored = Dictionary(rows.map { ($0.text("name"), $0) }) { first, _ in first }
    let names = Set(files.map(\.name))
    let changed = files.compactMap { file -> Finding? in
        guard let row = stored[file.name] else {
            return Finding(.warning, "job files", "\(file.name) is not stored", hint: hint)
        }
        let parts = differences(file, row)
        guard !parts.isEmpty else { return nil }
        return Finding(
            .warning, "job files",
            "\(file.name) has another \(choices(parts, "and")) than is stored", hint: hint)
    }
    let gone = stored.keys.filter { !names.contains($0) }.map {
        isAnyRefused
            ? Finding(
                .warning, "job files", "\($0) is stored, and no file that can be read defines it",
                hint: "mend what was refused, or look at JOBRUNNER_JOBS")
            : Finding(
                .warning, "job files", "\($0) is stored, but no file defines it",
                hint: "no worker runs it; look at JOBRUNNER_JOBS")
    }
    return changed + gone
}

private func differences(_ file: JobFile, _ row: JSONValue) -> [String] {
    let pairs: [(String, Bool)] = [
        ("source", row.text("source") == file.source.id),
        ("period", row["every_ms"]?.int == Int(file.schedule.every.wholeMilliseconds)),
        ("spread", row["spread"]?.bool == file.schedule.spread.map { $0 == .user }),
        ("deadline", row["deadline_ms"]?.int == Int(file.schedule.deadline.wholeMilliseconds)),
        (
            "rate",
            row["per_second"]?.numberText.flatMap { Double($0) } == file.source.rate?.perSecond
        ),
        ("entities", row["entities"]?.elements?.map(\.string) == file.entities.map(\.name)),
    ]
    return pairs.filter { !$0.1 }.map(\.0)
}
