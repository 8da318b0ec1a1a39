import JSON
import JobFiles
import Postgres
import JobQueue
import Schema
import Secrets

/// `jobrunner doctor`: what an operator should look at, the worst first.
func doctor(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    var findings: [Finding] = []
    var files = ReadFiles()
    do {
        let (right, mistakes) = try context.settings.jobFiles()
        files = ReadFiles(right: right, isAnyRefused: !mistakes.isEmpty)
        findings += mistakes.map {
            Finding(.error, "job files", $0.description, hint: "its jobs don't run")
        }
    } catch {
        findings += Failure(error).lines.map { Finding(.error, "job files", $0) }
    }
    var keyIDs: [String] = []
    if context.settings.hasKeyFile {
        do { keyIDs = try context.settings.keyKeeper().ring.ids } catch {
            findings += Failure(error).lines.map { Finding(.error, "key file", $0) }
        }
    }
    do {
        let ways = try context.settings.databaseConfigurations(lanes: 1)
        findings += wayFindings(ways.own.openWays + ways.work.openWays)
        findings += try await showing("examining") { progress in
            try await context.withDatabase { database in
                try await examine(
                    database, files: files, keyIDs: keyIDs, merges: arguments.has("merge"), progress
                )
            }
        }
    } catch {
        findings += Failure(error).lines.map { Finding(.error, "database", $0) }
    }
    // What belongs together stays in its order: a number first, then what it counts.
    let sorted = findings.enumerated().sorted {
        ($0.element.severity, $0.element.about, $0.offset)
            < ($1.element.severity, $1.element.about, $1.offset)
    }.map(\.element)
    if arguments.has("json") {
        try context.output.print(JSONValue.array(sorted.map(\.json)).text + "\n")
    } else if sorted.isEmpty {
        try context.say("nothing to complain about")
    } else {
        for finding in sorted { try context.say(finding.line) }
    }
    return sorted.contains { $0.severity == .error } ? .failure : .ok
}

/// The job files of the machine on which doctor runs.
private struct ReadFiles {
    /// Nil when none could be read.
    var right: [JobFile]?
    var isAnyRefused = false
}

private func examine(
    _ database: Database, files: ReadFiles, keyIDs: [String], merges: Bool,
    _ progress: Progress
) async throws -> [Finding] {
    let queue = Queue(database)
    do {
        return try await examine(queue, files: files, keyIDs: keyIDs, merges: merges, progress)
    } catch let error as DatabaseError where error.isLockTimeout {
        // Doctor itself was kept waiting; who holds locks stands where nobody can lock it.
        let holders = (try? await queue.examine([.lockHolders])) ?? [:]
        return Failure(error).lines.map { Finding(.error, "database", $0) }
            + lockFindings(holders[.lockHolders] ?? [])
    }
}

private func examine(
    _ queue: Queue, files: ReadFiles, keyIDs: [String], merges: Bool, _ progress: Progress
) async throws -> [Finding] {
    do { try await Migrator(database: queue.database).check() } catch let error as SchemaError {
        let answers = try await queue.examine(HealthQuestion.ofServer)
        return [Finding(.error, "schema", error.description)] + serverFindings(answers)
    }
    // A count may be a minute old, and the worker that made it dead: what waited then need not wait now.
    do { try await queue.countWaiting(anew: true) } catch let error as DatabaseError
        where error.sqlstate == "25006"
    {
        // A standby has its primary's count, which bears its age.
    }
    let answers = try await queue.examine(HealthQuestion.allCases)
    let health = try await healthFindings(
        queue, files: files.right ?? [], merges: merges, progress)
    return serverFindings(answers) + jobFindings(answers) + health
        + secretFindings(answers[.secretKeys] ?? [], keyIDs: keyIDs)
        + lateKeyFindings(answers[.lateKeys] ?? [])
        + (files.right.map {
            fileFindings(answers[.jobFiles] ?? [], files: $0, isAnyRefused: files.isAnyRefused)
        } ?? [])
}
