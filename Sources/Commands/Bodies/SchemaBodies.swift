import Glibc
import JSON
import JobFile
import Schema
import Synchronization

/// `jobrunner migrate`: a line for each thing that was changed.
func migrate(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let jobFiles = try context.settings.jobFiles()
    let output = context.output
    let report = try await context.withDatabase { database in
        // A reader that goes away doesn't stop a migration.
        try await Migrator(database: database).migrate(jobFiles: jobFiles) {
            try? output.print(readableLine($0))
        }
    }
    if report.isEmpty { try context.say("nothing to do") }
    if !report.isReaderGranted {
        output.complain(
            "note: role jobrunner_reader doesn't exist and this database user may not make it")
    }
    return .ok
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
        // A synced store may only be added to (PO3, PO11).
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
