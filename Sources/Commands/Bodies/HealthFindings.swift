import JSON
import JobFiles
import JobQueue

/// Values that one answer lists; the number tells of the rest.
private let listedMax = 20

/// Rows that job files say ought to be one; nothing changes unless asked to merge.
func healthFindings(
    _ queue: Queue, files: [JobFile], merges: Bool, _ progress: Progress
) async throws -> [Finding] {
    var findings: [Finding] = []
    for (check, entity) in files.flatMap(\.healthChecks) {
        let isMergeable = entity?.write.unique != nil
        progress.tell("synced.\(check.table)")
        do {
            if merges, isMergeable, let merged = try await merge(check, queue) {
                findings.append(merged)
            }
            let count = try await queue.countDuplicates(
                in: check.table, by: check.by, first: listedMax)
            findings += duplicateFindings(count, check, isMergeable: isMergeable)
        } catch QueueError.refused(let message, _) {
            // A table that migrate has not made yet, which is a finding and no end.
            findings.append(
                Finding(.warning, "health", message, hint: "run jobrunner migrate"))
        }
    }
    return findings
}

/// Merges what the check finds; nil when there was nothing.
private func merge(_ check: HealthCheck, _ queue: Queue) async throws -> Finding? {
    var written = 0
    var users = 0
    for user in try await queue.usersWithDuplicates(in: check.table, by: check.by) {
        let rows = try await queue.mergeDuplicates(in: check.table, user: user)
        written += rows
        users += rows > 0 ? 1 : 0
    }
    guard written > 0 else { return nil }
    return Finding(
        .info, "health",
        "merged synced.\(check.table): \(counted(written, "row")) of \(counted(users, "user"))"
            + " written")
}

/// The number first, then the values.
func duplicateFindings(
    _ count: DuplicateCount, _ check: HealthCheck, isMergeable: Bool
) -> [Finding] {
    guard count.values > 0 else { return [] }
    let more = count.values - count.first.count
    let total = Finding(
        .warning, "health",
        "\(counted(count.rows, "row")) of synced.\(check.table) share"
            + " \(counted(count.values, "value")) of \(choices(check.by, "and")), which ought to be"
            + " unique" + (more > 0 ? "; \(more) of them are not listed" : ""),
        hint: isMergeable
            ? "jobrunner doctor --merge makes one of each"
            : "the job file has no rule to merge them")
    return [total]
        + count.first.map { same in
            Finding(
                .warning, "health of synced.\(check.table)",
                "\(counted(same.rows, "row")) of user \(same.user) of tenant"
                    + " \(same.tenant) with \(same.value.text)")
        }
}

extension JobFile {
    /// The checks, each with the entity that fills its table.
    fileprivate var healthChecks: [(HealthCheck, Entity?)] {
        health.map { check in (check, entities.first { $0.write.table == check.table }) }
    }
}
