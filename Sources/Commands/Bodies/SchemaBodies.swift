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
        ? JobFile.load(directory: context.settings.jobsFolder)
        : JobFile.load(files: arguments.positionals)
    switch read {
    case .success(let files):
        if arguments.has("json") {
            try context.output.print("[]\n")
        } else {
            try context.say("\(counted(files.count, "file")), no mistakes")
        }
        return .ok
    case .failure(let mistakes):
        if arguments.has("json") {
            try context.output.print(JSONValue.array(mistakes.all.map(\.json)).text + "\n")
        } else {
            for mistake in mistakes.all { context.output.complain(mistake.description) }
        }
        return Failure(mistakes).exitCode
    }
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
