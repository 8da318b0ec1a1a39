import Glibc
import JSON
import JobFiles
import Postgres
import Schema
import Synchronization

/// `jobrunner migrate`: a line for each thing that was changed.
///
/// A wrong job file takes down its own jobs only: it is complained of, the rest is migrated, and the
/// exit code says that something was wrong.
func migrate(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let (jobFiles, mistakes) = try context.settings.jobFiles()
    let output = context.output
    for mistake in mistakes { output.complain(mistake.description) }
    let (report, refused) = try await showing("migrating") { progress in
        try await context.withDatabase { database in
            try await context.withDatabase {
                try await migrate(
                    database, watching: $0, jobFiles, rolePrefix: arguments.text("roles"), output,
                    progress)
            }
        }
    }
    let isRefused = !mistakes.isEmpty || !refused.isEmpty
    if report.isEmpty {
        try context.say(
            isRefused
                ? "nothing else to do; the files that were refused stay as they were stored"
                : "nothing to do")
    }
    if !report.lackingRoles.isEmpty {
        output.complain(
            "note: there is no role of \(report.lackingRoles.map { $0 + "s" }.joined(separator: ", ")), so that the owner"
                + " must do their part; an administrator makes them by what `jobrunner roles` prints"
        )
    }
    return isRefused ? .data : .ok
}

/// Migrates with all files, or without those that this database's tables can't follow, which are
/// returned.
private func migrate(
    _ database: Database, watching: Database, _ jobFiles: [JobFile], rolePrefix: String?,
    _ output: Output, _ progress: Progress
) async throws -> (MigrationReport, refused: [String]) {
    let migrator = Migrator(database: database)
    // A reader that goes away doesn't stop a migration.
    let log: @Sendable (String) -> Void = {
        progress.hide()
        try? output.print(readableLine($0))
    }
    do {
        return (
            try await migrator.migrate(
                jobFiles: jobFiles, rolePrefix: rolePrefix, watching: watching, log: log), []
        )
    } catch SchemaError.incompatible(let lines) {
        let refused = try await migrator.refused(of: jobFiles)
        let rest = jobFiles.filter { !refused.contains($0.name) }
        guard !refused.isEmpty, !rest.isEmpty else { throw SchemaError.incompatible(lines) }
        progress.hide()
        for line in lines { output.complain(line) }
        output.complain(
            "note: give a field of another type another name; or, where the source has all of its rows, drop the column"
                + " (for another key: the table), call migrate again, and full passes fill it")
        return (
            try await migrator.migrate(
                jobFiles: rest, rolePrefix: rolePrefix, watching: watching, log: log), refused
        )
    }
}

/// `jobrunner validate`: every mistake of every file.
func validate(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let read =
        arguments.positionals.isEmpty
        ? JobFileSet.load(directory: context.settings.jobsFolder)
        : JobFileSet.load(files: arguments.positionals)
    let earlier = arguments.texts("against")
    do {
        let files = try read.get()
        // A synced store may only be added to.
        for warning in files.warnings { context.output.complain("warning: \(warning)") }
        let losses =
            earlier.isEmpty
            ? [] : JobFileSet.additions(from: try earlierFiles(earlier).get(), to: files)
        guard losses.isEmpty else { return try show(losses, arguments, context) }
        if arguments.has("json") {
            try context.output.print("[]\n")
        } else {
            let what = earlier.isEmpty ? "no mistakes" : "no mistakes, nothing lost"
            try context.say("\(counted(files.jobs.count, "file")), \(what)")
        }
        return .ok
    } catch let mistakes as Mistakes {
        return try show(mistakes.all, arguments, context)
    }
}

private func show(
    _ mistakes: [Mistake], _ arguments: ParsedArguments, _ context: Context
) throws -> ExitCode {
    if arguments.has("json") {
        try context.output.print(JSONValue.array(mistakes.map(\.json)).text + "\n")
    } else {
        for mistake in mistakes { context.output.complain(mistake.description) }
    }
    return mistakes.contains(where: \.isUnreadable) ? .noInput : .data
}

/// The files as they were: one folder, or files.
private func earlierFiles(_ paths: [String]) -> Result<JobFileSet, Mistakes> {
    if paths.count == 1, let path = paths.first, isFolder(path) {
        return JobFileSet.load(directory: path)
    }
    return JobFileSet.load(files: paths)
}

private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

extension Mistake {
    fileprivate var json: JSONValue {
        .object([
            JSONMember("file", .string(file)), JSONMember("line", .integer(line)),
            JSONMember("column", .integer(column)), JSONMember("path", .string(path)),
            JSONMember("message", .string(message)),
            JSONMember("nearest", nearest.map { .string($0) } ?? .null),
        ])
    }
}
