import Glibc
import JobFiles
import JobQueue
import Schema
import Writing

/// `jobrunner explain`: a user's job in a sentence, or a job file with its defaults.
func explain(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let subject = arguments.subject
    if arguments.has("tenant") {
        let (sentence, hint, holders) = try await context.withQueue { queue in
            let scope = try await chosenJobs(arguments, queue)
            let user = scope.user ?? tenantsOwnKey
            return (
                try await queue.explainJob(subject, tenant: scope.tenant, user: user),
                try await queue.hint(for: subject, tenant: scope.tenant, user: user),
                try await queue.lockHolders(inTheWayOf: subject)
            )
        }
        try context.say(sentence)
        if let hint { try context.say("What helps: \(hint)") }
        for holder in lockFindings(holders) { try context.say(holder.line) }
        return .ok
    }
    guard access(subject, F_OK) == 0 else {
        throw Failure(
            .noInput,
            "\(subject): \(systemMessage(errno)); a job by its name needs --tenant T, and --user KEY where it is a user's"
        )
    }
    let files = try JobFile.load(files: [subject]).get()
    for file in files {
        let text = arguments.has("sql") ? try renderedSQL(of: file) : file.expanded
        try context.output.print(text + "\n")
    }
    return .ok
}

/// What `migrate` makes for a job file, and the statements that its runs send.
func renderedSQL(of file: JobFile) throws -> String {
    let made = try SyncedTable.rendered(for: [file]).map { "\($0);" }
    let sent = file.entities.flatMap { entity in
        RenderedStatement.all(of: entity).map { "-- \(entity.name): \($0.purpose)\n\($0.text);" }
    }
    return (["-- Made by jobrunner migrate"] + made + ["\n-- Sent by runs of \(file.name)"] + sent)
        .joined(separator: "\n")
}
