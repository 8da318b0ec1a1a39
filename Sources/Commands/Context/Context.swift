import JSON
import JobFiles
import Postgres
import JobQueue

/// The program's version, as `--version` and the table of workers show it.
let programVersion = "0.1.0"

/// What a command's body has besides its arguments.
struct Context: Sendable {
    let settings: Settings
    let output: Output

    /// Lends the database for the time of the body.
    ///
    /// Verbs over a whole tenant may take long; a person who has enough of it presses Ctrl-C.
    func withDatabase<R>(_ body: (Database) async throws -> R) async throws -> R {
        var configuration = try settings.databaseConfiguration()
        configuration.statementTimeout = .seconds(600)
        configuration.lockTimeout = .seconds(10)
        configuration.connectTimeout = .seconds(10)
        configuration.reconnectTimeout = .seconds(2)
        return try await Database.withSessions(configuration, body)
    }

    /// Lends the verbs for the time of the body.
    func withQueue<R>(_ body: (Queue) async throws -> R) async throws -> R {
        try await withDatabase { try await body(Queue($0)) }
    }

    /// One line on standard output.
    func say(_ line: String) throws {
        try output.print(output.screen.marked(readableLine(line)))
    }

    /// A table for people, or its JSON.
    func show(_ table: Table, asJSON: Bool) throws {
        try output.print(asJSON ? table.json() : table.text(width: output.screen.width))
    }
}
